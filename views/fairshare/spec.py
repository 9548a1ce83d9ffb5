"""The view of fairshare."""

from __future__ import annotations

from typing import TYPE_CHECKING

from views.spec import FigureSpec, Lazy, ViewSpec, show_results

if TYPE_CHECKING:
    from views.data.results import Result
    from views.fairshare.page import FairsharePage
    from views.figures.request import FigureRequest
    from views.state.context import ViewContext


def _bind(page: FairsharePage, context: ViewContext) -> None:
    view = context.view
    view.follow(page, "fairshare_run", lambda: page.choose_run(view.options.fairshare_run))
    view.follow(page, "fairshare_by", lambda: page.choose_by(view.options.fairshare_by))
    page.by_chosen.connect(lambda by: view.choose(fairshare_by=by))
    page.run_chosen.connect(lambda run_id: view.choose(fairshare_run=run_id))


def _run(request: FigureRequest) -> tuple[Result]:
    """The run that is chosen, else the first."""
    return (request.results[request.shown.place(request.options.fairshare_run)],)


FAIRSHARE = ViewSpec(
    "fairshare",
    "Fairshare",
    "tab",
    Lazy("views.fairshare.page:FairsharePage"),
    show_results,
    bind=_bind,
    plots=Lazy("views.fairshare.plots:fairshare_page"),
    figures=(
        FigureSpec("fairshare", "&Fairshare…", caption="all jobs", runs=_run),
        FigureSpec("filling", "F&illing of a share…", caption="all jobs", runs=_run, only=(2,), legend=False),
    ),
    tip="What users or accounts used over time against their shares, and how one user's share fills",
)
