"""What is free of a machine over time under a schedule, by what runs and what is down; no log is read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np

from engine.arrays import Ints
from engine.schedule.schedule import Schedule
from engine.trace import Pieces

_BEFORE = -(1 << 62)
"""The time of the first step, before all others, s."""


@dataclass(frozen=True, eq=False)
class FreeSteps:
    """Free amounts of a machine of K resources: row k of `free` holds from `time[k]` until the next time.

    A change counts from its second on: what ends then is free, what starts then holds.
    """

    time: Ints  # (m,) s, ascending
    free: Ints  # (m, K) processors first, then the resources of the cluster

    def bounds(self, spans: Iterable[tuple[int, int]], column: int) -> tuple[int, int]:
        """The least and the most that is free of a resource within spans [begin, end), s, at least one."""
        bounds_of_spans = [self._of(begin, end, column) for begin, end in spans]
        return min(low for low, _ in bounds_of_spans), max(high for _, high in bounds_of_spans)

    def _of(self, begin: int, end: int, column: int) -> tuple[int, int]:
        first = int(np.searchsorted(self.time, begin, "right")) - 1
        last = max(int(np.searchsorted(self.time, end, "left")), first + 1)
        part = self.free[first:last, column]
        return int(part.min()), int(part.max())


def free_steps(schedule: Schedule) -> FreeSteps:
    """The steps of a schedule; worked out once, in time linear in its runs but for a sort."""
    if schedule not in _STEPS:
        _STEPS[schedule] = _steps(schedule)
    return _STEPS[schedule]


_STEPS: WeakKeyDictionary[Schedule, FreeSteps] = WeakKeyDictionary()


def held(pieces: Pieces, resources: Iterable[str]) -> Ints:
    """What each run holds of each resource in all, shape (runs, K); unknown amounts are none."""
    columns = []
    for name in resources:
        amounts = pieces[name] if name in pieces.columns else np.zeros(len(pieces["node"]), np.int64)
        total = np.concatenate(([0], np.cumsum(np.maximum(amounts, 0), dtype=np.int64)))
        columns.append(total[pieces.offset[1:]] - total[pieces.offset[:-1]])
    return np.stack(columns, axis=1).astype(np.int64)


def _steps(schedule: Schedule) -> FreeSteps:
    names, further, outages = schedule.cluster.resources, schedule.further, schedule.outages
    ran, capacity = np.flatnonzero(schedule.ran), schedule.cluster.capacity().astype(np.int64)
    away = capacity[outages.node]
    # Runs, further runs and outages take amounts at their begin, and return them at their end.
    taken = np.concatenate((held(schedule.pieces, names)[ran], held(further.pieces, names), away))
    begin = np.concatenate((schedule.start[ran], further.start, outages.start))
    end = np.concatenate((schedule.end[ran], further.end, outages.end))
    time, place = np.unique(np.concatenate((begin, end)), return_inverse=True)
    change = np.zeros((len(time) + 1, capacity.shape[1]), np.int64)
    change[0] = capacity.sum(axis=0)
    np.add.at(change, place.reshape(-1) + 1, np.concatenate((-taken, taken)))
    return FreeSteps(np.concatenate(([_BEFORE], time)).astype(np.int64), np.cumsum(change, axis=0))
