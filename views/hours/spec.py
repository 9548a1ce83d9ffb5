"""The view of waits by hour and weekday."""

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

_EMPTY = (
    "Hours tell when jobs that wait long are submitted.\nThey appear when the first run is done and judged."
)


def _make(context: ViewContext, theme: Theme, parent: QWidget) -> QWidget:
    from views.hours.plots import hour_plots
    from views.plotting.run_plots_panel import RunPlotsPanel

    names = ("Waits by hour", "Waits by weekday")
    return RunPlotsPanel(context, theme, names, hour_plots, _EMPTY, parent)


def _show(panel: Any, shown: ShownRuns) -> None:
    panel.set_results(shown.results)


def _draw(request: FigureRequest) -> Figure:
    from views.figures import hours_figure

    return hours_figure(request.results, request.title)


HOURS = ViewSpec(
    "hours",
    "Hours",
    "tab",
    _make,
    _show,
    tip="Mean waits by the hour of the day and the day of the week of submission, a lane a run",
    figures=(FigureSpec("hours", "H&ours…", _draw),),
)
