"""Work in threads: each piece with an id, progress, remaining time and cancel."""

from __future__ import annotations

import itertools
import sys
import time
import traceback
from collections.abc import Callable, Hashable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from PySide6.QtCore import QObject, Qt, QThreadPool, Signal

from engine.errors import InputError
from engine.simulation.control import ENDED, Cancelled, Control
from views.work.threads import Crew, stand_back

_STEPS = 1000  # of progress that is told as a share
_NICE = 10  # of threads at work: those that make pictures go first, and the one of the window before all
_TURN_S = 0.0001
"""After so long a thread hands the interpreter on: the window's asks for it many times a frame."""


@dataclass(eq=False)
class Job:
    """A piece of work. Its id is never used again, so a late result is known for what it is."""

    id: int
    key: Hashable
    work: Callable[[Control], Any]
    done: Callable[[Any], None]
    failed: Callable[[Exception], None]
    control: Control = field(default_factory=Control)
    priority: int = 0
    began: float | None = None  # monotonic s; None while it waits for a thread

    @property
    def remaining(self) -> float | None:
        """Seconds that it will still take, at the pace so far; None before that can be told."""
        progress = self.control.progress
        if self.began is None or progress < 0.02:
            return None
        return (time.monotonic() - self.began) * (1 - progress) / progress

    @property
    def age(self) -> float:
        """Seconds since it began; 0 while it waits."""
        return time.monotonic() - self.began if self.began is not None else 0.0


@dataclass(frozen=True)
class _Outcome:
    job: Job
    value: object
    error: Exception | None


class Runner(QObject):
    """Runs work in a few threads and hands results over in its own.

    Of several jobs under one key the newest wins: an older one is cancelled, and what still
    comes of it is dropped. A `patient` job waits for the older one instead, so that work that
    is asked for faster than it can be done comes to an end now and then; of those that wait,
    too, the newest wins. Errors come to `failed` as values; nothing is raised or shown
    by a worker. `changed` tells that a job was added or is over, `began` that one has been given a thread.
    """

    changed = Signal()
    began = Signal()  # sent by a pool thread, as the next: whoever receives it has it queued
    _ended = Signal(object)

    def __init__(self, parent: QObject | None = None, threads: int | None = None) -> None:
        super().__init__(parent)
        sys.setswitchinterval(_TURN_S)
        self._crew = Crew(threads or max(2, QThreadPool.globalInstance().maxThreadCount()), self)
        self._jobs: dict[Hashable, Job] = {}
        self._next: dict[Hashable, Job] = {}  # patient ones
        self._ids = itertools.count(1)
        self._closed = False
        self._ended.connect(self._receive, Qt.ConnectionType.QueuedConnection)

    @property
    def busy(self) -> bool:
        """Whether any job is waiting or running."""
        return bool(self._jobs)

    def job(self, key: Hashable) -> Job | None:
        """The job of that key, while it waits or runs."""
        return self._jobs.get(key)

    def start(
        self,
        key: Hashable,
        work: Callable[[Control], Any],
        done: Callable[[Any], None],
        failed: Callable[[Exception], None],
        patient: bool = False,
        priority: int = 0,
    ) -> None:
        """Have `work` done in a thread; then `done` or `failed` is called in this object's thread.

        Of what waits for a thread that of the highest `priority` goes first. Neither is called
        for a job that was cancelled or overtaken.
        """
        if self._closed:
            return
        job = Job(next(self._ids), key, work, done, failed, priority=priority)
        if patient and key in self._jobs:
            self._next[key] = job
        else:
            self.cancel(key)
            self._begin(job)

    def cancel(self, key: Hashable) -> None:
        """Stop the job of that key and forget it; nothing happens where there is none."""
        self._next.pop(key, None)
        job = self._jobs.pop(key, None)
        if job is not None:
            job.control.cancel()
            self.changed.emit()

    def shutdown(self, timeout_ms: int = 3000) -> bool:
        """Cancel all and wait; whether all ended in time."""
        self._closed = True
        for key in list(self._jobs):
            self.cancel(key)
        return self._crew.shutdown(timeout_ms)

    def _begin(self, job: Job) -> None:
        self._jobs[job.key] = job
        self._crew.start(lambda: self._carry_out(job), job.priority)
        self.changed.emit()

    def _carry_out(self, job: Job) -> None:
        stand_back(_NICE)
        value: object = None
        error: Exception | None = None
        if not job.control.cancelled:
            job.began = time.monotonic()
            with suppress(RuntimeError):
                self.began.emit()
            try:
                value = job.work(job.control)
            except Exception as problem:  # told by `failed`, in the thread of the window
                error = problem
        with suppress(RuntimeError):  # the window was gone before its work had ended
            self._ended.emit(_Outcome(job, value, error))

    def _receive(self, outcome: _Outcome) -> None:
        job = outcome.job
        if self._closed or self._jobs.get(job.key) is not job:
            return
        del self._jobs[job.key]
        waiting = self._next.pop(job.key, None)
        if waiting is not None:
            self._begin(waiting)
        if outcome.error is None:
            job.done(outcome.value)
        elif not isinstance(outcome.error, Cancelled):
            job.failed(outcome.error)
        self.changed.emit()


def spell_error(error: Exception, what: str) -> tuple[str, str]:
    """What a person is told, and details: input errors speak for themselves and have none."""
    if isinstance(error, InputError):
        return str(error), ""
    return f"{what}: {error}", "".join(traceback.format_exception(error))


def share_of(control: Control) -> Callable[[float], None]:
    """A function that tells `control` progress as a share, 0 to 1, and raises Cancelled when it is."""
    control.jobs = _STEPS

    def tell(done: float) -> None:
        if control.cancelled:
            raise Cancelled
        control.array[ENDED] = int(done * _STEPS)

    return tell
