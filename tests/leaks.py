"""What a test may not leave behind: running threads, active timers, top-level widgets.

The check comes after pytest-qt has closed the test's widgets, and after all of the test's
fixtures. Only tests that use Qt are searched for what Qt owns; Qt is never imported here
before a test has done so.
"""

import gc
import os
import threading
import time
from collections.abc import Callable, Generator, Iterable
from typing import Any, NamedTuple
from weakref import WeakSet

import pytest

GRACE = float(os.environ.get("BATCHSCOPE_LEAK_GRACE", "20"))
"""Seconds for what is already ending to end: the import of a large module, on a busy machine."""

_failed = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Remember that a test failed: its traceback keeps objects alive, which is no leak."""
    report = yield
    item.stash[_failed] = item.stash.get(_failed, False) or report.failed
    return report


@pytest.fixture(autouse=True)
def no_leaks(request: pytest.FixtureRequest) -> Generator[None]:
    """Fail a test that leaves a thread, a timer or a widget behind; take them away all the same."""
    threads = set(threading.enumerate())
    uses_qt = "qapp" in request.fixturenames
    before = _qt_before() if uses_qt else None
    yield
    # All other fixtures are finished, but pytest would hold on to their values for a moment more.
    request.node.funcargs.clear()
    found = _after_grace(lambda: _threads(threads))
    if before:
        found += _qt_leaks(before)
    if found and not request.node.stash.get(_failed, False):
        pytest.fail("left behind: " + ", ".join(found), pytrace=False)


def _threads(known: set[threading.Thread]) -> list[str]:
    """Python threads that run and did not before; threads that Python only met are Qt's."""
    return [
        f"thread {thread.name}"
        for thread in threading.enumerate()
        if thread not in known and not isinstance(thread, threading._DummyThread)
    ]


class _Before(NamedTuple):
    """What Qt held before the test: addresses of top-level widgets, and busy threads of the shared pool."""

    widgets: set[int]
    busy: int
    owned: WeakSet[Any]
    """Timers, threads and pools."""


def _qt_before() -> _Before:
    """Look, and take all objects of today out of the collector's sight: it finds garbage sooner then."""
    from PySide6.QtCore import QThread, QThreadPool, QTimer
    from PySide6.QtWidgets import QApplication

    gc.collect()
    gc.freeze()
    widgets = set(_addresses(QApplication.topLevelWidgets()))
    owned = WeakSet(obj for kind in (QTimer, QThread, QThreadPool) for obj in _alive(kind))
    return _Before(widgets, QThreadPool.globalInstance().activeThreadCount(), owned)


def _qt_leaks(before: _Before) -> list[str]:
    from PySide6.QtCore import QCoreApplication, QEvent, QThread, QThreadPool, QTimer

    def new(kind: type) -> list[Any]:
        return [obj for obj in _alive(kind) if obj not in before.owned]

    def settle() -> None:
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
        QCoreApplication.processEvents()

    def threads() -> list[str]:
        settle()
        shared = QThreadPool.globalInstance()
        busy = shared.activeThreadCount() > before.busy
        busy |= any(pool.activeThreadCount() for pool in new(QThreadPool) if pool is not shared)
        running = [thread for thread in new(QThread) if thread.isRunning()]
        names = [f"QThread {thread.objectName() or type(thread).__name__}" for thread in running]
        return names + ["a QThreadPool's work"] * busy

    def others() -> tuple[list[Any], list[Any]]:
        settle()
        return [timer for timer in new(QTimer) if timer.isActive()], _widgets(before.widgets)

    found = _after_grace(threads)
    _stay()
    timers, widgets = others()
    if timers or widgets:
        # Perhaps garbage: objects and what is connected to their signals refer to each other.
        del timers, widgets
        gc.collect()
        timers, widgets = others()
    for timer in timers:
        found.append(f"active QTimer of {type(timer.parent()).__name__ if timer.parent() else 'nobody'}")
        timer.stop()
    for widget in widgets:
        shown = "visible" if widget.isVisible() else "hidden"
        found.append(f"{shown} top-level {type(widget).__name__} {widget.objectName()}".rstrip())
        widget.close()
        widget.deleteLater()
    settle()
    return found


def _stay() -> None:
    """Take back the quitting of the program, if the test had it quit.

    Qt remembers that for ever where the event loop had ended already: every further loop ends as soon as it
    begins, so that all later tests of the process would wait for events of which none is handled.
    """
    from PySide6.QtCore import QEventLoop, QTimer
    from PySide6.QtWidgets import QApplication

    loop = QEventLoop()
    QTimer.singleShot(0, loop.quit)
    if loop.exec() == -1:
        QTimer.singleShot(0, QApplication.exit)
        QApplication.exec()


def _widgets(known: set[int]) -> list[Any]:
    """New top-level widgets that are shown or belong to nobody. A hidden menu waits for its owner."""
    from PySide6.QtWidgets import QApplication, QMenu

    widgets = QApplication.topLevelWidgets()
    return [
        widget
        for widget, address in zip(widgets, _addresses(widgets), strict=True)
        if address not in known
        and (widget.isVisible() or (widget.parent() is None and not isinstance(widget, QMenu)))
    ]


def _addresses(widgets: Iterable[Any]) -> list[int]:
    from shiboken6 import Shiboken

    return [Shiboken.getCppPointer(widget)[0] for widget in widgets]


def _alive(kind: type) -> list[Any]:
    """Objects of a Qt class that Python made and whose C++ side still lives.

    Qt's binding lists them. `gc.get_objects` would list all objects: while it refers to a tuple that another
    thread is building, that thread cannot resize it and fails (CPython issue 15108).
    """
    from shiboken6 import Shiboken

    wrappers = Shiboken.getAllValidWrappers()
    # By type: isinstance would ask proxies for their class.
    return [obj for obj in wrappers if issubclass(type(obj), kind) and Shiboken.createdByPython(obj)]


def _after_grace(leaks: Callable[[], list[str]]) -> list[str]:
    """What is still there when the grace is over, looked at again and again until then."""
    deadline = time.monotonic() + GRACE
    while (found := leaks()) and time.monotonic() < deadline:
        time.sleep(0.01)
    return found
