"""The view of fairshare."""

from __future__ import annotations

from typing import TYPE_CHECKING

from views.spec import FigureSpec, ViewSpec

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from PySide6.QtWidgets import QWidget

    from views.data.results import Result
    from views.data.shown_runs import ShownRuns
    from views.fairshare.page import FairsharePage
    from views.figures.request import FigureRequest
    from views.state.context import ViewContext
    from views.theme.theme import Theme


def _make(context: ViewContext, theme: Theme, parent: QWidget) -> QWidget:
    from views.fairshare.page import FairsharePage

    return FairsharePage(context, theme, parent)


def _bind(page: FairsharePage, context: ViewContext) -> None:
    view = context.view
    view.follow(page, "fairshare_run", lambda: page.choose_run(view.options.fairshare_run))
    page.run_chosen.connect(lambda run_id: view.choose(fairshare_run=run_id))


def _show(page: FairsharePage, shown: ShownRuns) -> None:
    page.set_results(shown.results)


def _run(request: FigureRequest) -> tuple[Result]:
    """The run that is chosen, else the first."""
    chosen = (one for one in request.results if one.run_id == request.options.fairshare_run)
    return (next(chosen, request.results[0]),)


def _draw(request: FigureRequest) -> Figure:
    from views.figures import fairshare_figure

    (result,) = _run(request)
    return fairshare_figure(result, request.users, request.window, request.title, request.options.marks)


FAIRSHARE = ViewSpec(
    "fairshare",
    "Fairshare",
    "tab",
    _make,
    _show,
    bind=_bind,
    figures=(FigureSpec("fairshare", "&Fairshare…", _draw, caption="all jobs", runs=_run),),
    tip="What users used over time against their shares, and how one user's share fills",
)
