"""The view of value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from views.spec import FigureSpec, ViewSpec

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from PySide6.QtWidgets import QWidget

    from views.data.shown_runs import ShownRuns
    from views.figures.request import FigureRequest
    from views.state.context import ViewContext
    from views.theme.theme import Theme


def _make(context: ViewContext, theme: Theme, parent: QWidget) -> QWidget:
    from views.value.panel import ValuePanel

    return ValuePanel(context, theme, parent)


def _bind(panel: Any, context: ViewContext) -> None:
    view = context.view
    view.follow(panel, "tolerance", lambda: panel.set_tolerance(*view.options.tolerance))
    panel.chosen.connect(lambda shape, delta: view.choose(tolerance=(shape, delta)))


def _show(panel: Any, shown: ShownRuns) -> None:
    panel.set_results(shown.results)


def _draw(request: FigureRequest) -> Figure:
    from views.figures import value_figure

    return value_figure(request.results, *request.options.tolerance, request.title)


VALUE = ViewSpec(
    "value",
    "Value",
    "tab",
    _make,
    _show,
    bind=_bind,
    tip="What jobs are worth, what a delay leaves of that, and what each run delivers",
    figures=(FigureSpec("value", "&Value…", _draw),),
)
