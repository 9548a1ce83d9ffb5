"""The view of value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from views.spec import FigureSpec, Lazy, ViewSpec, show_results

if TYPE_CHECKING:
    from views.figures.request import FigureRequest
    from views.state.context import ViewContext
    from views.value.panel import ValuePanel


def _bind(panel: ValuePanel, context: ViewContext) -> None:
    view = context.view
    view.follow(panel, "tolerance", lambda: panel.set_tolerance(*view.options.tolerance))
    panel.chosen.connect(lambda shape, delta: view.choose(tolerance=(shape, delta)))


def _lacks(request: FigureRequest) -> str:
    budgets = any(result.schedule.policy.budget for result in request.results)
    return "" if budgets else "No run has budgets: add one such as auction:budget=20000;5000/1d."


VALUE = ViewSpec(
    "value",
    "Value",
    "tab",
    Lazy("views.value.panel:ValuePanel"),
    show_results,
    bind=_bind,
    tip="What jobs are worth, what a delay leaves of that, what each run delivers, and the budgets of users",
    plots=Lazy("views.value.plots:value_page"),
    figures=(
        FigureSpec("value", "&Value…", only=(0, 1, 2)),
        FigureSpec("budgets", "&Budgets of users…", only=(3, 4), legend=False, lacks=_lacks),
    ),
)
