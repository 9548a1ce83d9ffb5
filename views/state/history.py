"""Steps back and forward, as a browser has them."""

from __future__ import annotations

from typing import Generic, TypeVar

T = TypeVar("T")

LONGEST = 100


class History(Generic[T]):
    """The values before and after the current value, which the owner holds itself."""

    def __init__(self) -> None:
        self._past: list[T] = []
        self._future: list[T] = []

    def push(self, left: T) -> None:
        """Record `left`, which a new value replaces; the values ahead are dropped."""
        self._past = [*self._past[-(LONGEST - 1) :], left]
        self.forget_ahead()

    def back(self, present: T) -> T:
        """The value before `present`; `present` itself where there is none."""
        if not self._past:
            return present
        self._future.append(present)
        return self._past.pop()

    def forward(self, present: T) -> T:
        """The value that the last `back` left; `present` itself where there is none."""
        if not self._future:
            return present
        self._past.append(present)
        return self._future.pop()

    def forget_ahead(self) -> None:
        """Leave nothing for `forward`."""
        self._future.clear()

    def clear(self) -> None:
        """Forget all."""
        self._past.clear()
        self.forget_ahead()
