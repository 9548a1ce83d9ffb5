"""Drags and clicks in a plot: a drag picks in a rectangle, moves the plot, or zooms to a rectangle."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from PySide6.QtCore import QObject, QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QRubberBand, QWidget

from views.data.scales import AxisRange
from views.plotting.menu import DRAGS, Drag
from views.plotting.widget_area import WidgetArea

_CLICK_PIXELS = 4
"""A press that moves less than this is a click."""

_OTHER: Mapping[Drag, Drag] = {"pick": "pick", "move": "zoom", "zoom": "move"}
"""What it does with ctrl."""

_MORE = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
"""Keys that add to what is picked."""


@dataclass
class _Press:
    """A pressed left button: the position, the visible part at that time, and the purpose."""

    position: QPointF
    area: WidgetArea
    drag: Drag
    drags: bool  # whether a drag from there does anything
    moved: bool = False


class PlotMouse(QObject):
    """The left button in the plot of `owner`.

    `range_wanted` carries the ranges of both scales that a drag moves or zooms to, `picked` a rectangle of
    pixels, `clicked` a position; both also whether ctrl or shift was held. `began` is sent when a press
    becomes a drag.
    """

    range_wanted = Signal(object, object)
    picked = Signal(QRectF, bool)
    clicked = Signal(QPointF, bool)
    began = Signal()

    def __init__(self, owner: QWidget, picks: bool) -> None:
        super().__init__(owner)
        self.drag: Drag = "pick" if picks else "move"
        self.drags = {drag: text for drag, text in DRAGS.items() if picks or drag != "pick"}
        self._press: _Press | None = None
        self._band = QRubberBand(QRubberBand.Shape.Rectangle, owner)

    @property
    def pressed(self) -> bool:
        """True while the button is held."""
        return self._press is not None

    def choose(self, drag: Drag) -> None:
        """Set what a drag without keys does."""
        self.drag = drag

    def press(self, event: QMouseEvent, area: WidgetArea, zoomable: bool) -> None:
        """Begin a click or drag, in a plot that shows `area`."""
        if event.button() == Qt.MouseButton.LeftButton:
            control = event.modifiers() & Qt.KeyboardModifier.ControlModifier
            drag = _OTHER[self.drag] if control else self.drag
            drags = drag == "pick" or (zoomable and area.rect.contains(event.position()))
            self._press = _Press(event.position(), area, drag, drags)

    def move(self, position: QPointF) -> None:
        """Go on with a drag to a position."""
        press = self._press
        if press is None or not press.drags:
            return
        if not press.moved:
            if (position - press.position).manhattanLength() < _CLICK_PIXELS:
                return
            press.moved = True
            self.began.emit()
        if press.drag != "move":
            self._band.setGeometry(QRect(press.position.toPoint(), position.toPoint()).normalized())
            self._band.show()
        else:
            area, origin = press.area, press.position
            right = area.x_at(origin.x()) - area.x_at(position.x())
            up = area.y_at(origin.y()) - area.y_at(position.y())
            x, y = (area.x[0] + right, area.x[1] + right), (area.y[0] + up, area.y[1] + up)
            self.range_wanted.emit(x, y)

    def release(self, event: QMouseEvent) -> None:
        """End a click or drag."""
        press = self._press
        if event.button() != Qt.MouseButton.LeftButton or press is None:
            return
        self.drop()
        more = bool(event.modifiers() & _MORE)
        if not press.moved:
            self.clicked.emit(press.position, more)
        elif press.drag == "zoom":
            self.range_wanted.emit(*_zoomed(press.area, press.position, event.position()))
        elif press.drag == "pick":
            self.picked.emit(QRectF(press.position, event.position()).normalized(), more)

    def drop(self) -> bool:
        """Cancel a drag; True if there was a drag."""
        press, self._press = self._press, None
        self._band.hide()
        return press is not None and press.moved


def _zoomed(area: WidgetArea, pressed: QPointF, released: QPointF) -> tuple[AxisRange, AxisRange]:
    """The rectangle between two positions; a flat one keeps what is seen in that direction."""
    wide, tall = (
        abs(released.x() - pressed.x()) >= _CLICK_PIXELS,
        abs(released.y() - pressed.y()) >= _CLICK_PIXELS,
    )
    left, right = sorted(area.x_at(p.x()) for p in (pressed, released))
    low, high = sorted(area.y_at(p.y()) for p in (pressed, released))
    return (left, right) if wide else area.x, (low, high) if tall else area.y
