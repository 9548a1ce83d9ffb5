"""What will be free when: a step function of time, one value a resource."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from engine.audit.clock import later


class Profile:
    """Free amounts from each of `times` on until the next; the last value holds for ever.

    Plain lists: a machine has a few dozen steps ahead of it, and one of them changes at a time.
    """

    def __init__(self, capacity: Sequence[int]) -> None:
        self.times: list[float] = [float("-inf")]
        self.free: list[tuple[int, ...]] = [tuple(capacity)]

    def take(self, begin: float, end: float, need: Sequence[int]) -> None:
        """Hold `need` from `begin` up to, not including, `end`."""
        self._change(begin, end, [-amount for amount in need])

    def give(self, begin: float, end: float, need: Sequence[int]) -> None:
        """Give back what was held from `begin` to `end`."""
        self._change(begin, end, need)

    def earliest(self, since: float, duration: float, need: Sequence[int]) -> float:
        """The first time, not before `since`, from which on `need` (within the capacity) is free so long."""
        times, free = self.times, self.free
        step = bisect_right(times, since) - 1
        start = since
        while True:
            if any(have < want for have, want in zip(free[step], need, strict=True)):
                start = times[step + 1]
            elif step + 1 == len(times) or times[step + 1] >= later(start, duration):
                return start
            step += 1

    def forget(self, before: float) -> None:
        """Drop the steps that ended before that time."""
        passed = bisect_right(self.times, before) - 1
        if passed > 0:
            del self.times[:passed], self.free[:passed]

    def _change(self, begin: float, end: float, amount: Sequence[int]) -> None:
        if end <= begin:
            return
        first, last = self._step_at(begin), self._step_at(end)
        for step in range(first, last):
            self.free[step] = tuple(a + b for a, b in zip(self.free[step], amount, strict=True))
        for step in (last, first):  # steps that are none any more
            if step and self.free[step] == self.free[step - 1]:
                del self.times[step], self.free[step]

    def _step_at(self, time: float) -> int:
        """The step that begins at `time`, made where there is none."""
        step = bisect_left(self.times, time)
        if step == len(self.times) or self.times[step] != time:
            self.times.insert(step, time)
            self.free.insert(step, self.free[step - 1])
        return step
