"""An executor: work for a thread pool, by key, where the newest task of a key wins."""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable, Hashable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QObject, Qt, QThreadPool, QTimer, Signal

from engine.errors import InputError
from engine.simulation.control import Cancelled, Control, controlled_by
from views.work.threads import NICE_RENDERING, set_nice

T = TypeVar("T")

TIMINGS = "batchscope.timings"
"""The name of the logger that gets a line for each task that ended, at the level DEBUG."""


_stuck: list[QThreadPool] = []
"""Pools with threads that did not end in time."""


@dataclass(eq=False)
class Task(Generic[T]):
    """A piece of work that waits for a thread or runs; `control` has its progress and stops it.

    Each is an object of its own, so the late result of an abandoned task is known for what it is.
    """

    key: Hashable
    work: Callable[[Control], T]
    done: Callable[[T], None]
    failed: Callable[[Exception], None]
    priority: int = 0
    before_painting: bool = False
    control: Control = field(default_factory=Control)
    asked: float = field(default_factory=time.monotonic)  # s
    began: float | None = None  # monotonic, s; None while it waits for a thread
    share: float | None = None  # of it that is done, 0 to 1, where `control` counts a part of it alone

    @property
    def progress(self) -> float:
        """How much of it is done, 0 to 1."""
        return self.control.progress if self.share is None else self.share

    @property
    def age(self) -> float:
        """Seconds since it began; 0 while it waits."""
        return time.monotonic() - self.began if self.began is not None else 0.0

    @property
    def remaining(self) -> float | None:
        """The estimated remaining seconds, at the pace so far; None if there is no estimate yet."""
        progress = self.control.progress
        if self.began is None or progress < 0.02:
            return None
        return self.age * (1 - progress) / progress


@dataclass(frozen=True)
class _Outcome:
    """The outcome of a task: a value, or the exception that it ended with."""

    task: Task[Any]
    seconds: float = 0.0
    value: object = None
    error: Exception | None = None


def _nothing(_: Hashable) -> bool:
    return False


class Executor(QObject):
    """A thread pool that runs at most a single task for each key and delivers results in its own thread.

    Each result is delivered in a turn of the event loop of its own, so that the GUI paints and answers
    between results that come together.

    Threads begin after the GUI's pending painting: the code that submits work often repaints, too, and both
    would compete for the interpreter. `threads` is the number of threads, `nice` their niceness. With
    `replaces` a cancelled task that still holds its thread, as a read of storage that does not answer does,
    takes no thread from others: another one begins instead until it ends.
    `changed`: a task was added or has ended. `idle`: the last task has ended. `failed` (name, exception): a
    request without a waiting caller failed, see `AsyncMemo`. `began`: a task starts in a thread; the signal
    is sent by that thread, so connections to it have to be queued. Call `shutdown` before the end.
    """

    changed = Signal()
    idle = Signal()
    failed = Signal(str, object)
    began = Signal()
    _ended = Signal(object)

    def __init__(
        self,
        parent: QObject | None = None,
        threads: int = 2,
        nice: int = NICE_RENDERING,
        replaces: bool = False,
    ) -> None:
        super().__init__(parent)
        self._threads, self._replaces = threads, replaces
        self._lost: list[Task[Any]] = []  # cancelled, and not ended yet
        self.last_seconds = 0.0  # that the last task took
        self._nice = nice
        self._pool = QThreadPool(self)
        self._pool.setMaxThreadCount(threads)
        self._tasks: dict[Hashable, Task[Any]] = {}  # that wait for a thread or run
        self._waiting: dict[Hashable, Task[Any]] = {}  # that wait for the running task of their key
        self._new: list[Task[Any]] = []  # not yet in the pool
        self._holds: Callable[[Hashable], bool] = _nothing
        self._closed = False
        self._painted = QTimer(self, singleShot=True, interval=0)
        self._painted.timeout.connect(self._begin)
        self._outcomes: deque[_Outcome] = deque()  # that are not delivered yet
        self._turn = QTimer(self, singleShot=True, interval=0)
        self._turn.timeout.connect(self._deliver)
        self._ended.connect(self._receive, Qt.ConnectionType.QueuedConnection)

    @property
    def busy(self) -> bool:
        """True if any task waits or runs; abandoned tasks do not count."""
        return bool(self._tasks)

    def task(self, key: Hashable) -> Task[Any] | None:
        """The task of a key, while it waits or runs."""
        return self._tasks.get(key)

    def is_waited_for(self, key: Hashable) -> bool:
        """True if another task waits for the running task of this key to end; any thread may ask."""
        return key in self._waiting

    def submit(
        self,
        key: Hashable,
        work: Callable[[Control], T],
        done: Callable[[T], None],
        failed: Callable[[Exception], None],
        *,
        after_running: bool = False,
        priority: int = 0,
        before_painting: bool = False,
    ) -> None:
        """Run `work` in a thread; then `done` or `failed` is called in the executor's thread.

        A waiting or running task of the same key is cancelled. With `after_running` a running task ends
        first, so that frequent requests still show some results, and only the newest waiting task remains.
        Waiting tasks begin by priority, then by age. With `before_painting` the task does not wait for the
        GUI to paint. No callback is called for a cancelled or replaced task, nor after `shutdown`.
        """
        if self._closed:
            return
        task = Task(key, work, done, failed, priority, before_painting)
        if after_running and key in self._tasks:
            self._waiting[key] = task
        else:
            self._abandon(key)
            self._add(task)

    def holds(self, key: Hashable) -> bool:
        """True if tasks of this key wait for `release`."""
        return self._holds(key)

    def hold(self, which: Callable[[Hashable], bool] = lambda _: True) -> None:
        """Hold tasks whose key is in `which` (default: all) until `release`; running tasks continue.

        Tasks that are no longer held begin.
        """
        self._holds = which
        self._painted.start()

    def release(self) -> None:
        """Let waiting tasks begin."""
        self.hold(_nothing)

    def cancel(self, key: Hashable) -> None:
        """Stop the task of a key, and whatever waits for it; nothing happens where there is none."""
        if self._abandon(key):
            self._update_text()

    def shutdown(self, timeout_ms: int = 3000) -> bool:
        """Cancel all, begin nothing more and wait for what runs; whether it ended in time."""
        # The order matters: after the timers are stopped and both queues are empty no new thread can begin,
        # so only the tasks that already run are left to cancel and to wait for.
        self._closed = True
        self._painted.stop()
        self._turn.stop()
        self._new.clear()
        self._pool.clear()
        for key in list(self._tasks):
            self._abandon(key)
        self._update_text()
        ended = self._pool.waitForDone(timeout_ms)
        if not ended:  # to delete a pool waits for its threads, which storage that is gone may hold for ever
            self._pool.setParent(None)
            _stuck.append(self._pool)
        return ended

    def _abandon(self, key: Hashable) -> bool:
        self._waiting.pop(key, None)
        task = self._tasks.pop(key, None)
        if task is not None:
            task.control.cancel()
            if self._replaces:
                self._lost.append(task)
                self._count_threads()
        return task is not None

    def _count_threads(self) -> None:
        """Let as many threads run as are lost to cancelled tasks, besides those that are given."""
        self._pool.setMaxThreadCount(self._threads + len(self._lost))

    def _add(self, task: Task[Any]) -> None:
        self._tasks[task.key] = task
        self._new.append(task)
        if task.before_painting:
            self._begin()
        else:
            self._painted.start()
        self.changed.emit()

    def _begin(self) -> None:
        # `release`, `hold` and each submission end here, so a task that was held is looked at again each
        # time.
        free = [task for task in self._new if not self._holds(task.key)]
        self._new = [task for task in self._new if task not in free]
        for task in free:
            self._pool.start(lambda task=task: self._carry_out(task), task.priority)

    def _carry_out(self, task: Task[Any]) -> None:
        """The task's life in a thread of the pool."""
        outcome = _Outcome(task)
        # A task that was cancelled while it waited in the pool's queue never begins: it would only delay the
        # newer task of its key.
        if not task.control.cancelled:
            set_nice(self._nice)
            task.began = time.monotonic()
            # The signal belongs to a QObject that the GUI thread may have deleted by now; then there is
            # nobody to tell.
            with suppress(RuntimeError):
                self.began.emit()
            try:
                with controlled_by(task.control):
                    value = task.work(task.control)
                outcome = _Outcome(task, task.age, value)
            except Exception as error:  # handed over as a value
                outcome = _Outcome(task, task.age, error=error)
        with suppress(RuntimeError):  # the window was gone before its work had ended
            self._ended.emit(outcome)

    def _receive(self, outcome: _Outcome) -> None:
        if any(task is outcome.task for task in self._lost):
            self._lost = [task for task in self._lost if task is not outcome.task]
            self._count_threads()
        # While the timer runs, a result was delivered in this turn already. The new result then waits for the
        # timer, so that the window paints between two results.
        self._outcomes.append(outcome)
        if not self._turn.isActive():
            self._deliver()

    def _deliver(self) -> None:
        """Deliver the oldest result; those that come in the same turn wait for the next."""
        if not self._outcomes:
            return
        # The timer starts before the callback runs: if the callback raises, the results behind it still come.
        if not self._closed:
            self._turn.start()
        outcome = self._outcomes.popleft()
        task, error = outcome.task, outcome.error
        _log_time(outcome)
        # The key has a newer task, or was cancelled: nobody waits for this result. A failure is still logged,
        # since it may be a bug that otherwise nobody would ever see.
        if self._tasks.get(task.key) is not task:
            if error is not None and not isinstance(error, Cancelled | InputError):
                logging.getLogger(__name__).warning("abandoned work failed", exc_info=error)
            return
        # The follower starts before the callback, so a callback that asks for the task of this key finds it
        # running and `idle` is not sent between the two.
        del self._tasks[task.key]
        self.last_seconds = outcome.seconds
        waiting = self._waiting.pop(task.key, None)
        if waiting is not None:
            self._add(waiting)
        try:
            if error is None:
                task.done(outcome.value)
            elif not isinstance(error, Cancelled):
                task.failed(error)
        finally:
            self._update_text()

    def _update_text(self) -> None:
        self.changed.emit()
        if not self.busy and not self._closed:
            self.idle.emit()


def _log_time(outcome: _Outcome) -> None:
    logger, task = logging.getLogger(TIMINGS), outcome.task
    if task.began is not None and logger.isEnabledFor(logging.DEBUG):
        waited, ran = 1000 * (task.began - task.asked), 1000 * outcome.seconds
        logger.debug("%s: waited %.1f ms, ran %.1f ms", task.key, waited, ran)
