"""Preemption by value: whether each job that stopped others was allowed to.

Written apart from the simulator, from the runs of the schedule and the values of the policy.
"""

from __future__ import annotations

import numpy as np

from engine.audit.report import AuditFinding, Case, finding, number
from engine.policy.offers import values_of
from engine.schedule.schedule import Schedule


def check_preemptions(schedule: Schedule) -> tuple[AuditFinding, ...]:
    """Jobs that stopped others although they did not start then, or bid too little for that.

    With budgets, what a job bids depends on what its user had left, so that only the starts are checked.
    """
    policy, stopped = schedule.policy, schedule.stopped
    assert policy.preempt_value is not None
    runs_of = list(zip(stopped.job.tolist(), stopped.start.tolist(), strict=True))
    starts = {*enumerate(schedule.start.tolist()), *runs_of}
    value = values_of(policy, schedule.trace)
    idle, cheap = [], []
    own = np.flatnonzero(stopped.preempted)
    # A job may stop several runs in one second: they are judged together, since their bids add up.
    for by, time in sorted(set(zip(stopped.by[own].tolist(), stopped.end[own].tolist(), strict=True))):
        runs = own[(stopped.by[own] == by) & (stopped.end[own] == time)]
        name = str(schedule.trace.job_id[by])
        if (by, time) not in starts or (stopped.start[runs] >= time).any():
            idle.append(Case("it stopped others and did not start, or stopped what just began", name, time))
            continue
        if policy.budget:
            continue
        jobs = np.append(stopped.job[runs], by)
        waits = np.append(stopped.start[runs], time) - schedule.submit[jobs]
        bids = np.maximum(value[jobs] * policy.fade.share(waits.astype(np.float64)), 0.0)
        short = float(bids[:-1].sum()) * policy.preempt_value - float(bids[-1])
        if short >= 0:
            text = (
                f"it bids {number(float(bids[-1]))}, those that it stopped {number(float(bids[:-1].sum()))}"
            )
            cheap.append(Case(text, name, time, short))
    return (
        *finding("preemption", "jobs that stopped others and did not start then", idle),
        *finding("preemption bids", "jobs that stopped others which bid too much", cheap),
    )
