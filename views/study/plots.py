"""The plots of a study, as the reader composed them."""

from __future__ import annotations

from views.data.shown_runs import ShownRuns
from views.data.view_options import ViewOptions
from views.grammar.study_figure import StudyFigure
from views.plot.page import PlotPage


def study_plots(shown: ShownRuns, _: ViewOptions) -> PlotPage:
    """All facets, what distinguishes marks, and what a mark is."""
    return shown.own.get(StudyFigure).page
