"""A row of widgets that goes on in another line where the window is too narrow."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QEvent, QRect, QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from views.widgets.elided_label import ElidedLabel

_STRETCHED = 160
"""Pixels that a stretched widget needs at most; it takes what its line has left."""


class _Part(NamedTuple):
    """A widget of a line and its size, in pixels."""

    widget: QWidget
    stretched: bool
    width: int
    height: int


class WrappedRow(QWidget):
    """Row of widgets, each as wide as it likes, in as many lines as they need; its height follows.

    The height is set as soon as the width is known, so that layouts around it need not ask for a height
    by a width: scroll areas would then give all plots their preferred heights.
    """

    def __init__(self, parent: QWidget | None = None, gap: int = 4) -> None:
        super().__init__(parent)
        self._gap = gap
        self._parts: list[tuple[QWidget, bool]] = []

    def add(self, *widgets: QWidget, stretched: bool = False) -> None:
        """Append widgets; `stretched` ones take the room that their line has left."""
        for widget in widgets:
            widget.setParent(self)
            self._parts.append((widget, stretched))
        self._arrange()

    def sizeHint(self) -> QSize:
        wide = sum(self._wanted(*part) + self._gap for part in self._shown) - self._gap
        sides = self.contentsMargins().left() + self.contentsMargins().right()
        return QSize(max(wide, 0) + sides, self.height())

    def minimumSizeHint(self) -> QSize:
        """As wide as the widest of its widgets at the least."""
        least = [(part.minimumSizeHint().width(), stretched) for part, stretched in self._shown]
        wide = max((min(width, _STRETCHED) if stretched else width for width, stretched in least), default=0)
        sides = self.contentsMargins().left() + self.contentsMargins().right()
        return QSize(wide + sides, self.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def event(self, event: QEvent) -> bool:
        """Arrange the widgets anew when one of them changes."""
        if event.type() in (QEvent.Type.LayoutRequest, QEvent.Type.Show):
            self._arrange()
            self.updateGeometry()
        return super().event(event)

    @property
    def _shown(self) -> list[tuple[QWidget, bool]]:
        return [part for part in self._parts if not part[0].isHidden()]

    def _wanted(self, widget: QWidget, stretched: bool, room: int = 0) -> int:
        """The width that a widget needs; a label goes on in a line of its own if all its words fit there."""
        wide = _wanted(widget).width()
        if not stretched:
            return wide
        if isinstance(widget, ElidedLabel) and widget.wanted <= room:
            return widget.wanted
        return max(min(wide, _STRETCHED), widget.minimumWidth())

    def _lines(self, room: int) -> list[list[_Part]]:
        lines: list[list[_Part]] = [[]]
        taken = 0
        for widget, stretched in self._shown:
            size = _wanted(widget)
            wide = self._wanted(widget, stretched, room)
            if lines[-1] and taken + wide > room:
                lines.append([])
                taken = 0
            lines[-1].append(_Part(widget, stretched, wide, size.height()))
            taken += wide + self._gap
        return lines

    def _arrange(self) -> None:
        """Place the widgets from the upper left, and be as high as they are."""
        margins = self.contentsMargins()
        room, y = self.rect().marginsRemoved(margins), margins.top()
        for line in self._lines(room.width()):
            tall = max((part.height for part in line), default=0)
            wide = [min(part.width, room.width()) for part in line]
            left = room.width() - sum(wide) - self._gap * (len(line) - 1)
            x = room.x()
            for k, part in enumerate(line):
                if part.stretched:
                    wide[k] += max(left, 0) // sum(other.stretched for other in line)
                part.widget.setGeometry(QRect(x, y + (tall - part.height) // 2, wide[k], part.height))
                x += wide[k] + self._gap
            y += tall + self._gap
        height = max(y - self._gap, margins.top()) + margins.bottom()
        if height != self.minimumHeight() or height != self.maximumHeight():
            self.setFixedHeight(height)


def _wanted(widget: QWidget) -> QSize:
    return widget.sizeHint().expandedTo(widget.minimumSize()).boundedTo(widget.maximumSize())
