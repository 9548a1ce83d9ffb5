"""Mouse and keys in a chart of time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QObject, QPointF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QWheelEvent

from views.raster.time_scale import TimeScale
from views.state.clock import Clock
from views.state.selection import SelectionModel

WHEEL_STEP = 0.8
"""The window after a notch of the wheel, as a share of the window before."""

FINE_STEP = 0.95
PAN_STEP = 0.15
UPRIGHT_PIXELS = 16.0
"""A drag that zooms means a part of the rows too if it is at least this tall."""

CLICK_PIXELS = 4.0
"""A press that moves less than this is a click."""

_Key = Qt.Key
_ZOOM_KEYS: dict[int, float] = {
    **dict.fromkeys((_Key.Key_W, _Key.Key_Up, _Key.Key_Plus), WHEEL_STEP),
    **dict.fromkeys((_Key.Key_S, _Key.Key_Down, _Key.Key_Minus), 1 / WHEEL_STEP),
}
_PAN_KEYS: dict[int, float] = {
    **dict.fromkeys((_Key.Key_A, _Key.Key_Left), -PAN_STEP),
    **dict.fromkeys((_Key.Key_D, _Key.Key_Right), PAN_STEP),
}
LETTERS = (_Key.Key_W, _Key.Key_A, _Key.Key_S, _Key.Key_D, _Key.Key_F)
"""Keys that would be typed elsewhere."""

_PAGE_KEYS: dict[int, float] = {_Key.Key_PageUp: -0.8, _Key.Key_PageDown: 0.8}


@dataclass
class Drag:
    """A drag in progress: its purpose, its start position, and the time at that position."""

    kind: Literal["pan", "select", "zoom"]
    origin: QPointF
    time: float
    row: float  # as a share of all rows
    moved: bool = False


class Gestures(QObject):
    """Turns events of a chart into changes of the clock and of the selection.

    Wheel zooms at the pointer (ctrl: finely; shift: moves; alt, or beside the plot: the rows);
    a drag moves, with shift it selects a time range, with ctrl it zooms into one, or into a
    rectangle of time and rows. W A S D and the arrows move and zoom, F fits what is selected,
    Home all; Backspace and Alt+Left go back, Alt+Right forward; Esc drops the drag, else the
    selection. `clicked` carries the position, and whether ctrl was held.

    `rows` maps a position in pixels to a share of all rows, and `least` is the smallest part of them that may
    be shown; charts without zoomable rows omit both.
    """

    clicked = Signal(QPointF, bool)
    double_clicked = Signal(QPointF)
    fit_selection = Signal()
    dragged = Signal()

    def __init__(
        self, clock: Clock, selection: SelectionModel, scale: Callable[[], TimeScale], parent: QObject
    ) -> None:
        super().__init__(parent)
        self._clock, self._selection, self._scale = clock, selection, scale
        self.rows: Callable[[float], float] | None = None
        self.least: Callable[[], float] = lambda: 1.0
        self.snap: Callable[[float], float] = lambda time: time  # of the ends of a range that is selected
        self._drag: Drag | None = None
        self._range: tuple[float, float] | None = None
        self._part: tuple[float, float] | None = None

    @property
    def dragging(self) -> bool:
        """True if a button is held and the mouse has moved."""
        return self._drag is not None and self._drag.moved

    @property
    def range(self) -> tuple[float, float] | None:
        """The time range that is being drawn, in seconds."""
        return self._range

    @property
    def part(self) -> tuple[float, float] | None:
        """The part of the rows that is being drawn, as shares; None: all that are shown."""
        return self._part

    def wheel(self, event: QWheelEvent) -> None:
        """Zoom at the pointer, or move."""
        delta = event.angleDelta()
        sideways = abs(delta.x()) > abs(delta.y())
        # 120 is Qt's angle of a notch; a touchpad sends parts of it, which the powers below take as they are.
        notches = (delta.x() if sideways else delta.y()) / 120
        if not notches:
            return
        if self.rows is not None and self._means_rows(event):
            self._wheel_rows(event, (delta.y() or delta.x()) / 120)
        elif sideways or event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self._clock.pan(-notches * PAN_STEP * self._clock.span)
        else:
            fine = event.modifiers() & Qt.KeyboardModifier.ControlModifier
            factor = FINE_STEP if fine else WHEEL_STEP
            self._clock.zoom(factor**notches, self._scale().time(event.position().x()))
        event.accept()

    def _means_rows(self, event: QWheelEvent) -> bool:
        """True if alt is held (some systems then report a sideways turn), or the mouse is beside the plot."""
        alt = event.modifiers() & Qt.KeyboardModifier.AltModifier
        return bool(alt) or event.position().x() < self._scale().left

    def _wheel_rows(self, event: QWheelEvent, notches: float) -> None:
        assert self.rows is not None
        low, high = self._clock.rows
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self._clock.pan(0.0, -notches * PAN_STEP * (high - low))
        else:
            self._clock.zoom_rows(WHEEL_STEP**notches, self.rows(event.position().y()), self.least())

    def press(self, event: QMouseEvent) -> None:
        """Begin what may become a drag."""
        shift = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
        control = event.modifiers() & Qt.KeyboardModifier.ControlModifier
        if event.button() == Qt.MouseButton.LeftButton:
            kind: Literal["pan", "select", "zoom"] = "select" if shift else "zoom" if control else "pan"
        elif event.button() == Qt.MouseButton.MiddleButton:
            kind = "pan"
        else:
            return
        time, row = self._time_and_row(event.position())
        if kind != "pan":
            # Beside the plot, at the names of the rows, a range begins at its edge.
            time, row = _within(time, self._clock.window), _within(row, self._clock.rows)
        self._drag = Drag(kind, event.position(), time, row)

    def _time_and_row(self, position: QPointF) -> tuple[float, float]:
        """Time and share of the rows at a position."""
        return self._scale().time(position.x()), self.rows(position.y()) if self.rows else 0.0

    def move(self, event: QMouseEvent) -> None:
        """Move the window with the hand, or grow the range."""
        drag = self._drag
        if drag is None:
            return
        # A press becomes a drag after some pixels: a hand that shakes in a click must not move the window.
        if not drag.moved:
            if (event.position() - drag.origin).manhattanLength() < CLICK_PIXELS:
                return
            drag.moved = True
            if drag.kind == "pan":
                # All moves of a drag are a single step for Back, which leads to where the drag began.
                self._clock.hold()
        time, row = self._time_and_row(event.position())
        if drag.kind == "pan":
            # The point that was taken stays under the mouse: the clock moves by what separates them now.
            self._clock.pan(drag.time - time, drag.row - row)
        else:
            self._range = self._range_of(drag, _within(time, self._clock.window))
            upright = abs(event.position().y() - drag.origin.y()) >= UPRIGHT_PIXELS
            zooms_rows = self.rows is not None and drag.kind == "zoom" and upright
            self._part = _ordered(drag.row, _within(row, self._clock.rows)) if zooms_rows else None
        self.dragged.emit()

    def _range_of(self, drag: Drag, time: float) -> tuple[float, float]:
        """The range of a drag that has come to a time in view.

        Its start keeps its time where the wheel has moved it out of view. What is selected is within the
        bounds of the clock, beyond which a window shows some time in which there are no jobs.
        """
        if drag.kind == "zoom":
            return _ordered(drag.time, time)
        bounds = self._clock.bounds
        return _ordered(_within(self.snap(drag.time), bounds), _within(self.snap(time), bounds))

    def release(self, event: QMouseEvent) -> None:
        """A range is taken over; a press that did not move was a click."""
        # Cleared before anything is sent: whoever handles the signal must not see the drag as going on.
        drag, chosen, part = self._drag, self._range, self._part
        self.cancel()
        if drag is None:
            return
        if not drag.moved:
            if event.button() == Qt.MouseButton.LeftButton:
                self.clicked.emit(event.position(), drag.kind != "pan")
        elif chosen is not None and drag.kind == "select" and chosen[0] < chosen[1]:
            self._selection.select_time_range(*chosen)
        elif chosen is not None and drag.kind == "zoom":
            self._clock.set_window(*chosen, widened(part, self.least()) if part else None)

    def cancel(self) -> bool:
        """Cancel the drag; True if there was a drag."""
        drag, self._drag, self._range, self._part = self._drag, None, None, None
        if drag is None:
            return False
        # A pan that moved was held as a step of the history; it has to be released whichever way it ends.
        if drag.kind == "pan" and drag.moved:
            self._clock.release()
        self.dragged.emit()
        return drag.moved

    def double_click(self, event: QMouseEvent) -> None:
        """Zoom to the item under the mouse."""
        if event.button() == Qt.MouseButton.LeftButton:
            self.double_clicked.emit(event.position())

    def key(self, event: QKeyEvent) -> bool:
        """Handle a key; True if the key has a meaning here."""
        key = event.key()
        # Digits and signs of the keypad mean the same as those of the keyboard.
        modifiers = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if modifiers == Qt.KeyboardModifier.AltModifier:
            if key in _ZOOM_KEYS and self.rows is not None:
                self._clock.zoom_rows(_ZOOM_KEYS[key], sum(self._clock.rows) / 2, self.least())
                return True
            return False
        # Ctrl and Meta belong to the shortcuts of the window.
        if modifiers & ~Qt.KeyboardModifier.ShiftModifier:
            return False
        return self._plain_key(key)

    def _plain_key(self, key: int) -> bool:
        if key in _ZOOM_KEYS:
            self._clock.zoom(_ZOOM_KEYS[key], self._clock.hover)
        elif key in _PAN_KEYS:
            self._clock.pan(_PAN_KEYS[key] * self._clock.span)
        elif key in _PAGE_KEYS and self.rows is not None:
            low, high = self._clock.rows
            self._clock.pan(0.0, _PAGE_KEYS[key] * (high - low))
        elif key == _Key.Key_F:
            self.fit_selection.emit()
        elif key == _Key.Key_Home:
            self._clock.fit()
        elif key == _Key.Key_Backspace:
            self._clock.back()
        elif key == _Key.Key_Escape:
            if not self.cancel():
                if self._selection.value.empty:
                    return False  # the window has something else to leave
                self._selection.clear()
        else:
            return False
        return True


def _within(value: float, limits: tuple[float, float]) -> float:
    """The value, or the limit that it lies beyond."""
    return max(limits[0], min(value, limits[1]))


def _ordered(value: float, other: float) -> tuple[float, float]:
    """Both values, the smaller first."""
    return min(value, other), max(value, other)


def widened(part: tuple[float, float], least: float) -> tuple[float, float]:
    """The part of the rows, made at least so large around its middle, within 0..1."""
    # Growth around the middle may reach beyond all rows; the part then moves back inside.
    size = min(max(part[1] - part[0], least), 1.0)
    top = min(max((sum(part) - size) / 2, 0.0), 1.0 - size)
    return top, top + size
