"""Threads that work for the window and give way to it."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable

from PySide6 import QtCore, QtGui
from PySide6.QtCore import QObject, QThreadPool, QTimer

_MADE = (
    QtCore.QByteArray,
    QtCore.QLine,
    QtGui.QFontInfo,
    QtGui.QFontMetrics,
    QtGui.QGlyphRun,
    QtGui.QPainterPath,
    QtGui.QPicture,
    QtGui.QPolygon,
    QtGui.QRegion,
    QtGui.QRgba64,
    QtGui.QStaticText,
    QtGui.QTextItem,
    QtGui.QTextOption,
)
"""What painters ask for beside the classes that charts import. PySide makes a class of Qt when it is first
needed: where two threads need it at once, one finds it half made."""


def stand_back(nice: int) -> None:
    """Let this thread wait where the window's needs its processor; only Linux knows that of threads."""
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), nice)


class Crew(QObject):
    """A pool of threads that begin work as soon as the window has painted what it is at.

    The thread that asks for work is about to paint: the interpreter that both need would go to and fro.
    """

    def __init__(self, threads: int, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._pool = QThreadPool(self)
        self._pool.setMaxThreadCount(threads)
        self._waiting: list[tuple[Callable[[], None], int]] = []
        self._timer = QTimer(self, singleShot=True, interval=0)
        self._timer.timeout.connect(self._begin)

    def start(self, work: Callable[[], None], priority: int = 0) -> None:
        """Have `work` done soon: after what was asked for before, but for what has a lower priority."""
        self._waiting.append((work, priority))
        self._timer.start()

    def shutdown(self, timeout_ms: int) -> bool:
        """Begin nothing more and wait for what is under way; whether it ended in time."""
        self._waiting.clear()
        self._pool.clear()
        return self._pool.waitForDone(timeout_ms)

    def _begin(self) -> None:
        waiting, self._waiting = self._waiting, []
        for work, priority in waiting:
            self._pool.start(work, priority)
