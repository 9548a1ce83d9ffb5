"""Promises of the first waiting job: nobody passes it (FCFS), nobody delays it (EASY).

EASY backfilling (Lifka 1995; Algorithm 2 of Goponenko et al. 2022 with one reservation)
guarantees the first waiting job the earliest time at which it fits by the estimated ends of
the running jobs. Reservations of jobs behind it (depth n, all) do not touch that guarantee.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.audit.clock import DIGITS, later
from engine.audit.replay import Replay
from engine.audit.report import Case, Finding, Guarantees, finding, number
from engine.audit.table import Ints, ScheduleTable


@dataclass(frozen=True)
class _Promise:
    job: int
    made: float  # s
    start: float  # s, at the latest


class HeadPromises:
    """Follows a replay of the queue's first job and its guarantee; `look` at each event, then `result`."""

    def __init__(self, table: ScheduleTable, replay: Replay, estimate: Ints, tolerance: float) -> None:
        self.table, self.replay, self.tolerance = table, replay, tolerance
        self.estimate = estimate
        self.expected = np.round(replay.start + estimate, DIGITS)
        self.promise: _Promise | None = None
        self.made = self.kept = self.excused = self.lapsed = self.unsaid = 0
        self._unsaid_head: int | None = None
        self.broken: list[Case] = []

    def look(self) -> None:
        """Settle the promise where its job has started or lost its place; make one to a new first job."""
        replay = self.replay
        if self.promise is not None:
            job = self.promise.job
            if replay.start[job] <= replay.now:
                self._settle(self.promise)
                self.promise = None
            elif any(replay.keys[other] < replay.keys[job] for other in replay.submitted):
                self.lapsed += 1
                self.promise = None
        head = replay.head()
        if head is not None and self.promise is None and head != self._unsaid_head:
            start = self._earliest(head)
            if start is None:
                self.unsaid += 1
                self._unsaid_head = head
            else:
                self.made += 1
                self.promise = _Promise(head, replay.now, start)

    def result(self) -> tuple[tuple[Finding, ...], Guarantees]:
        """What was broken, by how much, and the tally."""
        tally = Guarantees(self.made, self.kept, len(self.broken), self.excused, self.lapsed)
        text = f"of {self.made:,} guaranteed starts of the first waiting job were not kept"
        return finding("guarantee", text, self.broken, "s"), tally

    def _settle(self, promise: _Promise) -> None:
        late = later(float(self.replay.start[promise.job]), -promise.start)
        if late <= self.tolerance:
            self.kept += 1
        elif self._outlived(promise):
            self.excused += 1
        else:
            text = (
                f"guaranteed at {number(promise.made)} s to start by {number(promise.start)} s: "
                f"{number(late)} s late"
            )
            name = str(self.table.trace.job_id[promise.job])
            self.broken.append(Case(text, name, float(self.replay.start[promise.job]), late))

    def _outlived(self, promise: _Promise) -> bool:
        """Whether any job outlived its estimate between the promise and the promised start."""
        replay = self.replay
        alive = (replay.start <= promise.start) & (replay.end > promise.made)
        return bool((alive & (replay.end > self.expected) & (self.expected <= promise.start)).any())

    def _earliest(self, job: int) -> float | None:
        """When the job fits by what is believed now; None where that cannot be said."""
        replay = self.replay
        tasks = self.table.trace.tasks
        if len(replay.capacity) > 1 and tasks.offset[job + 1] - tasks.offset[job] > 1:
            return None  # whether groups of different tasks fit hangs on where each of them goes
        if self._fits(job, replay.free):
            return replay.now
        running = np.fromiter(replay.running, np.int64, len(replay.running))
        times = self._believed_ends(running)
        order = np.argsort(times, kind="stable")
        running, times = running[order], times[order]
        moments = np.unique(times)
        # With each end there is more room, so the first moment at which it fits can be searched for.
        low, high = 0, len(moments)
        while low < high:
            middle = (low + high) // 2
            if self._fits(job, self._free_after(running[times <= moments[middle]])):
                high = middle
            else:
                low = middle + 1
        return float(moments[low]) if low < len(moments) else None

    def _believed_ends(self, running: Ints) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        """An estimate that is used up becomes the requested walltime, and after that one second more."""
        now, start = self.replay.now, self.replay.start[running]
        ends = self.expected[running]
        limit = np.round(start + self.table.trace.walltime[running], DIGITS)
        return np.where(ends > now, ends, np.where(limit > now, limit, now + 1))

    def _free_after(self, ended: Ints) -> Ints:
        replay = self.replay
        free = replay.free.copy()
        rows = replay.rows(ended)
        np.add.at(free, replay.node[rows], replay.amount[rows])
        return free

    def _fits(self, job: int, free: Ints) -> bool:
        replay = self.replay
        if len(free) == 1:
            return bool(
                (replay.amount[replay.offset[job] : replay.offset[job + 1]].sum(axis=0) <= free[0]).all()
            )
        tasks = self.table.trace.tasks
        row = tasks.offset[job]
        need = [int(tasks["cpus"][row]), max(0, int(tasks["ram"][row]))][: free.shape[1]]
        room = np.min([free[:, k] // need[k] for k in range(len(need)) if need[k] > 0], axis=0)
        return bool(np.maximum(room, 0).sum() >= tasks["count"][row])


class QueueOrder:
    """Follows a replay and finds jobs that started while one ahead of them waited (`depth` stop)."""

    def __init__(self, table: ScheduleTable, replay: Replay) -> None:
        self.table, self.replay = table, replay
        self.broken: list[Case] = []

    def look(self) -> None:
        """Whoever started now and stands behind the first waiting job has passed it."""
        head = self.replay.head()
        if head is None:
            return
        keys = self.replay.keys
        for job in self.replay.started:
            # The order of jobs that are alike but for their place in the log is nobody's promise.
            if keys[job][:-1] > keys[head][:-1]:
                first, ahead = self.table.trace.job_id[job], self.table.trace.job_id[head]
                self.broken.append(Case(f"passed job {ahead}, which waited", str(first), self.replay.now))

    def result(self) -> tuple[Finding, ...]:
        """Jobs that went past another."""
        return finding("order", "jobs that started before one ahead of them in the queue", self.broken)
