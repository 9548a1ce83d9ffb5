"""The view of penalties."""

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
    from views.penalties.panel import PenaltiesPanel

    return PenaltiesPanel(context, theme, parent)


def _show(panel: Any, shown: ShownRuns) -> None:
    panel.set_results(shown.results)


def _draw(request: FigureRequest) -> Figure:
    from views.figures import penalties_figure

    return penalties_figure(request.results[0], request.title, request.options.penalties_whole)


def _lacks(request: FigureRequest) -> str:
    machine = request.results[0].schedule.cluster
    return "" if machine.limits_ram else "the machine does not limit RAM, so that all penalties are alike"


PENALTIES = ViewSpec(
    "penalties",
    "Penalties",
    "tab",
    _make,
    _show,
    tip="What a job weighs that asks for CPUs and RAM, by each formula, and where users lie",
    figures=(FigureSpec("penalties", "&Penalties…", _draw, lacks=_lacks),),
)
