"""Loads pyqtgraph in the background, after the window is shown, without blocking it.

It takes 240 ms. Half of that creates the classes of Qt: this is done a few classes at a time in the GUI
thread, because PySide creates a class on first use, and if two threads use it at once a thread may find it
half made. The rest runs in another thread.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator

from PySide6 import QtCore, QtGui, QtWidgets
from PySide6.QtCore import QObject, Signal
from shiboken6 import isValid

from views.state.context import ViewContext
from views.work.async_memo import AsyncMemo
from views.work.idle_queue import LOW

_PIECE_S = 0.004
"""How long classes are made at a time."""


def _names() -> Iterator[tuple[object, str]]:
    for module in (QtCore, QtGui, QtWidgets):
        for name in dir(module):
            yield module, name


_unmade = _names()  # of the process: so are the classes


def is_loaded() -> bool:
    """True if plots can be shown without waiting."""
    return "views.plotting.clock_canvas" in sys.modules


class PyqtgraphLoader(QObject):
    """The loading of pyqtgraph, which a widget with a plot waits for; `loaded` is sent when it is done."""

    loaded = Signal()

    def __init__(self, context: ViewContext, parent: QObject) -> None:
        super().__init__(parent)
        self._queue = context.idle_queue
        self._memo: AsyncMemo[bool] = AsyncMemo(context.executor, "plots", self)
        self._memo.ready.connect(self.loaded)

    def request(self) -> None:
        """Load it soon, unless that has begun."""
        self._queue.add(self, self._make_classes, lambda: LOW)

    def _make_classes(self) -> None:
        """Make some classes of Qt, and so on until all are made; then load the rest."""
        ends = time.perf_counter() + _PIECE_S
        for module, name in _unmade:
            getattr(module, name)
            if time.perf_counter() > ends:
                self.request()
                return
        if isValid(self):
            self._memo.request(True, load)


def load() -> bool:
    """Import pyqtgraph and set it up; in any thread, as soon as all classes of Qt are made."""
    hooks = sys.excepthook, threading.excepthook
    import pyqtgraph

    sys.excepthook, threading.excepthook = hooks  # it puts its own in their place
    pyqtgraph.setConfigOptions(antialias=True, useOpenGL=False, exitCleanup=False)
    import views.plotting.canvas
    import views.plotting.clock_canvas  # noqa: F401

    return True
