"""The view of studies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from views.spec import FigureSpec, Lazy, ViewSpec

if TYPE_CHECKING:
    from views.figures.request import FigureRequest
    from views.study.page import StudyPage


def _lacks(request: FigureRequest) -> str:
    from views.grammar.study_figure import StudyFigure

    shown = request.own.find(StudyFigure)
    none = "There is no study to export: choose a study on the page Studies."
    return none if shown is None or not shown.results.done else ""


STUDY: ViewSpec[StudyPage] = ViewSpec(
    "study",
    "Studies",
    "page",
    Lazy("views.study.page:StudyPage"),
    entry="St&udies",
    keys="Alt+4",
    tip="Many policies at once, and whether what a paper found holds on this trace",
    plots=Lazy("views.study.plots:study_plots"),
    figures=(FigureSpec("study", "St&udy…", caption="study", lacks=_lacks),),
    own=lambda page: page.shown,
)
