"""The rows of runs: one below the other in a list, or side by side in as many lines as they need."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PySide6.QtCore import QEvent, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QWidget

_GAP = 2


class GridRow(QFrame):
    """A row that knows its width without cut texts."""

    @property
    def wanted(self) -> int:
        """The width without cut texts, in pixels."""
        return self.sizeHint().width()


def lines_of(wanted: Sequence[int], room: int) -> list[list[int]]:
    """The items of each line, by their widths; an item wider than `room` has its own line."""
    lines: list[list[int]] = []
    left = -1
    for index, width in enumerate(wanted):
        if not lines or left < width:
            lines.append([])
            left = room
        lines[-1].append(index)
        left -= width + _GAP
    return lines


class RunGrid(QWidget):
    """Rows of runs in their order. In a strip each has the room that it needs at least, and an equal share
    of what is left in its line. `lines_changed`: they take another number of lines.
    """

    lines_changed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._rows: list[GridRow] = []
        self._across, self._line, self.lines = False, 1, 1

    def set_rows(self, rows: Iterable[GridRow]) -> None:
        """Show these rows and no others."""
        self._rows = list(rows)
        for row in self._rows:
            row.setParent(self)
            row.show()
        self.place()

    def set_across(self, across: bool, line: int) -> None:
        """Arrange the rows in lines of this width in pixels, or one below the other."""
        self._across, self._line = across, line
        self.place()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.place()

    def event(self, event: QEvent) -> bool:
        """A row may have become higher or wider."""
        if event.type() == QEvent.Type.LayoutRequest:
            self.place()
        return super().event(event)

    def place(self) -> None:
        """Give each row its place."""
        if self._across:
            self._place_lines()
            return
        top = 0
        for row in self._rows:
            height = row.sizeHint().height()
            row.setGeometry(0, top, self.width(), height)
            top += height + _GAP
        self.setMinimumHeight(max(top - _GAP, 0))

    def _place_lines(self) -> None:
        wanted = [row.wanted for row in self._rows]
        lines = lines_of(wanted, self.width())
        for number, line in enumerate(lines):
            room = self.width() - _GAP * (len(line) - 1)
            spare = room - sum(wanted[index] for index in line)
            left = 0
            for place, index in enumerate(line):
                # Spare pixels are divided without a remainder: sums of whole parts, not parts of a sum.
                share = (place + 1) * spare // len(line) - place * spare // len(line)
                width = min(wanted[index] + share, self.width())
                self._rows[index].setGeometry(left, number * self._line, width, self._line)
                left += width + _GAP
        self.setMinimumHeight(len(lines) * self._line)
        # More or fewer lines change the height that the dock needs.
        if max(len(lines), 1) != self.lines:
            self.lines = max(len(lines), 1)
            self.lines_changed.emit()
