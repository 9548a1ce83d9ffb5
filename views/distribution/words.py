"""The titles and labels of the plots of samples."""

from __future__ import annotations

from views.data.samples import Samples
from views.plot.plot import PlotWords
from views.text.terms import is_explained


def words_of(samples: Samples, x_name: str = "", y_name: str = "") -> PlotWords:
    """The titles and labels of any plot of these samples."""
    return PlotWords(
        samples.measure.title_over(samples.over),
        samples.measure.text,
        x_name,
        y_name,
        samples.lacking,
        terms=tuple(filter(is_explained, (samples.measure.name,))),
    )
