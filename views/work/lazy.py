"""A value that is worked out once, when it is first needed, in whichever thread that is."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar

T = TypeVar("T")


class LazyValue(Generic[T]):
    """A value that is computed on the first call; another thread that calls meanwhile waits for it.

    Until then, `value` is the substitute `until`.
    """

    def __init__(self, make: Callable[[], T], until: T | None = None) -> None:
        self._make, self._until = make, until
        self._lock = Lock()
        self._value: T | None = None

    @classmethod
    def of(cls, value: T) -> LazyValue[T]:
        """A value that is there already."""
        lazy = cls(lambda: value)
        lazy()
        return lazy

    def __call__(self) -> T:
        """The value, made by the first call."""
        with self._lock:
            if self._value is None:
                self._value, self._until = self._make(), None
            return self._value

    @property
    def value(self) -> T | None:
        """The value if it is computed already, otherwise the substitute; None if there is none."""
        value = self._value
        return value if value is not None else self._until
