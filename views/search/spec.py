"""The view of searches."""

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
    from views.search.page import SearchPage

    return SearchPage(context, theme, parent)


def _draw(request: FigureRequest) -> Figure:
    from views.figures import search_figure

    assert request.search is not None  # `lacks` says so before
    return search_figure(request.search, request.trace.name)


def _lacks(request: FigureRequest) -> str:
    none = "There is no search to export: begin one with Runs > Find a better policy."
    return none if request.search is None or not request.search.trials else ""


SEARCH = ViewSpec(
    "search",
    "Search",
    "page",
    _make,
    entry="Searc&h",
    tip="A better policy for this trace, judged on time that the search never saw",
    figures=(FigureSpec("search", "Searc&h…", _draw, caption="search", lacks=_lacks),),
)
