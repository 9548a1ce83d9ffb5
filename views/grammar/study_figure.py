"""The figure of a study: its results, and the encoding that a reader chose."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from engine.errors import InputError
from engine.sweep.study_results import StudyResults
from views.grammar.encoding import Encoding
from views.grammar.plots import composition_of
from views.plot.page import PlotPage
from views.plot.plot import EmptyPlot, PlotWords


@dataclass(frozen=True, eq=False)
class StudyFigure:
    """The results of a study with the encoding by which they are shown."""

    results: StudyResults
    encoding: Encoding

    @cached_property
    def page(self) -> PlotPage:
        """All plots of the study. Takes time in the number of runs.

        Where nothing can be drawn, a plot that says why.
        """
        if not self.results.done:
            return _only("No run is finished yet.")
        try:
            return composition_of(self.results.table, self.encoding).page(self.results.study.title)
        except InputError as error:
            return _only(f"{error}.")


def _only(message: str) -> PlotPage:
    return PlotPage([EmptyPlot(words=PlotWords("", message=message))])
