"""The panel of the penalties: a surface each, and the users of the first run's trace on all of them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QStackedLayout,
    QVBoxLayout,
    QWidget,
)

from views.data.penalty_surfaces import FORMULAS, penalty_surfaces
from views.data.picks import click_hint, describe_selected, select_units, selected_units
from views.data.results import Result
from views.penalties.plots import penalty_plot
from views.plotting.widget import PlotWidget
from views.state.context import ViewContext
from views.text.tooltips import tip
from views.theme.theme import Theme
from views.widgets.elided_label import ElidedLabel
from views.work.lazy import LazyValue

_EMPTY = (
    "This view shows how much a job that requests CPUs and RAM counts against its user.\n"
    "It appears when the first run is finished and compared."
)
_ABOUT = (
    "Fairshare counts a job's use as its penalty times its runtime. Each dot is a user's mean job: "
    "the higher on the surface, the sooner other users go first. A policy uses the penalty named by "
    "its key `penalty`."
)


class PenaltiesPanel(QWidget):
    """A contoured surface a penalty; a click on a dot selects its user."""

    def __init__(self, context: ViewContext, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._selection, self._view = context.selection, context.view
        self._result: Result | None = None
        self.charts = [PlotWidget(context, theme, f"Penalty {name}", self) for name in FORMULAS]
        self.whole = QCheckBox("The whole machine", self)
        self.whole.setToolTip(tip("Axes up to all CPUs and all RAM, instead of the range of users"))
        self.whole.toggled.connect(lambda on: context.view.choose(penalties_whole=on))
        self.marked = ElidedLabel("", self)
        self.marked.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.empty = QLabel(_EMPTY, self, alignment=Qt.AlignmentFlag.AlignCenter, wordWrap=True)
        for chart in self.charts:
            chart.picked.connect(self._pick)
        self._selection.changed.connect(self._mark)
        self._lay_out()
        self.set_theme(theme)
        context.view.follow(self, "penalties_whole", self._follow_whole)

    def set_theme(self, theme: Theme) -> None:
        """Use the colours of another theme."""
        self.empty.setStyleSheet(f"color: {theme.faint}")
        for chart in self.charts:
            chart.set_theme(theme)

    def set_results(self, results: Sequence[Result]) -> None:
        """Show the users of the first of these finished runs on its machine."""
        self._result = next(iter(results), None)
        self._stack.setCurrentIndex(1 if results else 0)
        self._show()

    def _lay_out(self) -> None:
        header = QHBoxLayout()
        header.setContentsMargins(8, 2, 8, 0)
        about = ElidedLabel(_ABOUT, self)
        header.addWidget(self.whole)
        header.addWidget(about, 3)
        header.addWidget(self.marked, 1)
        self._grid = QGridLayout()
        self._grid.setSpacing(4)
        shown = QWidget(self)
        column = QVBoxLayout(shown)
        column.setContentsMargins(4, 2, 4, 2)
        column.addLayout(header)
        column.addLayout(self._grid, 1)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self.empty)
        self._stack.addWidget(shown)
        self._arrange()

    def _show(self) -> None:
        result, whole = self._result, self.whole.isChecked()
        surfaces = LazyValue(lambda: penalty_surfaces(result.schedule, whole) if result is not None else None)
        for name, chart in zip(FORMULAS, self.charts, strict=True):
            chart.set_plot(partial(penalty_plot, name, surfaces) if result is not None else None)
        self._mark()

    def _follow_whole(self) -> None:
        self.whole.setChecked(self._view.options.penalties_whole)
        self._show()

    def _pick(self, units: Sequence[int], toggle: bool) -> None:
        if self._result is not None:
            select_units(self._selection, self._result.schedule.trace, "user", units, toggle)

    def _mark(self) -> None:
        """Show which users are selected."""
        trace = self._result.schedule.trace if self._result is not None else None
        units = selected_units(trace, "user", self._selection.value)
        for chart in self.charts:
            chart.mark(units)
        self.marked.setText(describe_selected(trace, "user", units) or click_hint("dot", "user"))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        columns = min(max(self.width() // PlotWidget.SMALLEST, 1), len(self.charts))
        for index, chart in enumerate(self.charts):
            self._grid.addWidget(chart, index // columns, index % columns)
        for column in range(len(self.charts)):
            self._grid.setColumnStretch(column, 1 if column < columns else 0)
