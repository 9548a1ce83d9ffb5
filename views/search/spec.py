"""The view of searches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from views.spec import FigureSpec, Lazy, ViewSpec

if TYPE_CHECKING:
    from views.figures.request import FigureRequest
    from views.search.page import SearchPage


def _lacks(request: FigureRequest) -> str:
    from views.data.search_results import SearchResults

    results = request.own.find(SearchResults)
    none = "There is no search to export: start a search with Runs > Find a better policy."
    return none if results is None or not results.trials else ""


SEARCH: ViewSpec[SearchPage] = ViewSpec(
    "search",
    "Search",
    "page",
    Lazy("views.search.page:SearchPage"),
    entry="Searc&h",
    keys="Alt+3",
    tip="A better policy for this trace, judged on time that the search never saw",
    plots=Lazy("views.search.plots:search_page"),
    figures=(FigureSpec("search", "Searc&h…", caption="search", lacks=_lacks),),
    own=lambda page: page.results,
)
