"""A value that is computed in a thread and cached by its key; the old value stays until then."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import partial
from typing import Generic, TypeVar

from PySide6.QtCore import QObject, Signal
from shiboken6 import isValid

from views.work.executor import Executor

T = TypeVar("T")


class AsyncMemo(QObject, Generic[T]):
    """The latest value of a view: `key` identifies its content.

    `ready` is sent when `value` belongs to another key. A single request runs at a time, to its end; of
    requests made meanwhile only the newest is kept. An old picture is better than none, so `value` stays
    until the next value is ready, and if that fails: `error` and the executor's `failed` give the reason.
    """

    ready = Signal()

    def __init__(
        self, executor: Executor, name: str, parent: QObject | None = None, priority: int = 0
    ) -> None:
        super().__init__(parent)
        self.name, self.priority = name, priority
        self.key: Hashable = None
        self.value: T | None = None
        self.error: Exception | None = None
        self._executor = executor
        self._newest: Hashable = None  # the key that was asked for last

    @property
    def pending(self) -> bool:
        """True if the value that was asked for last is on its way."""
        return self._newest != self.key

    def request(self, key: Hashable, make: Callable[[], T]) -> None:
        """Request the value of a key, unless it is ready or on its way; a failed key is not tried again."""
        if key == self._newest:
            return
        # Set before the task runs: a chart asks again with each frame that it paints, and must not queue the
        # same picture twice.
        self._newest = key
        done, failed = partial(self._take, key), partial(self._fail, key)
        self._executor.submit(
            self, lambda _: make(), done, failed, after_running=True, priority=self.priority
        )

    def forget(self) -> None:
        """The data have changed: what is there or on its way is of no use."""
        self._executor.cancel(self)
        self.key = self.value = self.error = self._newest = None

    def _take(self, key: Hashable, value: T) -> None:
        self.key, self.value, self.error = key, value, None
        if isValid(self):  # else its view was closed meanwhile
            self.ready.emit()

    def _fail(self, key: Hashable, error: Exception) -> None:
        # The failed key counts as answered: `pending` must not stay true for a value that never comes.
        self.key, self.error = key, error
        self._executor.failed.emit(self.name, error)
