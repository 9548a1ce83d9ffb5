"""The panel of cumulative curves over the size of jobs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QGridLayout, QLabel, QStackedLayout, QVBoxLayout, QWidget

from views.curves.plots import size_plots
from views.data.results import Result
from views.plotting.plot import Plot
from views.plotting.run_legend import RunLegend
from views.plotting.step_plot import StepPlot
from views.plotting.widget import SMALLEST_PANEL, PlotWidget
from views.state.context import ViewContext
from views.theme.theme import LIGHT, Theme
from views.work.lazy import Lazy

_EMPTY = (
    "Curves tell whose work gets done, and who waits for it.\n"
    "They appear when the first run is done and judged."
)
_NAMES = ("Jobs over their area", "Work over the area of jobs", "Wait area over the area of jobs")


class CurvesPanel(QWidget):
    """Cumulative shares of jobs and work, and the wait area, over the area of jobs, a curve a run."""

    def __init__(self, context: ViewContext, theme: Theme = LIGHT, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setMinimumSize(*SMALLEST_PANEL)
        self._results: Sequence[Result] = ()
        self.legend = RunLegend(self, clickable=True)
        self.legend.changed.connect(self._show)
        self.charts = [PlotWidget(context, theme, name, self) for name in _NAMES]
        self.empty = QLabel(_EMPTY, self, alignment=Qt.AlignmentFlag.AlignCenter, wordWrap=True)
        self.legend.setContentsMargins(8, 2, 8, 0)
        self._grid = QGridLayout()
        self._grid.setSpacing(4)
        shown = QWidget(self)
        column = QVBoxLayout(shown)
        column.setContentsMargins(4, 4, 4, 2)
        column.setSpacing(2)
        column.addWidget(self.legend)
        column.addLayout(self._grid, 1)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self.empty)
        self._stack.addWidget(shown)
        self._arrange()
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        """Use the colours of another theme."""
        self.empty.setStyleSheet(f"color: {theme.faint}")
        for chart in self.charts:
            chart.set_theme(theme)

    def set_results(self, results: Sequence[Result]) -> None:
        """Show these finished runs."""
        self._results = results
        self.legend.set_results(results)
        self._stack.setCurrentIndex(1 if results else 0)
        self._show()

    def _show(self) -> None:
        """The curves of the runs that are not hidden."""
        results = self.legend.shown(self._results)
        plots = Lazy(lambda: size_plots(results))
        for index, chart in enumerate(self.charts):
            chart.set_plot(partial(_one_of, plots, index) if results else None)
            chart.pick_runs(self.legend.picked)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        columns = 3 if self.width() >= 3 * PlotWidget.SMALLEST else 1
        for index, chart in enumerate(self.charts):
            self._grid.addWidget(chart, index // columns, index % columns)
        for column in range(3):
            self._grid.setColumnStretch(column, 1 if column < columns else 0)


def _one_of(plots: Lazy[tuple[StepPlot, StepPlot, StepPlot]], index: int) -> Plot:
    """One of the plots, all of which are worked out together."""
    return plots()[index]
