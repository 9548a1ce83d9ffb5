"""The promise of conservative backfilling: no job starts later than planned at its submission.

Each job is planned at submission, in the earliest gap for its whole estimate beside all
running and planned jobs (Feitelson & Weil 1998). Each end frees the rest of its slot, and
all waiting jobs are planned anew in order of submission, none later than before.
"""

from __future__ import annotations

import numpy as np

from engine.audit.clock import DIGITS, later
from engine.audit.profile import Profile
from engine.audit.replay import Replay
from engine.audit.report import Case, Finding, Guarantees, finding, number
from engine.audit.table import Ints, ScheduleTable


class Plans:
    """Follows a replay on a pool and plans every job; `look` at each event, then `result`.

    Once a job outlives its estimate, plans may slip: from that second on nothing is planned,
    and only promises of earlier starts are judged.
    """

    def __init__(self, table: ScheduleTable, replay: Replay, estimate: Ints, tolerance: float) -> None:
        self.table, self.replay, self.tolerance = table, replay, tolerance
        self.length = estimate.tolist()
        self.need = [tuple(row) for row in replay.amount.tolist()]
        self.promised = np.full(len(estimate), np.nan)
        self.profile = Profile(replay.capacity[0].tolist())
        self.planned: dict[int, float] = {}  # waiting jobs in order of submission
        self.held: dict[int, float] = {}  # running jobs: when their slots end
        expected = np.round(replay.start + estimate, DIGITS)
        self.slips_at = float(expected[replay.end > expected].min(initial=np.inf))

    def look(self) -> None:
        """Plan what was submitted, then plan anew at each end, then follow what was started."""
        replay, now = self.replay, self.replay.now
        if now >= self.slips_at:
            return
        self.profile.forget(now)
        self._plan_overdue(now)
        for job in replay.submitted:
            if replay.start[job] >= now and all(replay.amount[job] <= replay.capacity[0]):
                self._plan(job, now)
                self.promised[job] = self.planned[job]
        for job in replay.ended:
            slot_end = self.held.pop(job, None)
            if slot_end is not None:
                self.profile.give(now, slot_end, self.need[job])
                self._plan_anew(now)
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

    def _plan(self, job: int, now: float) -> None:
        start = self.profile.earliest(now, self.length[job], self.need[job])
        self.planned[job] = start
        self.profile.take(start, later(start, self.length[job]), self.need[job])

    def _unplan(self, job: int, start: float) -> None:
        self.profile.give(start, later(start, self.length[job]), self.need[job])

    def _plan_anew(self, now: float) -> None:
        for job, start in self.planned.items():
            if start > now:
                self._unplan(job, start)
                self._plan(job, now)

    def _plan_overdue(self, now: float) -> None:
        """Jobs that the schedule did not start when this plan would have."""
        for job, start in self.planned.items():
            if start < now:
                self._unplan(job, start)
                self._plan(job, now)

    def _start(self, job: int, now: float) -> None:
        planned = self.planned.pop(job, None)
        if planned is not None:
            self._unplan(job, planned)
        self.held[job] = later(now, self.length[job])
        self.profile.take(now, self.held[job], self.need[job])
