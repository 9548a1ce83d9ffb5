"""The promise of conservative backfilling: no job starts later than planned at its submission.

Each job is planned at submission, in the earliest gap for its whole estimate beside all
running and planned jobs (Feitelson & Weil 1998). Each end frees the rest of its slot, and
all waiting jobs are planned anew in order of submission, none later than before.
"""

from __future__ import annotations

import numpy as np

from engine.audit.clock import DIGITS
from engine.audit.profile import change, earliest, forget, make_profile, plan_anew
from engine.audit.replay import Replay
from engine.audit.report import Case, Finding, Guarantees, finding, number
from engine.audit.table import Ints, ScheduleTable

TICKS = 10**DIGITS
"""Ticks of a second: plans are made in whole numbers of them."""


class PlanAudit:
    """Follows a replay on a pool and plans every job; `look` at each event, then `result`.

    Once a job outlives its estimate, plans may slip: from that second on nothing is planned,
    and only promises of earlier starts are judged. With `by_start` jobs are planned anew in the order of
    their planned starts, else of submission.
    """

    def __init__(self, table: ScheduleTable, replay: Replay, tolerance: float, by_start: bool) -> None:
        self.table, self.replay, self.tolerance = table, replay, tolerance
        self.by_start = by_start
        estimate = replay.estimate
        self.need = np.ascontiguousarray(replay.amount)
        self.promised = np.full(len(estimate), np.nan)  # s
        self.profile = make_profile(replay.capacity[0].tolist(), len(estimate))  # in ticks, as all below
        self.length = estimate * TICKS
        self.planned = np.zeros(len(estimate), np.int64)  # when the slots of waiting jobs begin
        self.waiting: dict[int, None] = {}  # in order of submission
        self.held: dict[int, int] = {}  # running jobs: when their slots end
        expected = np.round(replay.start + estimate, DIGITS)
        self.slips_at = float(expected[replay.end > expected].min(initial=np.inf))

    def look(self) -> None:
        """Plan what was submitted, then plan anew at each end, then follow what was started."""
        replay = self.replay
        if replay.now >= self.slips_at:
            return
        now = round(replay.now * TICKS)
        forget(self.profile, now)
        self._plan_overdue(now)
        for job in replay.submitted:
            if replay.start[job] >= replay.now and (self.need[job] <= replay.capacity[0]).all():
                self.waiting[job] = None
                self._plan(job, now)
                self.promised[job] = self.planned[job] / TICKS
        for job in replay.ended:
            slot_end = self.held.pop(job, None)
            if slot_end is not None:
                change(self.profile, now, slot_end, self.need[job], 1)
                plan_anew(self.profile, self._queue(), self.planned, self.length, self.need, now)
        for job in replay.started:
            self._start(job, now)

    def result(self) -> tuple[tuple[Finding, ...], Guarantees]:
        """Jobs that started later than was promised, and the tally."""
        judged = np.flatnonzero(self.promised < self.slips_at)
        late = np.round(self.replay.start[judged] - self.promised[judged], DIGITS)
        cases = [
            Case(
                f"planned at its submission to start at {number(self.promised[job])} s: {number(by)} s late",
                str(self.table.trace.job_id[job]),
                float(self.replay.start[job]),
                float(by),
            )
            for job, by in zip(judged, late, strict=True)
            if by > self.tolerance
        ]
        made = len(self.promised[~np.isnan(self.promised)])
        tally = Guarantees(made, len(judged) - len(cases), len(cases), made - len(judged))
        text = f"of {len(judged):,} starts planned at submission were not kept"
        return finding("guarantee", text, cases, "s"), tally

    def _queue(self) -> Ints:
        """The waiting jobs, shape (k,), in the order in which they are planned anew."""
        jobs = np.fromiter(self.waiting, np.int64, len(self.waiting))
        return jobs[np.lexsort((jobs, self.planned[jobs]))] if self.by_start else jobs

    def _plan(self, job: int, now: int) -> None:
        start = earliest(self.profile, now, self.length[job], self.need[job])
        self.planned[job] = start
        change(self.profile, start, start + self.length[job], self.need[job], -1)

    def _unplan(self, job: int) -> None:
        start = self.planned[job]
        change(self.profile, start, start + self.length[job], self.need[job], 1)

    def _plan_overdue(self, now: int) -> None:
        """Jobs that the schedule did not start when this plan would have."""
        jobs = self._queue()
        for job in jobs[self.planned[jobs] < now].tolist():
            self._unplan(job)
            self._plan(job, now)

    def _start(self, job: int, now: int) -> None:
        if job in self.waiting:
            del self.waiting[job]
            self._unplan(job)
        self.held[job] = now + int(self.length[job])
        change(self.profile, now, self.held[job], self.need[job], -1)
