"""The check of conservative backfilling: no job starts later than planned at its submission.

Each job is planned at submission, in the earliest gap for its whole estimate beside all
running and planned jobs (Feitelson & Weil 1998). Each end frees the rest of the job's reserved time, and
all waiting jobs are replanned in order of submission, none later than before.
Once a job runs beyond its estimate, plans may slip: from that second on nothing is planned,
and only starts promised for earlier times are checked.
"""

from __future__ import annotations

import numpy as np

from engine.audit.clock import TICKS
from engine.audit.plan_checks import PlanChecks
from engine.audit.profile import make_profile
from engine.audit.replay import NEVER, NOBODY, Replay
from engine.audit.report import AuditFinding, Case, Guarantees, finding, number
from engine.audit.table import ScheduleTable


def make_plan_checks(replay: Replay, by_start: bool, on: bool) -> PlanChecks:
    """The state before the first submission; without `on` no plan is checked.

    With `by_start` jobs are replanned in the order of their planned starts, otherwise of submission.
    """
    jobs = len(replay.start) if on else 0
    # The first moment at which a job outlives its estimate: from then on plans are moved in ways that no
    # promise covers.
    ran = replay.start < NEVER
    expected = replay.start[ran] + replay.estimate[ran]
    slips_at = expected[replay.end[ran] > expected].min(initial=NEVER)
    return PlanChecks(
        on=on,
        by_start=by_start,
        slips_at=int(slips_at),
        need=replay.holdings.amount if on else np.zeros((1, replay.free.shape[1]), np.int64),
        length=replay.estimate,
        profile=make_profile(replay.capacity[0].tolist(), jobs),
        jobs=np.zeros(jobs, np.int64),
        many=np.zeros(1, np.int64),
        waits=np.zeros(jobs, np.int64),
        planned=np.zeros(jobs, np.int64),
        held=np.full(jobs, NOBODY, np.int64),
        promised=np.full(jobs, NOBODY, np.int64),
        freed=np.zeros(1, np.int64),
        off_plan=np.zeros(1, np.int64),
    )


def broken_plans(
    checks: PlanChecks, table: ScheduleTable, replay: Replay, tolerance: float
) -> tuple[tuple[AuditFinding, ...], Guarantees]:
    """Jobs that started later than was promised, and the tally."""
    made = checks.promised != NOBODY
    # Promises for a time after that moment are not held against the schedule.
    judged = np.flatnonzero(made & (checks.promised < checks.slips_at))
    late = (replay.start[judged] - checks.promised[judged]) / TICKS
    cases = [
        Case(
            f"planned at its submission to start at {number(int(checks.promised[job]) / TICKS)} s: "
            f"{number(by)} s late",
            str(table.trace.job_id[job]),
            int(replay.start[job]) / TICKS,
            float(by),
        )
        for job, by in zip(judged[late > tolerance], late[late > tolerance], strict=True)
    ]
    count = int(made.sum())
    tally = Guarantees(count, len(judged) - len(cases), len(cases), count - len(judged))
    text = f"of {len(judged):,} starts planned at submission were not kept"
    return finding("guarantee", text, cases, "s"), tally
