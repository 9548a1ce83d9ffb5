"""The log of a program with windows, and a watchdog that notes in it when these answered nothing for long."""

from __future__ import annotations

import logging
import threading
import time
from contextlib import suppress
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path

from platformdirs import user_state_path
from PySide6.QtCore import QObject, QTimer

from app.work.stacks import describe_stacks
from engine.atomic import check_own_name, open_own

LONGEST_S = 1.0
"""A window that answers nothing for longer is noted."""

_BEAT_MS = 250
_LOG_BYTES, _LOG_FILES = 256_000, 3
_NO_STACKS = "no stacks: compiled code held the interpreter all the time, or there was no memory for a thread"
LOGGER = "batchscope.window"


def log_path() -> Path:
    """The log of this user's windows; older parts of it lie beside it."""
    return user_state_path("batchscope") / "batchscope.log"


class _Log(RotatingFileHandler):
    """A log that is given up if it cannot be written: a full disk is reported elsewhere."""

    def _open(self) -> TextIOWrapper:
        return open(self.baseFilename, "a", encoding="utf-8", errors="replace", opener=open_own)

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
        check_own_name(path)
        handler = _Log(path, "a", _LOG_BYTES, _LOG_FILES - 1, "utf-8", delay=True, errors="replace")
    except OSError as error:
        logging.getLogger(LOGGER).warning("no log is written: %s: %s", path, error.strerror or error)
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
    """A timer of the GUI thread, and a thread that reads all stacks if the timer is late.

    The thread needs the interpreter. While compiled code holds it, the thread waits; such a stall is logged
    without stacks if the windows respond before the thread had its turn. Python's own alarm for this
    (`faulthandler.dump_traceback_later`) needs no interpreter, but reads the frames of threads while they
    change, which ended the process about once in a hundred alarms.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._window_thread = threading.get_ident()
        self._last = time.monotonic()
        self._stacks = ""  # of this stall
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="watchdog", daemon=True)
        with suppress(RuntimeError, MemoryError):  # no room for a thread: stalls are logged without stacks
            self._thread.start()
        self._timer = QTimer(self, interval=_BEAT_MS)
        self._timer.timeout.connect(self._beat)
        self._timer.start()

    def close(self) -> None:
        """Stop watching."""
        self._timer.stop()
        self._closing.set()
        if self._thread.is_alive():
            self._thread.join()

    def _watch(self) -> None:
        """Read the stacks once per stall, until closed; run by the thread."""
        # A beat may be late by an interval without any stall.
        patience, reported = LONGEST_S + _BEAT_MS / 1000, None
        wait = patience
        while not self._closing.wait(wait):
            last = self._last
            left = last + patience - time.monotonic()
            # A report a stall: as long as the window does not answer, the last beat stays the same.
            if left <= 0 and last != reported:
                reported = last
                with suppress(MemoryError):
                    self._stacks = describe_stacks(self._window_thread)
            wait = left if left > 0 else patience

    def _beat(self) -> None:
        now = time.monotonic()
        gap = now - self._last - _BEAT_MS / 1000
        self._last = now
        # Fetch the stacks after a short gap too, otherwise they would be reported with the next stall.
        stacks, self._stacks = self._stacks, ""
        if gap > LONGEST_S:
            logging.getLogger(LOGGER).warning(
                "the window answered nothing for %.1f s\n%s", gap, stacks or _NO_STACKS
            )
