"""The view of predicted starts."""

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
    "Predictions tell how well runs knew when jobs would start.\n"
    "They appear when the first run is done and judged."
)


def _make(context: ViewContext, theme: Theme, parent: QWidget) -> QWidget:
    from views.plotting.run_plots_panel import RunPlotsPanel
    from views.predictions.plots import prediction_plots

    names = ("Predicted starts", "Errors by wait")
    return RunPlotsPanel(context, theme, names, prediction_plots, _EMPTY, parent)


def _show(panel: Any, shown: ShownRuns) -> None:
    panel.set_results(shown.results)


def _draw(request: FigureRequest) -> Figure:
    from views.figures import predictions_figure

    return predictions_figure(request.results, request.title)


PREDICTIONS = ViewSpec(
    "predictions",
    "Predictions",
    "tab",
    _make,
    _show,
    tip="How predicted starts came true: how many early, on time and late, and errors by wait",
    figures=(FigureSpec("predictions", "Predicted &starts…", _draw),),
)
