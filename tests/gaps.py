"""How long the thread of the window is held."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import Qt, QTimer

TICK_MS = 5


@contextmanager
def gaps() -> Iterator[list[float]]:
    """The times between the ticks of a timer, in seconds: for so long nothing else had its turn."""
    found: list[float] = []
    last = time.perf_counter()

    # Each tick needs the thread: the time between two is how long it was taken by something else.
    def tick() -> None:
        nonlocal last
        now = time.perf_counter()
        found.append(now - last)
        last = now

    timer = QTimer()
    timer.setTimerType(Qt.TimerType.PreciseTimer)
    timer.timeout.connect(tick)
    timer.start(TICK_MS)
    yield found
    timer.stop()
