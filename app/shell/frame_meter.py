"""How smoothly the window runs: the longest time that its thread was held, seen while it is asked for."""

from __future__ import annotations

import time
from collections import deque

from PySide6.QtCore import QObject, QTimer, Signal

_TICK_MS, _TELL_MS = 5, 500
_LOOK_BACK_S = 2.0


class FrameMeter(QObject):
    """Meter of the longest time that the GUI thread was held within the last two seconds, by a timer of 5 ms.

    `told` carries milliseconds, twice a second. It costs a little, so it is off until `run`.
    """

    told = Signal(float)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._gaps: deque[tuple[float, float]] = deque()  # when, how long; s
        self._last = 0.0
        self._tick = QTimer(self, interval=_TICK_MS)
        self._tick.timeout.connect(self._measure)
        self._tell = QTimer(self, interval=_TELL_MS)
        self._tell.timeout.connect(lambda: self.told.emit(self.longest_ms))

    @property
    def longest_ms(self) -> float:
        """The longest gap of late, beyond the timer's own."""
        longest = max((gap for _, gap in self._gaps), default=0.0)
        return max(0.0, longest * 1000 - _TICK_MS)

    def run(self, on: bool) -> None:
        """Start or stop measuring."""
        self._gaps.clear()
        self._last = time.monotonic()
        for timer in (self._tick, self._tell):
            timer.start() if on else timer.stop()

    def _measure(self) -> None:
        now = time.monotonic()
        self._gaps.append((now, now - self._last))
        self._last = now
        while now - self._gaps[0][0] > _LOOK_BACK_S:
            self._gaps.popleft()
