"""What runs hold at any moment: totals, shares of owners, and each node; apart from the simulator.

A pass starts jobs one after another within a second, so that what was free when a job was looked at is known
within bounds: at most what is free before the first start of that second, at least what is free after the
last.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from engine.audit.table import Ints
from engine.schedule.schedule import Schedule


class AuditedRuns(NamedTuple):
    """The r runs of a schedule, also those that were cut short or are of added jobs. Run k holds the rows
    `offset[k]:offset[k + 1]`.
    """

    job: Ints  # (r,) index into the trace
    start: Ints  # (r,) s
    end: Ints  # (r,) s
    offset: Ints  # (r + 1,)
    node: Ints  # (rows,)
    amount: Ints  # (rows, K) of each resource of the machine

    def totals(self) -> Ints:
        """What each run holds of each resource, shape (r, K)."""
        total = np.concatenate(
            (np.zeros((1, self.amount.shape[1]), np.int64), np.cumsum(self.amount, axis=0))
        )
        return np.asarray(total[self.offset[1:]] - total[self.offset[:-1]], np.int64)


def runs_of(schedule: Schedule) -> AuditedRuns:
    """All runs of a schedule: those that completed jobs, by job, and then the further ones."""
    job, names = np.flatnonzero(schedule.ran), schedule.cluster.resources
    further, last = schedule.further, schedule.pieces.take(np.flatnonzero(schedule.ran))
    # The columns of both tables are found by name: a resource that a table lacks counts as 0 in it.
    parts = [last] if not len(further) else [last, further.pieces]
    sizes = np.concatenate([np.diff(part.offset) for part in parts])
    zeros = [np.zeros(len(part["node"]), np.int64) for part in parts]
    columns = [
        np.concatenate(
            [part[name] if name in part.columns else zero for part, zero in zip(parts, zeros, strict=True)]
        )
        for name in ("node", *names)
    ]
    return AuditedRuns(
        job=np.concatenate((job, further.job)).astype(np.int64),
        start=np.concatenate((schedule.start[job], further.start)).astype(np.int64),
        end=np.concatenate((schedule.end[job], further.end)).astype(np.int64),
        offset=np.concatenate(([0], np.cumsum(sizes))).astype(np.int64),
        node=columns[0].astype(np.int64),
        amount=np.maximum(np.stack(columns[1:], axis=1), 0).astype(np.int64),
    )


def held_at(time: Ints, start: Ints, end: Ints, amount: Ints, after: bool) -> Ints:
    """What runs hold together at each moment, (m,), before the starts of that second, or `after` them.

    Starts, ends and amounts are (r,); runs that end at a moment hold nothing then.
    """
    begins, stops = np.argsort(start, kind="stable"), np.argsort(end, kind="stable")
    begun = np.concatenate(([0], np.cumsum(amount[begins])))
    ended = np.concatenate(([0], np.cumsum(amount[stops])))
    until = np.searchsorted(start[begins], time, "right" if after else "left")
    # A run that starts and ends in the same second holds nothing: it is in both sums, or in neither.
    return np.asarray(begun[until] - ended[np.searchsorted(end[stops], time, "right")], np.int64)


def held_by_owners(time: Ints, owner: Ints, runs: tuple[Ints, Ints, Ints, Ints], after: bool) -> Ints:
    """The same of one owner at each moment: `runs` are owners, starts, ends and amounts, (r,) each."""
    held = np.zeros(len(time), np.int64)
    whose, start, end, amount = runs
    for code in np.unique(owner):
        rows, pieces = np.flatnonzero(owner == code), np.flatnonzero(whose == code)
        held[rows] = held_at(time[rows], start[pieces], end[pieces], amount[pieces], after)
    return held


class SurelyFree:
    """What is surely free on each node at moments in ascending order.

    A run holds its nodes from `early` before its start until `late` after its end, both in s.
    """

    def __init__(self, schedule: Schedule, runs: AuditedRuns, early: int = 0, late: int = 0) -> None:
        self._runs, self._free = runs, schedule.cluster.capacity().astype(np.int64)
        outages, nodes = schedule.outages, len(self._free)
        self._down = np.zeros(nodes, np.int64)
        # Ends come before starts at a moment: what starts then takes what has come free.
        begins = np.concatenate((runs.start - early, outages.start))
        ends = np.concatenate((runs.end + late, outages.end))
        self._begins, self._ends = np.argsort(begins, kind="stable"), np.argsort(ends, kind="stable")
        self._begin_at, self._end_at = begins[self._begins], ends[self._ends]
        self._outage = outages.node
        self._next = [0, 0]

    def at(self, time: int) -> Ints:
        """What is free on each node after all ends and starts until `time`, shape (N, K)."""
        for event in self._until(1, self._ends, self._end_at, time):
            self._change(event, 1)
        for event in self._until(0, self._begins, self._begin_at, time):
            self._change(event, -1)
        return np.asarray(np.where(self._down[:, None] > 0, 0, self._free), np.int64)

    def _until(self, which: int, order: Ints, times: Ints, time: int) -> Iterator[int]:
        """The events of a kind that have not been counted, until `time`."""
        first, until = self._next[which], int(np.searchsorted(times, time, "right"))
        self._next[which] = max(first, until)
        yield from order[first:until].tolist()

    def _change(self, event: int, sign: int) -> None:
        runs = self._runs
        if event >= len(runs.job):
            self._down[self._outage[event - len(runs.job)]] -= sign
            return
        rows = slice(runs.offset[event], runs.offset[event + 1])
        np.add.at(self._free, runs.node[rows], sign * runs.amount[rows])
