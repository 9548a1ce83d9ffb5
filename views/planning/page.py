"""The page of the optimiser at work: criteria over time, moves that were kept, gains, and the budget."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
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

from views.data.plan_searches import CRITERION_NAMES, Floats, PlanSearches, searches_of
from views.data.results import Result
from views.planning.budget import budget_plot
from views.plotting.lines_plot import LinesPlot, Steps, TimeLine
from views.plotting.widget import PlotWidget
from views.state.context import ViewContext
from views.state.spot import Spot
from views.text.ticks import axis_of
from views.text.tooltips import tip
from views.text.values import number
from views.theme.palette import mix
from views.theme.theme import Theme
from views.widgets.elided_label import ElidedLabel

_EMPTY = (
    "This page shows how local search improves plans: of runs like plan-search.\n"
    "Add one (Ctrl+N), and drag its slider of trials: the plots follow."
)
_PALE = 0.55


class PlanningPage(QWidget):
    """Four plots on the window's clock, and one of the budget; no moves nor budget if all plans are greedy.

    `criterion_chosen` carries a criterion.
    """

    context_requested = Signal(QPoint, Spot)
    criterion_chosen = Signal(str)

    def __init__(self, context: ViewContext, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._searches: list[PlanSearches] = []
        self.criterion = QComboBox(self)
        self.criterion.setToolTip(tip("The criterion that is shown before and after each search"))
        self.criterion.setAccessibleName("Criterion")
        for name, words in CRITERION_NAMES.items():
            self.criterion.addItem(words, name)
        self.criterion.currentIndexChanged.connect(self._choose)
        self.told = ElidedLabel("", self)
        self.values = LinesPlot(context, theme, "Criterion: pale before, dark after a search", _spell, self)
        self.gains = LinesPlot(context, theme, "Gain of a search, %", _spell, self)
        self.kept = LinesPlot(context, theme, "Moves kept, % of those tried", _spell, self)
        self.speed = LinesPlot(context, theme, "Gain for each millisecond spent, %", _spell, self)
        self.budget = PlotWidget(context, theme, "What the budget buys", self)
        self.empty = QLabel(_EMPTY, self, alignment=Qt.AlignmentFlag.AlignCenter, wordWrap=True)
        for chart in self.charts:
            chart.context_requested.connect(self.context_requested)
            chart.show_axis(chart is self.speed)
        self._lay_out()
        self.set_theme(theme)
        self.set_results(())

    @property
    def charts(self) -> tuple[LinesPlot, ...]:
        """Those on the clock, from top to bottom."""
        return self.values, self.gains, self.kept, self.speed

    def set_theme(self, theme: Theme) -> None:
        """Use other colours."""
        self._theme = theme
        self.empty.setStyleSheet(f"color: {theme.faint}")
        for chart in self.charts:
            chart.set_theme(theme)
        self.budget.set_theme(theme)
        self._show()

    def set_results(self, results: Sequence[Result]) -> None:
        """Show those of these finished runs that search for better plans."""
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
                chart.set_lines((), 1.0, None, _EMPTY)
            self.budget.set_plot(None)
            return
        self.told.setText("   ".join(f"{one.summary()} ({one.name})" for one in runs))
        self._show_values()
        self._show_lines(self.gains, lambda one: one.gain)
        self._show_lines(self.kept, lambda one: one.kept)
        self._show_lines(self.speed, lambda one: one.gain_per_ms, "The time of searches is not known here")
        tried = [one for one in runs if one.tries]
        self.budget.set_plot((lambda: budget_plot(tried)) if tried else None)
        for part in (self.kept, self.budget):  # greedy plans try no moves
            part.setVisible(bool(tried))

    def _show_values(self) -> None:
        name, lines, most = self.criterion.currentData(), [], 0.0
        for one in self._searches:
            before, after = one.criterion(name)
            pale = mix(one.result.colour, self._theme.chart, _PALE)
            lines.append(TimeLine(f"{one.name}, after", one.result.colour, Steps(one.time, after)))
            lines.append(TimeLine(f"{one.name}, before", pale, Steps(one.time, before)))
            most = max(most, float(np.nanmax(before, initial=0.0)), float(np.nanmax(after, initial=0.0)))
        axis = axis_of(self._searches[0].result.schedule.trace)
        self.values.set_lines(lines, most, axis, "")

    def _show_lines(
        self,
        chart: LinesPlot,
        values_of: Callable[[PlanSearches], Floats | None],
        without: str = "",
    ) -> None:
        lines, most = [], 0.0
        for one in self._searches:
            values = values_of(one)
            if values is not None:
                lines.append(TimeLine(one.name, one.result.colour, Steps(one.time, values)))
                most = max(most, float(np.nanmax(values, initial=0.0)))
        axis = axis_of(self._searches[0].result.schedule.trace)
        chart.set_lines(lines, most, axis, "" if lines else without)

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setContentsMargins(8, 2, 8, 2)
        head.setSpacing(6)
        head.addWidget(self.criterion)
        head.addWidget(self.told, 1)
        lines = QVBoxLayout()
        lines.setSpacing(0)
        for chart in self.charts:
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


def _spell(value: float) -> str:
    return number(round(value)) if abs(value) >= 100 else f"{value:.3g}"
