"""Drawing off the GUI thread: of several requests of one chart the newest wins."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from contextlib import suppress
from dataclasses import dataclass
from typing import Generic, TypeVar

from PySide6.QtCore import QObject, Qt, Signal
from shiboken6 import isValid

from views.work.threads import Crew, stand_back

T = TypeVar("T")

THREADS = 2

_NICE = 5  # of these threads: the one of the window goes first


@dataclass(frozen=True)
class _Request(Generic[T]):
    key: Hashable
    make: Callable[[], T]


@dataclass(frozen=True)
class _Outcome:
    """What came of a request: a value, or the exception that it ended with."""

    memo: Memo  # type: ignore[type-arg]
    request: _Request  # type: ignore[type-arg]
    value: object
    error: Exception | None
    seconds: float


class Renderer(QObject):
    """A few threads that make pictures.

    `failed` carries (whose, exception) for a request that ended in an exception; `idle` is
    sent when nothing is being made any more and every chart has what it asked for. One
    renderer serves a window; `shutdown` before it goes.
    """

    failed = Signal(str, object)
    idle = Signal()
    _made = Signal(object)  # sent by a pool thread, received in this object's own

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._crew = Crew(THREADS, self)
        self._running = 0
        self.last_seconds = 0.0  # that the last picture took
        self._closed = False
        self._made.connect(self._receive, Qt.ConnectionType.QueuedConnection)

    @property
    def busy(self) -> bool:
        """Whether anything is being made."""
        return self._running > 0

    def shutdown(self, timeout_ms: int = 3000) -> bool:
        """Start nothing more and wait for what runs; whether it ended in time."""
        self._closed = True
        return self._crew.shutdown(timeout_ms)

    def _start(self, memo: Memo[T], request: _Request[T]) -> bool:
        """Have a request carried out; False after `shutdown`."""
        if self._closed:
            return False

        def work() -> None:
            stand_back(_NICE)
            value, error = None, None
            began = time.perf_counter()
            try:
                value = request.make()
            except Exception as problem:  # told by `failed`, on the GUI thread
                error = problem
            with suppress(RuntimeError):  # the window was gone before its renderer had ended
                self._made.emit(_Outcome(memo, request, value, error, time.perf_counter() - began))

        self._running += 1
        self._crew.start(work)
        return True

    def _receive(self, outcome: _Outcome) -> None:
        self._running -= 1
        self.last_seconds = outcome.seconds
        if self._closed:
            return
        if isValid(outcome.memo):  # else its chart was closed meanwhile
            outcome.memo._finish(outcome)
        if outcome.error is not None:
            self.failed.emit(outcome.memo.name, outcome.error)
        if not self.busy:
            self.idle.emit()


class Memo(QObject, Generic[T]):
    """The latest value of one chart: its key says what it shows.

    `request` starts making it elsewhere and `ready` tells when it is there. One request runs
    at a time; of those that come meanwhile only the newest is kept. Until then `value` is the
    one before: an old picture is better than none.
    """

    ready = Signal()

    def __init__(self, renderer: Renderer, name: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.name = name
        self.key: Hashable = None
        self.value: T | None = None
        self.error: Exception | None = None
        self._renderer = renderer
        self._running: _Request[T] | None = None
        self._next: _Request[T] | None = None
        self._dropped = False

    def request(self, key: Hashable, make: Callable[[], T]) -> None:
        """Ask for the value of this key, unless it is there or on its way."""
        newest = self._next or (None if self._dropped else self._running)
        if key == (newest.key if newest else self.key):
            return
        self._next = _Request(key, make)
        if self._running is None:
            self._begin()

    def forget(self) -> None:
        """The data have changed: what is there or on its way is of no use."""
        self.key, self.value, self.error, self._next = None, None, None, None
        self._dropped = self._running is not None

    def _begin(self) -> None:
        request, self._next = self._next, None
        if request is not None and self._renderer._start(self, request):
            self._running = request
            self._dropped = False

    def _finish(self, outcome: _Outcome) -> None:
        self._running = None
        if not self._dropped:
            self.key, self.error = outcome.request.key, outcome.error
            if outcome.error is None:
                self.value = outcome.value  # type: ignore[assignment]
        self._dropped = False
        self._begin()
        if outcome.error is None:
            self.ready.emit()
