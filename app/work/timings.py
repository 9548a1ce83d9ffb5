"""Timings for developers: with BATCHSCOPE_TIMINGS=1 a window writes them to standard error.

A line is written for each task of a thread, by its key (a frame of a chart is such a task), with the time
that it waited for a thread and the time that it ran, and for each gap in which the GUI thread answered
nothing.
"""

from __future__ import annotations

import logging
import os
import sys
import time

from PySide6.QtCore import QObject, Qt, QTimer

from views.work.executor import TIMINGS

_SWITCH = "BATCHSCOPE_TIMINGS"
_TICK_MS = 5
_LONG_GAP_S = 0.05
"""A gap that a user may feel."""


def show_timings(parent: QObject) -> bool:
    """Write timings while `parent` lives, if the environment asks for them; returns whether it does."""
    if os.environ.get(_SWITCH, "0") in ("", "0"):
        return False
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(relativeCreated)8.0f ms  %(message)s"))
    logger = logging.getLogger(TIMINGS)
    logger.handlers = [handler]
    logger.setLevel(logging.DEBUG)
    logger.propagate = False
    _GapTimer(parent).start(_TICK_MS)
    return True


class _GapTimer(QTimer):
    """A timer of the GUI thread that logs how late it is."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent, timerType=Qt.TimerType.PreciseTimer)
        self._last = time.perf_counter()
        self.timeout.connect(self._look)

    def _look(self) -> None:
        now = time.perf_counter()
        if now - self._last > _LONG_GAP_S:
            logging.getLogger(TIMINGS).debug("GUI thread: no answer for %.0f ms", 1000 * (now - self._last))
        self._last = now
