"""The log of a program with windows, and a watchdog that notes in it when these answered nothing for long."""

from __future__ import annotations

import faulthandler
import logging
import tempfile
import time
from contextlib import suppress
from logging.handlers import RotatingFileHandler
from pathlib import Path

from platformdirs import user_state_path
from PySide6.QtCore import QObject, QTimer

LONGEST_S = 1.0
"""A window that answers nothing for longer is noted."""

_BEAT_MS = 250
_LOG_BYTES, _LOG_FILES = 256_000, 3
_MOST_STACK = 8000
LOGGER = "batchscope.window"


def log_path() -> Path:
    """The log of this user's windows; older parts of it lie beside it."""
    return user_state_path("batchscope") / "batchscope.log"


class _Log(RotatingFileHandler):
    """A log that is given up if it cannot be written: a full disk is reported elsewhere."""

    def handleError(self, record: logging.LogRecord) -> None:
        """Say nothing."""


def start_log() -> list[logging.Handler]:
    """Write warnings to the log from now on, besides their earlier targets; returns the argument for
    `stop_log`.

    The result is empty if there is no place for a log.
    """
    path = log_path()
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handler = _Log(path, "a", _LOG_BYTES, _LOG_FILES - 1, "utf-8", delay=True, errors="replace")
    except OSError:
        return []
    handler.setFormatter(logging.Formatter("%(asctime)s %(process)d %(levelname)s %(name)s: %(message)s"))
    handler.setLevel(logging.WARNING)
    root = logging.getLogger()
    added: list[logging.Handler] = [handler]
    if not root.handlers and logging.lastResort is not None:
        added.append(logging.lastResort)  # which writes to standard error while there is no other
    for frame in added:
        root.addHandler(frame)
    return added


def stop_log(added: list[logging.Handler]) -> None:
    """Take the handlers away that `start_log` added."""
    for handler in added:
        logging.getLogger().removeHandler(handler)
        if handler is not logging.lastResort:
            handler.close()


class Watchdog(QObject):
    """A timer of the GUI thread that resets an alarm; if it is late, the alarm records all stacks.

    The alarm is a thread of Python's own fault handler, which does not need the interpreter, so it works
    while compiled code holds the interpreter. Its output is copied to the log as soon as the window responds
    again. Without `alarm` stalls are logged without stacks: a process has a single alarm, and other code may
    use it.
    """

    def __init__(self, alarm: bool = True, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._alarm = alarm
        self._file = tempfile.TemporaryFile("w+b")  # noqa: SIM115 - closed by `close`
        self._last = time.monotonic()
        self._timer = QTimer(self, interval=_BEAT_MS)
        self._timer.timeout.connect(self._beat)
        self._timer.start()
        self._wind()

    def close(self) -> None:
        """Stop watching."""
        self._timer.stop()
        if self._alarm:
            faulthandler.cancel_dump_traceback_later()
        self._file.close()

    def _wind(self) -> None:
        if not self._alarm:
            return
        with suppress(RuntimeError, MemoryError):  # no room for its thread: a stall is logged without a stack
            faulthandler.dump_traceback_later(LONGEST_S + _BEAT_MS / 1000, file=self._file)

    def _beat(self) -> None:
        now = time.monotonic()
        gap = now - self._last - _BEAT_MS / 1000
        self._last = now
        self._wind()
        if gap > LONGEST_S:
            self._note(gap)

    def _note(self, gap: float) -> None:
        stack = ""
        with suppress(OSError, ValueError):
            self._file.seek(0)
            stack = self._file.read(_MOST_STACK).decode("utf-8", errors="replace")
            self._file.seek(0)
            self._file.truncate()
        logging.getLogger(LOGGER).warning("the window answered nothing for %.1f s\n%s", gap, stack.rstrip())
