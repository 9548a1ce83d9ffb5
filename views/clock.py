"""The one visible time window, which all charts share."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal

from views.history import History

Window = tuple[float, float]

SHORTEST = 1.0
"""The narrowest window, in seconds: schedules are made of whole seconds."""

MARGIN = 0.05
"""How far past the bounds a window may reach on each side, as a share of their span."""

GESTURE_MS = 600
"""Wheel steps or key presses that follow one another within this time are one step back."""


class Clock(QObject):
    """The visible time window [start, end], in seconds from the trace's zero.

    Every chart is drawn from it and asks it for changes. `changed` is sent once for each
    real change of the window. Windows are clamped: at least SHORTEST long, never past the
    bounds by more than MARGIN of their span. Earlier windows are kept: `back` and
    `forward`; a continuous gesture (wheel steps in a row, a drag between `hold` and
    `release`) is one step. `hovered` carries the time under the mouse, or None.
    """

    changed = Signal()
    bounds_changed = Signal()
    hovered = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bounds: Window = (0.0, 3600.0)
        self._window: Window = self._bounds
        self._hover: float | None = None
        self._history: History[Window] = History()
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
        """What is visible: (start, end) in seconds."""
        return self._window

    @property
    def start(self) -> float:
        """The left edge of the window."""
        return self._window[0]

    @property
    def end(self) -> float:
        """The right edge of the window."""
        return self._window[1]

    @property
    def span(self) -> float:
        """The length of the window, in seconds."""
        return self._window[1] - self._window[0]

    @property
    def hover(self) -> float | None:
        """The time under the mouse, in whichever chart it is."""
        return self._hover

    def reset(self, start: float, end: float) -> None:
        """Another trace is shown: new bounds, all of them visible, nothing to go back to."""
        self._history.clear()
        self._end_gesture()
        self._bounds = _ordered(start, end)
        self.bounds_changed.emit()
        self._show(self._bounds)

    def set_bounds(self, start: float, end: float) -> None:
        """The same trace reaches further or less far: a window of all follows, any other stays."""
        bounds = _ordered(start, end)
        if bounds == self._bounds:
            return
        showed_all = self._window == self._bounds
        self._bounds = bounds
        self.bounds_changed.emit()
        self._show(bounds if showed_all else self._clamped(*self._window))

    def set_window(self, start: float, end: float) -> None:
        """Show [start, end], clamped."""
        self._end_gesture()
        self._step(self._clamped(start, end))

    def zoom(self, factor: float, at: float | None = None) -> None:
        """Make the window `factor` times as long, the time `at` (default: its middle) staying in place."""
        at = (self.start + self.end) / 2 if at is None else at
        span = min(max(self.span * factor, SHORTEST), self._longest())
        share = (at - self.start) / self.span
        self._move(self._clamped(at - share * span, at + (1 - share) * span))

    def pan(self, seconds: float) -> None:
        """Move the window towards later times by `seconds`."""
        self._move(self._clamped(self.start + seconds, self.end + seconds))

    def fit(self) -> None:
        """Show all there is."""
        self.set_window(*self._bounds)

    def fit_range(self, start: float, end: float, margin: float = 0.05) -> None:
        """Show a range with a little room at either side, a share `margin` of it."""
        room = margin * max(end - start, SHORTEST)
        self.set_window(start - room, end + room)

    def hold(self) -> None:
        """A drag begins: all moves until `release` are one step."""
        self._end_gesture()
        self._held = True

    def release(self) -> None:
        """The drag has ended."""
        self._held = False
        self._end_gesture()

    @property
    def can_back(self) -> bool:
        """Whether there is an earlier window."""
        return self._history.can_back

    @property
    def can_forward(self) -> bool:
        """Whether there is a window that `back` left."""
        return self._history.can_forward

    def back(self) -> None:
        """Show the window before the last step."""
        self._end_gesture()
        self._show(self._clamped(*self._history.back(self._window)))

    def forward(self) -> None:
        """Undo the last `back`."""
        self._end_gesture()
        self._show(self._clamped(*self._history.forward(self._window)))

    def set_hover(self, time: float | None) -> None:
        """Tell all charts where the mouse is."""
        if time != self._hover:
            self._hover = time
            self.hovered.emit(time)

    def _move(self, window: Window) -> None:
        """A step of a gesture: only its first one is kept to go back to."""
        self._step(window, remember=not self._in_gesture)
        self._in_gesture = True
        if not self._held:
            self._gesture_timer.start()

    def _end_gesture(self) -> None:
        self._in_gesture = False
        self._gesture_timer.stop()

    def _step(self, window: Window, remember: bool = True) -> None:
        if window != self._window and remember:
            self._history.push(self._window)
        self._show(window)

    def _show(self, window: Window) -> None:
        if window != self._window:
            self._window = window
            self.changed.emit()

    def _longest(self) -> float:
        return (self._bounds[1] - self._bounds[0]) * (1 + 2 * MARGIN)

    def _clamped(self, start: float, end: float) -> Window:
        """The nearest allowed window: as long as wished where possible, then moved inside the limits."""
        start, end = min(start, end), max(start, end)
        span = min(max(end - start, SHORTEST), self._longest())
        room = MARGIN * (self._bounds[1] - self._bounds[0])
        if span != end - start:
            start = (start + end - span) / 2
            end = start + span
        if start < self._bounds[0] - room:
            start, end = self._bounds[0] - room, self._bounds[0] - room + span
        elif end > self._bounds[1] + room:
            start, end = self._bounds[1] + room - span, self._bounds[1] + room
        return start, end


def _ordered(start: float, end: float) -> Window:
    return float(start), float(max(end, start + SHORTEST))
