"""The panel of cumulative curves over the size of jobs."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from views.curves.plots import size_plots
from views.plotting.run_plots_panel import RunPlotsPanel
from views.state.context import ViewContext
from views.theme.theme import LIGHT, Theme

_EMPTY = (
    "Curves tell whose work gets done, and who waits for it.\n"
    "They appear when the first run is done and judged."
)
_NAMES = ("Jobs over their area", "Work over the area of jobs", "Wait area over the area of jobs")


class CurvesPanel(RunPlotsPanel):
    """Cumulative shares of jobs and work, and the wait area, over the area of jobs, a curve a run."""

    def __init__(self, context: ViewContext, theme: Theme = LIGHT, parent: QWidget | None = None) -> None:
        super().__init__(context, theme, _NAMES, size_plots, _EMPTY, parent)
