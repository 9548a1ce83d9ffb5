"""The promise of the first waiting job, from pass to pass: nobody delays it.

EASY backfilling (Lifka 1995; Algorithm 2 of Goponenko et al. 2022 with one reservation)
guarantees the first waiting job the earliest time at which it fits by the estimated ends of
the running jobs. Reservations of jobs behind it (depth n, all) do not touch that guarantee.
Where reservations are relaxed it may be put off, as far as its first one says.
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

    def __init__(
        self,
        table: ScheduleTable,
        replay: Replay,
        tolerance: float,
        relaxed: float | None = None,
        test_limit: int | None = None,
    ) -> None:
        self.table, self.replay, self.tolerance = table, replay, tolerance
        self.relaxed, self.test_limit = relaxed, test_limit
        self.latest: dict[int, float] = {}
        self.expected = np.round(replay.start + replay.estimate, DIGITS)
        self.promise: _Promise | None = None
        self.made = self.kept = self.excused = self.lapsed = self.unsaid = 0
        self._unsaid_head: int | None = None
        self.broken: list[Case] = []

    def look(self) -> None:
        """Settle the promise where its job has started or is no longer first; make one to a new first job."""
        replay = self.replay
        head = replay.head()
        if self.promise is not None:
            job = self.promise.job
            if replay.start[job] <= replay.now:
                self._settle(self.promise)
                self.promise = None
            elif head != job or any(replay.key(other) < replay.key(job) for other in replay.started):
                self.lapsed += 1
                self.promise = None
        if head is not None and self.promise is None and head != self._unsaid_head and self._comes_to(head):
            start = self._earliest(head)
            if start is None:
                self.unsaid += 1
                self._unsaid_head = head
            else:
                self.made += 1
                self.promise = _Promise(head, replay.now, self._put_off(head, start))

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

    def _comes_to(self, head: int) -> bool:
        """Whether the pass, which started those ahead of it first, came to the job at all."""
        if self.test_limit is None:
            return True
        ahead = sum(self.replay.key(other) < self.replay.key(head) for other in self.replay.started)
        return ahead < self.test_limit

    def _put_off(self, job: int, start: float) -> float:
        """How long the job may be made to wait: until its first reservation, and a part of that wait."""
        if self.relaxed is None:
            return start
        waited = start - float(self.table.trace.submit[job])
        return max(start, self.latest.setdefault(job, later(start, int(self.relaxed * waited))))

    def _earliest(self, job: int) -> float | None:
        """When the first job of the queue fits, by what is believed now; None where that cannot be decided.

        Whoever went past it at this very moment does not count: that is what it is guaranteed against.
        """
        replay = self.replay
        tasks = self.table.trace.tasks
        if len(replay.capacity) > 1 and tasks.offset[job + 1] - tasks.offset[job] > 1:
            return None  # whether groups of different tasks fit hangs on where each of them goes
        passers = {other for other in replay.started if replay.key(other) > replay.key(job)}
        passers &= replay.running
        free = self._free_after(replay.free, np.fromiter(passers, np.int64, len(passers)))
        if self._fits(job, free):
            return replay.now
        running = np.array([other for other in replay.running if other not in passers], np.int64)
        times = replay.believed_ends(running)
        order = np.argsort(times, kind="stable")
        running, times = running[order], times[order]
        moments = np.unique(times)
        # With each end there is more room, so the first moment at which it fits can be searched for.
        low, high = 0, len(moments)
        while low < high:
            middle = (low + high) // 2
            if self._fits(job, self._free_after(free, running[times <= moments[middle]])):
                high = middle
            else:
                low = middle + 1
        return float(moments[low]) if low < len(moments) else None

    def _free_after(self, free: Ints, ended: Ints) -> Ints:
        if not len(ended):
            return free
        rows = self.replay.rows(ended)
        free = free.copy()
        np.add.at(free, self.replay.node[rows], self.replay.amount[rows])
        return free

    def _fits(self, job: int, free: Ints) -> bool:
        replay = self.replay
        if len(free) == 1:
            return bool(
                (replay.amount[replay.offset[job] : replay.offset[job + 1]].sum(axis=0) <= free[0]).all()
            )
        tasks = self.table.trace.tasks
        row = tasks.offset[job]
        taken = replay.whole.of(int(row))
        if taken is not None:
            return len(replay.whole.holding(free, taken)) >= taken.nodes
        need = [max(0, int(tasks[name][row])) if name in tasks.columns else 0 for name in replay.names]
        room = np.min([free[:, k] // need[k] for k in range(len(need)) if need[k] > 0], axis=0)
        return bool(np.maximum(room, 0).sum() >= tasks["count"][row])
