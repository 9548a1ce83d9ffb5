"""The page of plan searches: criteria over time, accepted moves, gains, and the budget."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPoint, QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLabel,
    QSizePolicy,
    QStackedLayout,
    QVBoxLayout,
    QWidget,
)

from views.data.plan_searches import CRITERION_NAMES, DURATIONS, PlanSearches, searches_of
from views.data.results import Result
from views.planning.plots import budget_plot, search_plots
from views.plotting.lines_plot import LinesPlot
from views.plotting.widget import PlotWidget
from views.state.context import ViewContext
from views.state.spot import Spot
from views.text.ticks import axis_of
from views.text.tooltips import tip
from views.text.values import duration, number
from views.theme.theme import Theme
from views.widgets.elided_label import ElidedLabel

_EMPTY = (
    "This page shows how local search improves plans, for runs such as plan-search.\n"
    "Add one (Ctrl+N), and drag its slider of trials: the plots follow."
)


class PlanningPage(QWidget):
    """Four plots on the window's clock, and a plot of the budget; without moves and budget if all plans are
    greedy.

    `criterion_chosen` carries the chosen criterion.
    """

    context_requested = Signal(QPoint, Spot)
    criterion_chosen = Signal(str)

    def __init__(self, context: ViewContext, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._searches: list[PlanSearches] = []
        self.criterion = QComboBox(self)
        self.criterion.setToolTip(tip("The criterion that is shown before and after each search"))
        self.criterion.setAccessibleName("Criterion")
        for name, words in CRITERION_NAMES.items():
            self.criterion.addItem(words, name)
        self.criterion.currentIndexChanged.connect(self._choose)
        self.message = ElidedLabel("", self)
        self.values = LinesPlot(
            context, theme, "Criterion: pale before, dark after a search", _format_value, self
        )
        self.gains = LinesPlot(context, theme, "Gain of a search, %", _format_value, self)
        self.kept = LinesPlot(context, theme, "Accepted moves, % of tried moves", _format_value, self)
        self.speed = LinesPlot(context, theme, "Gain for each millisecond spent, %", _format_value, self)
        self.budget = PlotWidget(context, theme, "Gain by budget", self)
        self.empty = QLabel(_EMPTY, self, alignment=Qt.AlignmentFlag.AlignCenter, wordWrap=True)
        for chart in self.charts:
            chart.context_requested.connect(self.context_requested)
            # Only the lowest chart has the axis: all lines share the clock.
            chart.show_axis(chart is self.speed)
        self._lay_out()
        self.set_theme(theme)
        self.set_results(())

    @property
    def charts(self) -> tuple[LinesPlot, ...]:
        """The charts on the clock, from top to bottom."""
        return self.values, self.gains, self.kept, self.speed

    def set_theme(self, theme: Theme) -> None:
        """Use other colours."""
        self.empty.setStyleSheet(f"color: {theme.faint}")
        for chart in self.charts:
            chart.set_theme(theme)
        self.budget.set_theme(theme)
        self._show()

    def set_results(self, results: Sequence[Result]) -> None:
        """Show the runs among these finished runs that search for better plans."""
        self._searches = searches_of(list(results))
        self._stack.setCurrentIndex(1 if self._searches else 0)
        self._show()

    def show_criterion(self, name: str) -> None:
        """Show this criterion."""
        with QSignalBlocker(self.criterion):
            self.criterion.setCurrentIndex(max(self.criterion.findData(name), 0))
        self._show()

    def _choose(self) -> None:
        self._show()
        self.criterion_chosen.emit(self.criterion.currentData())

    def _show(self) -> None:
        runs = self._searches
        if not runs:
            for chart in self.charts:
                chart.show_message(_EMPTY)
            self.budget.set_plot(None)
            return
        self.message.setText("   ".join(f"{run.summary()} ({run.name})" for run in runs))
        axis = axis_of(runs[0].result.schedule.trace)
        durations = self.criterion.currentData() in DURATIONS
        self.values.format = duration if durations else _format_value
        for chart, plot in zip(self.charts, search_plots(runs, self.criterion.currentData()), strict=True):
            chart.set_plot(plot, axis)
        tried = [run for run in runs if run.tries]
        self.budget.set_plot((lambda: budget_plot(tried)) if tried else None)
        for part in (self.kept, self.budget):  # greedy plans try no moves
            part.setVisible(bool(tried))

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setContentsMargins(8, 2, 8, 2)
        head.setSpacing(6)
        head.addWidget(self.criterion)
        head.addWidget(self.message, 1)
        lines = QVBoxLayout()
        lines.setSpacing(0)
        for chart in self.charts:
            # All lines get the same height, whatever room each asks for.
            chart.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
            lines.addWidget(chart, 1)
        both = QHBoxLayout()
        both.addLayout(lines, 3)
        both.addWidget(self.budget, 1)
        shown = QWidget(self)
        column = QVBoxLayout(shown)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addLayout(both, 1)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self.empty)
        self._stack.addWidget(shown)


def _format_value(value: float) -> str:
    return number(round(value)) if abs(value) >= 100 else f"{value:.3g}"
