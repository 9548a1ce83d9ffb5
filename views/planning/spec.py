"""The view of the optimiser at work."""

from __future__ import annotations

from typing import TYPE_CHECKING

from views.spec import ViewSpec

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from views.data.shown_runs import ShownRuns
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


PLANNING = ViewSpec(
    "planning",
    "Planning",
    "tab",
    _make,
    _show,
    bind=_bind,
    tip="How local search improves plans: criteria over time, moves kept, gains, and what the budget buys",
)
