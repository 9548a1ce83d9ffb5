"""Finished runs, written down by hand, for tests of charts and tables."""

from collections.abc import Sequence

import numpy as np

from engine.fairness.violations import Violations
from engine.metrics.summary import summary
from engine.metrics.users import per_user
from engine.schedule.schedule import NO_LOG, DecisionLog, Schedule
from engine.trace import Trace
from tests.traces import Numbers, make_schedule
from views.data.results import Result


def make_result(
    trace: Trace,
    start: Numbers,
    run_id: int = 1,
    policy: str = "easy",
    *,
    grace: int | None = 600,
    log: DecisionLog = NO_LOG,
) -> Result:
    """A run with these starts; jobs are expected to end `grace` seconds after submission and runtime."""
    schedule = make_schedule(trace, start, policy=policy, log=log)
    violations = None if grace is None else judge_by_grace(schedule, grace)
    values = summary(schedule, violations)
    return Result(run_id, schedule, lambda: values, per_user(schedule, violations), violations)


def judge_by_grace(schedule: Schedule, grace: int) -> Violations:
    """Expected ends that hang on the job alone."""
    trace = schedule.trace
    eet = np.where(schedule.ran, trace.submit + trace.runtime + grace, -1)
    tardiness = np.where(schedule.ran, np.maximum(schedule.end - eet, 0), 0)
    users = len(trace.user.names)
    codes = trace.user.codes
    return Violations(
        eet=eet,
        tardiness=tardiness,
        violated=tardiness > 0,
        jobs=np.bincount(codes[schedule.ran], minlength=users),
        violated_jobs=np.bincount(codes[tardiness > 0], minlength=users),
        weighted_tardiness=np.bincount(codes, schedule.procs * tardiness, users),
    )


def decisions(*rows: Sequence[int]) -> DecisionLog:
    """A decision log of (time, job, kind, value) rows."""
    table = np.array(rows, np.int64).reshape(-1, 4)
    return DecisionLog(*(np.ascontiguousarray(table[:, k]) for k in range(4)))
