"""A panel of several plots of the same runs side by side, with a common legend."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from views.data.results import Result
from views.data.shown_runs import ShownRuns
from views.plot.page import PlotPage
from views.plot.plot import Plot
from views.plotting.run_legend import RunLegend
from views.plotting.widget import PlotWidget
from views.state.context import ViewContext
from views.theme.theme import Theme
from views.widgets.page_stack import PageStack
from views.work.lazy import LazyValue

Plots = Callable[[ShownRuns], PlotPage]
"""The plots of some runs, at least one; computed in a thread."""


class RunPlotsPanel(QWidget):
    """Plots with a curve a run, all worked out together; runs that are hidden in the legend have none."""

    def __init__(
        self,
        context: ViewContext,
        theme: Theme,
        names: Sequence[str],
        make: Plots,
        empty: str,
        parent: QWidget | None,
    ) -> None:
        super().__init__(parent)
        self._make = make
        self._results: Sequence[Result] = ()
        self.legend = RunLegend(self, clickable=True)
        self.legend.changed.connect(self._show)
        self.charts = [PlotWidget(context, theme, name, self) for name in names]
        self._count = len(self.charts)
        self.empty = QLabel(empty, self, alignment=Qt.AlignmentFlag.AlignCenter, wordWrap=True)
        self.header = QHBoxLayout()
        self.header.setContentsMargins(8, 2, 8, 0)
        self.header.addWidget(self.legend, 1)
        self._grid = QGridLayout()
        self._grid.setSpacing(4)
        shown = QWidget(self)
        column = QVBoxLayout(shown)
        column.setContentsMargins(4, 4, 4, 2)
        column.setSpacing(2)
        column.addLayout(self.header)
        column.addLayout(self._grid, 1)
        # The page without runs says what would be seen here.
        self._stack = PageStack(self, self.empty, shown)
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
        results, make = self.legend.shown(self._results), self._make
        plots = LazyValue(lambda: make(ShownRuns(None, tuple(results))).plots)
        count = self._count = self.plots_of(results)
        for index, chart in enumerate(self.charts):
            chart.set_plot(partial(_one_of, plots, index) if results and index < count else None)
            chart.setVisible(index < count)
            chart.pick_runs(self.legend.picked)
        self._arrange()

    def plots_of(self, results: Sequence[Result]) -> int:
        """How many plots, the first of all, are shown of these runs."""
        return len(self.charts)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        count = self._count
        columns = count if self.width() >= count * PlotWidget.SMALLEST else 1
        for index, chart in enumerate(self.charts):
            self._grid.addWidget(chart, index // columns, index % columns)
        for column in range(count):
            self._grid.setColumnStretch(column, 1 if column < columns else 0)


def _one_of(plots: LazyValue[Sequence[Plot]], index: int) -> Plot:
    """A single plot of those that are computed together."""
    return plots()[index]
