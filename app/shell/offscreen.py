"""A window without a hand on it: waited for until all is drawn, and saved as a picture."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEventLoop, QTimer
from PySide6.QtWidgets import QWidget

from engine.atomic import write_atomically
from engine.errors import InputError

_STILL_ROUNDS = 8
_OVERDUE_MS = 1000
_PULSE_MS = 5
"""Interval for checking the time limit while no event occurs."""


def wait_until_still(
    busy: Callable[[], bool],
    failure: Callable[[], str],
    timeout_s: float,
    paint: Callable[[], object] = lambda: None,
) -> None:
    """Let the event loop run until nothing is `busy` any more.

    It does not wait for events that a display has yet to send. `paint` is called each second, to paint what
    was to be painted long ago. Raises InputError with the text of a `failure`, TimeoutError where it takes
    longer than `timeout_s`.
    """
    deadline = time.monotonic() + timeout_s
    # Now and then, under load, Qt forgets that a window without a display asked to be painted: further
    # requests do nothing then, and only to paint at once ends it.
    overdue = QTimer(interval=_OVERDUE_MS)
    overdue.timeout.connect(paint)
    overdue.start()
    pulse = QTimer(interval=_PULSE_MS)  # else it would wait for an event for ever
    pulse.start()
    rounds = 0  # without pending work; a chart requests its picture only when it is painted
    events = QEventLoop.ProcessEventsFlag
    flags = events.AllEvents
    try:
        while rounds < _STILL_ROUNDS:
            QCoreApplication.processEvents(flags)
            QCoreApplication.sendPostedEvents(None, 0)
            if failure():
                raise InputError(failure())
            if time.monotonic() > deadline:
                raise TimeoutError("the window was not drawn in time")
            working = busy()
            rounds = 0 if working else rounds + 1
            flags = events.WaitForMoreEvents if working else events.AllEvents
    finally:
        pulse.stop()
        overdue.stop()


def save_picture(widget: QWidget, path: Path) -> None:
    """Write a widget as it is seen. Raises OSError where that can't be."""
    picture = widget.grab()

    def fill(part: Path) -> None:
        if not picture.save(str(part)):
            raise OSError(f"{path}: cannot write this picture")

    write_atomically(path, fill)
