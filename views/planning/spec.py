"""The view of the optimiser at work."""

from __future__ import annotations

from typing import TYPE_CHECKING

from views.spec import FigureSpec, ViewSpec

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from PySide6.QtWidgets import QWidget

    from views.data.results import Result
    from views.data.shown_runs import ShownRuns
    from views.figures.request import FigureRequest
    from views.planning.page import PlanningPage
    from views.state.context import ViewContext
    from views.theme.theme import Theme


def _make(context: ViewContext, theme: Theme, parent: QWidget) -> QWidget:
    from views.planning.page import PlanningPage

    return PlanningPage(context, theme, parent)


def _bind(page: PlanningPage, context: ViewContext) -> None:
    view = context.view
    view.follow(page, "plan_criterion", lambda: page.show_criterion(view.options.plan_criterion))
    page.criterion_chosen.connect(lambda name: view.choose(plan_criterion=name))


def _show(page: PlanningPage, shown: ShownRuns) -> None:
    page.set_results(shown.results)


def _runs(request: FigureRequest) -> list[Result]:
    """Those that search for better plans."""
    return [
        one for one in request.results if one.schedule.searches is not None and len(one.schedule.searches)
    ]


def _draw(request: FigureRequest) -> Figure:
    from views.figures import planning_figure

    look = request.options
    return planning_figure(_runs(request), look.plan_criterion, request.window, request.title, look.marks)


def _lacks(request: FigureRequest) -> str:
    return "" if _runs(request) else "No run searches for better plans: add one like plan-search."


PLANNING = ViewSpec(
    "planning",
    "Planning",
    "tab",
    _make,
    _show,
    bind=_bind,
    figures=(FigureSpec("planning", "P&lanning…", _draw, caption="all jobs", runs=_runs, lacks=_lacks),),
    tip="How local search improves plans: criteria over time, moves kept, gains, and what the budget buys",
)
