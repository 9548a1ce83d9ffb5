"""The view of Gantt charts, a chart for each run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from views.spec import FigureSpec, ViewSpec

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from PySide6.QtWidgets import QWidget

    from views.figures.request import FigureRequest


def _draw(request: FigureRequest) -> Figure:
    from views.figures.gantt import gantt_figure

    options = request.options
    shown = request.results, request.window, request.title, request.gantt
    return gantt_figure(*shown, options.marks, dict(options.offsets))


def _draw_power(request: FigureRequest) -> Figure:
    from views.figures.power import power_figure

    options = request.options
    return power_figure(request.results, request.window, request.title, options.marks, dict(options.offsets))


def _lacks_power(request: FigureRequest) -> str:
    from engine.machine.power import power_of

    known = power_of(request.trace.cluster) is not None
    return "" if known else "The power of the machine is not known: --power tells it."


GANTT: ViewSpec[QWidget] = ViewSpec(
    "gantt",
    "Gantt charts",
    "runs",
    figures=(
        FigureSpec(
            "gantt", "&Gantt charts…", _draw, keys="Ctrl+E", caption="selection", column_keys="Ctrl+Shift+E"
        ),
        FigureSpec("power", "P&ower…", _draw_power, caption="all jobs", lacks=_lacks_power),
    ),
)
