"""The row of box-plots over users."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QStackedLayout, QVBoxLayout, QWidget
from superqt import QElidingLabel

from engine.trace import Trace
from views.boxplot.chart import BoxChart
from views.measures import MEASURES
from views.results import Result
from views.selection import SelectionModel
from views.style import LIGHT, Theme, tick_font

_KEY = "box: quartiles · line: median · whiskers: within 1.5 IQR · dots: users beyond"
_EMPTY = "Box-plots compare how users fare under each run.\nThey appear when the first run is done."


class BoxplotPanel(QWidget):
    """Box-plots over users, one measure each and one box a run; the selected users are marked.

    A click on a dot selects its user. The charts stand in a row where there is room, else
    in two rows or in one column.
    """

    def __init__(
        self, selection: SelectionModel, theme: Theme = LIGHT, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._selection = selection
        self._users: Sequence[str] = ()
        self.charts = [BoxChart(measure, theme, self) for measure in MEASURES]
        self.marked = QLabel("", self, textFormat=Qt.TextFormat.PlainText)
        self._key = QElidingLabel(_KEY, self, font=tick_font(self.font()))
        self.empty = QLabel(_EMPTY, self, alignment=Qt.AlignmentFlag.AlignCenter, wordWrap=True)
        self._grid = QGridLayout()
        self._columns = 0
        self._lay_out()
        for chart in self.charts:
            chart.user_clicked.connect(selection.select_user)
        selection.changed.connect(self._mark)
        self.set_theme(theme)
        self._mark()

    def _lay_out(self) -> None:
        self.marked.setMinimumWidth(1)  # a long name is cut rather than the window widened
        header = QHBoxLayout()
        header.addWidget(self.marked)
        header.addWidget(self._key, 1)
        self._key.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        header.setContentsMargins(8, 4, 8, 0)
        self._grid.setSpacing(0)
        shown = QWidget(self)
        column = QVBoxLayout(shown)
        column.setContentsMargins(0, 0, 0, 0)
        column.addLayout(header)
        column.addLayout(self._grid, 1)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self.empty)
        self._stack.addWidget(shown)
        self._arrange(len(self.charts))

    def set_theme(self, theme: Theme) -> None:
        """Use the colours of another theme."""
        self._key.setStyleSheet(f"color: {theme.faint}")
        self.empty.setStyleSheet(f"color: {theme.faint}")
        for chart in self.charts:
            chart.set_theme(theme)

    def set_results(self, trace: Trace | None, results: Sequence[Result]) -> None:
        """Show these finished runs of a trace."""
        self._users = trace.user.names if trace is not None else ()
        for chart in self.charts:
            chart.set_results(self._users, results)
        self._stack.setCurrentIndex(1 if results else 0)
        self._mark()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Break the row where the charts would get too narrow."""
        super().resizeEvent(event)
        fits = self.width() // BoxChart.SMALLEST
        self._arrange(4 if fits >= 4 else 2 if fits >= 2 else 1)

    def _arrange(self, columns: int) -> None:
        if columns == self._columns:
            return
        self._columns = columns
        for place, chart in enumerate(self.charts):
            self._grid.addWidget(chart, place // columns, place % columns)
        for column in range(len(self.charts)):
            self._grid.setColumnStretch(column, 1 if column < columns else 0)

    def _mark(self) -> None:
        """Show who is selected."""
        users = tuple(sorted(u for u in self._selection.value.users if u < len(self._users)))
        if not users:
            self.marked.setText("Click a dot to select its user")
        elif len(users) == 1:
            self.marked.setText(f"◆ user {self._users[users[0]]}")
        else:
            self.marked.setText(f"◆ {len(users)} users")
        for chart in self.charts:
            chart.mark(users)
