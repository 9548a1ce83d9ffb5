"""What is written around the plots of a spread."""

from __future__ import annotations

from views.data.samples import Samples
from views.plotting.plot import Words


def words_of(spread: Samples, x_name: str = "", y_name: str = "") -> Words:
    """What is written around any plot of it."""
    return Words(
        spread.measure.title_over(spread.over),
        spread.measure.text,
        x_name,
        y_name,
        spread.lacking,
    )
