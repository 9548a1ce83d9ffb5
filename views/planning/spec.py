"""The view of the optimiser at work."""

from __future__ import annotations

from typing import TYPE_CHECKING

from views.spec import FigureSpec, Lazy, ViewSpec, show_results

if TYPE_CHECKING:
    from views.data.results import Result
    from views.figures.request import FigureRequest
    from views.planning.page import PlanningPage
    from views.state.context import ViewContext


def _bind(page: PlanningPage, context: ViewContext) -> None:
    view = context.view
    view.follow(page, "plan_criterion", lambda: page.show_criterion(view.options.plan_criterion))
    page.criterion_chosen.connect(lambda name: view.choose(plan_criterion=name))


def _runs(request: FigureRequest) -> list[Result]:
    """The runs that search for better plans."""
    return [
        result
        for result in request.results
        if result.schedule.searches is not None and len(result.schedule.searches)
    ]


def _lacks(request: FigureRequest) -> str:
    return "" if _runs(request) else "No run searches for better plans: add a run such as plan-search."


PLANNING = ViewSpec(
    "planning",
    "Planning",
    "tab",
    Lazy("views.planning.page:PlanningPage"),
    show_results,
    bind=_bind,
    plots=Lazy("views.planning.plots:planning_page"),
    figures=(FigureSpec("planning", "P&lanning…", caption="all jobs", runs=_runs, lacks=_lacks),),
    tip="How local search improves plans: criteria over time, accepted moves, gains, and gain by budget",
)
