"""The view of value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from views.spec import FigureSpec, Lazy, ViewSpec, show_results

if TYPE_CHECKING:
    from views.state.context import ViewContext
    from views.value.panel import ValuePanel


def _bind(panel: ValuePanel, context: ViewContext) -> None:
    view = context.view
    view.follow(panel, "tolerance", lambda: panel.set_tolerance(*view.options.tolerance))
    panel.chosen.connect(lambda shape, delta: view.choose(tolerance=(shape, delta)))


VALUE = ViewSpec(
    "value",
    "Value",
    "tab",
    Lazy("views.value.panel:ValuePanel"),
    show_results,
    bind=_bind,
    tip="What jobs are worth, what a delay leaves of that, and what each run delivers",
    plots=Lazy("views.value.plots:value_page"),
    figures=(FigureSpec("value", "&Value…"),),
)
