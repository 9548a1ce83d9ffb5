"""The view of studies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from views.spec import FigureSpec, ViewSpec

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from PySide6.QtWidgets import QWidget

    from views.figures.request import FigureRequest
    from views.state.context import ViewContext
    from views.theme.theme import Theme


def _make(context: ViewContext, theme: Theme, parent: QWidget) -> QWidget:
    from views.study.page import StudyPage

    return StudyPage(context, theme, parent)


def _draw(request: FigureRequest) -> Figure:
    from views.figures import study_figure

    assert request.study is not None  # `lacks` says so before
    return study_figure(request.study, request.trace.name)


def _lacks(request: FigureRequest) -> str:
    none = "There is no study to export: choose one on the page of studies."
    return none if request.study is None or not request.study.results.done else ""


STUDY = ViewSpec(
    "study",
    "Studies",
    "page",
    _make,
    entry="St&udies",
    tip="Many policies at once, and whether what a paper found holds on this trace",
    figures=(FigureSpec("study", "St&udy…", _draw, caption="study", lacks=_lacks),),
)
