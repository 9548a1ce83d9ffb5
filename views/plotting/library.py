"""Loading pyqtgraph behind the window's back: after it is first seen, and without holding it up.

It takes 240 ms. Half of that makes every class of Qt: that is done some classes at a time in the thread of
the window, since PySide makes a class when it is first needed, and where two threads need it at once one
finds it half made. The rest is done in another thread.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Hashable, Iterator

from PySide6 import QtCore, QtGui, QtWidgets

from views.work.idle_queue import LOW, IdleQueue

_PIECE_S = 0.004
"""How long classes are made at a time."""


def _names() -> Iterator[tuple[object, str]]:
    for module in (QtCore, QtGui, QtWidgets):
        for name in dir(module):
            yield module, name


_unmade = _names()  # of the process: so are the classes


def is_loaded() -> bool:
    """Whether plots can be shown at once."""
    return "views.plotting.canvas" in sys.modules


def make_classes(queue: IdleQueue, key: Hashable, then: Callable[[], None]) -> None:
    """Make all classes of Qt, a few in each piece of work, then go on with `then`."""

    def work() -> None:
        ends = time.perf_counter() + _PIECE_S
        for module, name in _unmade:
            getattr(module, name)
            if time.perf_counter() > ends:
                queue.add(key, work, lambda: LOW)
                return
        then()

    queue.add(key, work, lambda: LOW)


def load() -> bool:
    """Import pyqtgraph and set it up; in any thread, as soon as all classes of Qt are made."""
    hooks = sys.excepthook, threading.excepthook
    import pyqtgraph

    sys.excepthook, threading.excepthook = (
        hooks  # its own would swallow what is raised in a handler of theirs
    )
    pyqtgraph.setConfigOptions(antialias=True, useOpenGL=False, exitCleanup=False)
    import views.plotting.canvas  # noqa: F401

    return True
