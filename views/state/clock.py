"""The clock: the time window that all charts of a window share, and the visible part of their rows."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal

from views.raster.request import ALL_ROWS
from views.state.history import History

Window = tuple[float, float]
Part = tuple[float, float]

SHORTEST = 1.0
"""The narrowest window, in seconds: schedules are made of whole seconds."""

MARGIN = 0.05
"""How far past the bounds a window may reach on each side, as a share of their span."""

GESTURE_MS = 600
"""Wheel steps or key presses within this time of each other are a single step back."""


class Clock(QObject):
    """The visible time window [start, end], in seconds from the trace's zero.

    Every chart is drawn from it and sends changes to it. `changed` is sent once for each real change of the
    window. Windows are clamped: at least SHORTEST long, never past the bounds by more than MARGIN of their
    span. Charts with many rows show the same part of them, `rows`: shares of their height, from 0 (top) to 1.
    Earlier windows are kept, with their rows: `back` and `forward`; a continuous gesture (wheel steps in a
    row, a drag between `hold` and `release`) is a single step. `stepped` is sent for each new step. `hovered`
    carries the time under the mouse, or None.
    """

    changed, stepped = Signal(), Signal()
    bounds_changed = Signal()
    hovered = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bounds: Window = (0.0, 3600.0)
        self._window: Window = self._bounds
        self._rows: Part = ALL_ROWS
        self._wished: Window = self._bounds  # the window before it was clamped
        self._hover: float | None = None
        self._hover_shift = 0.0  # of the chart that has the mouse
        self._history: History[tuple[Window, Part]] = History()
        self._held = False
        self._in_gesture = False
        self._gesture_timer = QTimer(self, singleShot=True, interval=GESTURE_MS)
        self._gesture_timer.timeout.connect(self._end_gesture)

    @property
    def bounds(self) -> Window:
        """All there is to see: first submission to last end, in seconds."""
        return self._bounds

    @property
    def window(self) -> Window:
        """The visible window: (start, end) in seconds."""
        return self._window

    @property
    def start(self) -> float:
        """The left edge of the window."""
        return self.window[0]

    @property
    def end(self) -> float:
        """The right edge of the window."""
        return self.window[1]

    @property
    def span(self) -> float:
        """The length of the window, in seconds."""
        return self.end - self.start

    @property
    def rows(self) -> Part:
        """The visible part of the rows of charts that have many, as shares of their height."""
        return self._rows

    @property
    def hover(self) -> float | None:
        """The time under the mouse, in whichever chart it is."""
        return self._hover

    @property
    def pointed(self) -> float | None:
        """The time under the mouse in the chart that contains it, which may be shifted."""
        return self._hover + self._hover_shift if self._hover is not None else None

    @property
    def shift(self) -> float:
        """The seconds by which this clock is ahead of others: 0 except for a `ShiftedClock`."""
        return 0.0

    def reset(self, start: float, end: float) -> None:
        """Show all within new bounds, of another trace, with nothing to go back to."""
        self._history.clear()
        self._end_gesture()
        self._bounds = _ordered(start, end)
        self.bounds_changed.emit()
        self._show(self._bounds, ALL_ROWS)

    def set_bounds(self, start: float, end: float) -> None:
        """Change the bounds of the same trace: a window of all follows, any other stays.

        A window that was clamped to the old bounds is restored as far as the new bounds allow.
        """
        bounds = _ordered(start, end)
        if bounds == self._bounds:
            return
        # Whether all was shown is asked before the bounds change.
        showed_all = self._window == self._bounds
        self._bounds = bounds
        self.bounds_changed.emit()
        # The window that was wished for, not the clamped window: a run that ends later may allow it again.
        wished = bounds if showed_all else self._wished
        self._show(self._clamped(*wished), self._rows)
        self._wished = wished

    def set_window(self, start: float, end: float, rows: Part | None = None) -> None:
        """Show [start, end], clamped, and this part of the rows (default: the same as before)."""
        self._end_gesture()
        self._step(self._clamped(start, end), rows or self._rows)
        self._wished = (start, end)

    def show_day(self, time: float) -> None:
        """Bring a time into the middle of the window, or zoom to the day around it."""
        half = min(self.span, 86_400.0) / 2
        self.set_window(time - half, time + half)

    def move_to(self, start: float, end: float) -> None:
        """Show [start, end], clamped, as a step of a gesture: a drag is recorded once."""
        self._move(self._clamped(start, end), self._rows)

    def zoom(self, factor: float, at: float | None = None) -> None:
        """Make the window `factor` times as long, the time `at` (default: its middle) staying where it is."""
        at = (self.start + self.end) / 2 if at is None else at
        span = min(max(self.span * factor, SHORTEST), self._longest())
        # The time under the mouse keeps its share of the window, and so its pixel.
        share = (at - self.start) / self.span
        self._move(self._clamped(at - share * span, at + (1 - share) * span), self._rows)

    def pan(self, seconds: float, rows: float = 0.0) -> None:
        """Move the window towards later times by `seconds`, and down by a share of all rows."""
        low, high = self._rows
        # Rows stop at both ends, while the time goes on.
        down = min(max(rows, -low), 1.0 - high)
        self._move(self._clamped(self.start + seconds, self.end + seconds), (low + down, high + down))

    def zoom_rows(self, factor: float, at: float, least: float) -> None:
        """Show `factor` times as much of the rows, at least `least`; the share `at` stays in place."""
        low, high = self._rows
        size = min(max((high - low) * factor, least), 1.0)
        top = at - (at - low) / (high - low) * size
        self._move(self._window, _within(top, top + size))

    def fit(self) -> None:
        """Show all there is."""
        self.set_window(*self._bounds, ALL_ROWS)

    def fit_rows(self) -> None:
        """Show all rows."""
        self.set_window(*self._window, ALL_ROWS)

    def fit_range(self, start: float, end: float, margin: float = 0.05, rows: Part | None = None) -> None:
        """Show a range with a little room at either side, a share `margin` of it, and a part of the rows."""
        room = margin * max(end - start, SHORTEST)
        self.set_window(start - room, end + room, rows)

    def hold(self) -> None:
        """Begin a drag: all moves until `release` are a single step."""
        self._end_gesture()
        self._held = True

    def release(self) -> None:
        """End the drag."""
        self._held = False
        self._end_gesture()

    def back(self) -> None:
        """Show the window before the last step."""
        self._end_gesture()
        window, rows = self._history.back((self._window, self._rows))
        self._show(self._clamped(*window), rows)

    def forward(self) -> None:
        """Undo the last `back`."""
        self._end_gesture()
        window, rows = self._history.forward((self._window, self._rows))
        self._show(self._clamped(*window), rows)

    def forget_ahead(self) -> None:
        """Leave nothing for `forward`: something else was changed."""
        self._history.forget_ahead()

    def set_hover(self, time: float | None, shift: float = 0.0) -> None:
        """Send the position of the mouse to all charts, with the shift in seconds of the chart that contains
        it.
        """
        self._hover_shift = shift
        if time != self._hover:
            self._hover = time
            self.hovered.emit(time)

    def _move(self, window: Window, rows: Part) -> None:
        """Move by a step of a gesture, which is recorded once in the history."""
        # Only the first move of a gesture is remembered; the timer, or the end of the drag, ends it.
        self._step(window, rows, remember=not self._in_gesture)
        self._in_gesture = True
        if not self._held:
            self._gesture_timer.start()

    def _end_gesture(self) -> None:
        self._in_gesture = False
        self._gesture_timer.stop()

    def _step(self, window: Window, rows: Part, remember: bool = True) -> None:
        if (window, rows) != (self._window, self._rows) and remember:
            self._history.push((self._window, self._rows))
            self.stepped.emit()
        self._show(window, rows)

    def _show(self, window: Window, rows: Part) -> None:
        self._wished = window
        if (window, rows) != (self._window, self._rows):
            self._window, self._rows = window, rows
            self.changed.emit()

    def _longest(self) -> float:
        return (self._bounds[1] - self._bounds[0]) * (1 + 2 * MARGIN)

    def _clamped(self, start: float, end: float) -> Window:
        """The nearest allowed window: as long as wished where possible, then moved inside the limits."""
        # A drag from right to left gives the ends in the other order.
        start, end = min(start, end), max(start, end)
        span = min(max(end - start, SHORTEST), self._longest())
        room = MARGIN * (self._bounds[1] - self._bounds[0])
        # A length that is not allowed is changed around the middle.
        if span != end - start:
            start = (start + end - span) / 2
            end = start + span
        if start < self._bounds[0] - room:
            start, end = self._bounds[0] - room, self._bounds[0] - room + span
        elif end > self._bounds[1] + room:
            start, end = self._bounds[1] + room - span, self._bounds[1] + room
        return float(start), float(end)  # charts compile no code for whole seconds


def _ordered(start: float, end: float) -> Window:
    return float(start), float(max(end, start + SHORTEST))


def _within(top: float, bottom: float) -> Part:
    """A part of the rows, moved to lie within 0..1."""
    # Only one of both can differ from zero, as a part is no taller than all rows.
    down = max(-top, 0.0) + min(1.0 - bottom, 0.0)
    return max(top + down, 0.0), min(bottom + down, 1.0)
