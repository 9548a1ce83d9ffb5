"""Giving memory back while nothing is done."""

from __future__ import annotations

import gc
import logging

from PySide6.QtCore import QObject, QTimer

from app.work.process import trim_heaps
from views.work.executor import Executor
from views.work.threads import NICE_BACKGROUND

_REST_MS = 1500
_YOUNG_MS = 200
"""Time between two looks at how many young objects there are."""

_FLOOD = 20_000
"""More objects than that at once are the code of modules that were loaded: to look at them would hold the
window for up to 60 ms, and find next to no garbage."""

_MANY = 200
"""So many times objects became old: then all are looked at, as soon as nothing is done."""


class Housekeeper(QObject):
    """Timer that gives memory back, in a thread, when these executors had nothing to do for a while.

    Not after every piece of work: what a slider's next step needs would have to be fetched again.
    Python's collector, too, looks at old objects only then, and seldom; at young ones it looks regularly, in
    the GUI thread instead of in any (see `tune_process`), unless there are so many that it would take long.
    """

    def __init__(self, executors: tuple[Executor, ...], parent: QObject) -> None:
        super().__init__(parent)
        self._executors = executors
        self._own = Executor(self, threads=1, nice=NICE_BACKGROUND)  # the others are idle meanwhile
        self._rest = QTimer(self, singleShot=True, interval=_REST_MS)
        self._rest.timeout.connect(self._tidy)
        self._young = QTimer(self, interval=_YOUNG_MS)
        self._young.timeout.connect(self._collect_young)
        self._young.start()
        self._aged = 0  # how often objects became old
        self._middle = 0  # about so many objects have outlived a single look
        for executor in executors:
            executor.idle.connect(self._rest.start)

    def shutdown(self) -> None:
        """Wait for what is under way, and do nothing more."""
        self._rest.stop()
        self._young.stop()
        self._own.shutdown()

    def _tidy(self) -> None:
        if any(executor.busy for executor in self._executors):
            return  # they send `idle`
        # A full collection holds the window, so it is made only after objects became old many times.
        if self._aged > _MANY:
            gc.collect()
            self._aged = 0
        self._own.submit("heaps", lambda _: trim_heaps(), lambda _: None, self._warn)

    def _warn(self, error: Exception) -> None:
        logging.getLogger(__name__).warning("could not give memory back", exc_info=error)

    def _collect_young(self) -> None:
        """Do what the collector does by itself where it is on, except for old objects."""
        young, middle, _ = gc.get_count()
        most_young, most_middle, _ = gc.get_threshold()
        # The same thresholds as Python's own collector has.
        if young <= most_young:
            return
        if middle <= most_middle and young <= _FLOOD:
            self._middle += young - gc.collect(0)
            return
        # They are counted here and not by `gc.get_objects`: while that list is held, a tuple that another
        # thread is filling has a second owner, and the interpreter refuses to finish it.
        if young + self._middle <= _FLOOD or gc.get_freeze_count():
            gc.collect(1)
        else:
            _let_age()
        self._middle = 0
        self._aged += 1


def _let_age() -> None:
    """Make all objects old without looking at them; none may be frozen, for these would thaw."""
    gc.freeze()
    gc.unfreeze()
