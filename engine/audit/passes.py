"""Checks of each scheduling pass: the jobs that it may start before waiting ones.

Under `fcfs` no job may start before a blocked one; otherwise no start may delay a reservation that the pass
makes for one of the first blocked jobs, and only as many jobs may be tried as the policy allows.
On nodes reservations depend on the placement of each job, so only the order is checked there.
"""

from __future__ import annotations

import numpy as np

from engine.audit.clock import DIGITS, TICKS
from engine.audit.limits import make_held
from engine.audit.pass_checks import BLOCKED, FITS, JOB, VERDICT, WHEN, PassChecks
from engine.audit.policy_rules import backfill_places
from engine.audit.profile import make_profile
from engine.audit.refusals import held_processors
from engine.audit.replay import WITHOUT_END, Replay
from engine.audit.report import AuditFinding, Case, finding, number
from engine.audit.sweep import (
    IN_THE_WAY,
    PASSED,
    PAST_USER,
    STOP,
    UNTRIED,
    JobRequests,
    PassRules,
    make_pass_queue,
)
from engine.audit.table import Ints, ScheduleTable
from engine.audit.waiting import make_waiting
from engine.machine.cluster import Cluster
from engine.policy.policy import Policy
from engine.words import counted

_TEXTS = {
    PASSED: ("order", "jobs that started before a job ahead in the queue", ""),
    UNTRIED: ("test_limit", "jobs that started although the pass tries fewer jobs", ""),
    PAST_USER: ("user_test_limit", "jobs that started although the pass tries fewer jobs of a user", ""),
    IN_THE_WAY: ("reservation", "jobs that started in the way of a reservation ahead", "s"),
}
"""The kinds of broken promises: name, text and unit."""


def make_pass_checks(
    table: ScheduleTable, cluster: Cluster, policy: Policy, replay: Replay, tolerance: float, on: bool
) -> PassChecks:
    """The state before the first pass; without `on` no pass is checked."""
    trace, jobs = table.trace, len(table.trace) if on else 0
    rules = pass_rules(policy, cluster.pooled, tolerance)
    procs = held_processors(trace, cluster, policy)
    behind = backfill_places(policy, trace, replay.estimate, procs) if on else None
    limited = policy.limited
    bounded = policy.test_limit is not None or policy.user_test_limit is not None
    none, planned = np.zeros(0, np.int64), rules.plans and on
    return PassChecks(
        on=on,
        rules=rules,
        requests=JobRequests(
            need=np.minimum(replay.holdings.amount, replay.capacity)  # or it would never fit
            if planned
            else np.zeros((1, replay.free.shape[1]), np.int64),
            length=replay.estimate,
            submit=replay.submit,
            latest=np.full(jobs if policy.relaxed is not None else 0, -1, np.int64),
        ),
        profile=make_profile(replay.capacity[0].tolist(), jobs if planned else 1),
        line=make_pass_queue(jobs, len(trace.user.names)),
        held=make_held(trace, policy, procs),
        user=trace.user.codes.astype(np.int64),
        behind=make_waiting(none if behind is None else behind.place),
        behind_alike=none if behind is None else behind.alike,
        turn=np.zeros(0 if behind is None else jobs, np.int64),
        bounded=bounded,
        sees_all=limited or bounded or policy.reserves_within_bounds or rules.depth > 1,
        by_log=rules.relaxed >= 0 or limited,
        past=np.zeros(1, np.int64),
        broken=np.zeros((jobs, 5), np.int64),
        used=np.zeros(1, np.int64),
    )


def pass_rules(policy: Policy, pooled: bool, tolerance: float) -> PassRules:
    """The rules for passes of a policy; differences of times up to `tolerance` (s) are allowed."""
    # Kept reservations, like those of all jobs, mean that every blocked job has a reservation.
    depths = {"stop": STOP, "all": WITHOUT_END, "kept": WITHOUT_END}
    return PassRules(
        depth=depths[policy.depth] if isinstance(policy.depth, str) else policy.depth,
        most=policy.test_limit or WITHOUT_END,
        most_of_user=policy.user_test_limit or WITHOUT_END,
        horizon=policy.horizon * TICKS if policy.horizon is not None else WITHOUT_END,
        resolution=(policy.resolution or 1) * TICKS if policy.resolution is not None else 1,
        own_order=policy.backfill != "queue",
        relaxed=-1.0 if policy.relaxed is None else float(policy.relaxed),
        slack=round(tolerance * TICKS),
        # On nodes reservations depend on the places of jobs, which a sweep of totals does not know.
        plans=pooled and policy.depth not in ("stop", 0),
        second=TICKS,
    )


def broken_passes(checks: PassChecks, table: ScheduleTable) -> tuple[AuditFinding, ...]:
    """Starts that no pass of this policy makes, by kind."""
    findings: tuple[AuditFinding, ...] = ()
    rows = checks.broken[: checks.used[0]]
    # A pass that backfills notes rules in its own order: those of the same second are sorted by job.
    rows = rows[np.lexsort((rows[:, JOB], rows[:, WHEN]))]
    for code, (kind, text, unit) in _TEXTS.items():
        cases = [_case(checks.rules, table, row) for row in rows[rows[:, VERDICT] == code]]
        findings += finding(kind, text, cases, unit)
    return findings


def _case(rules: PassRules, table: ScheduleTable, row: Ints) -> Case:
    ids, now, late = table.trace.job_id, int(row[WHEN]) / TICKS, None
    if row[VERDICT] == PASSED:
        text = f"passed job {ids[row[BLOCKED]]}, which waited"
    elif row[VERDICT] == UNTRIED:
        text = f"the pass looks at {rules.most:,} jobs, and this job was behind them"
    elif row[VERDICT] == PAST_USER:
        most = counted(rules.most_of_user, "job")
        text = f"the pass looks at {most} of a user, and this job was behind them"
    else:
        fits = int(row[FITS]) / TICKS
        late = round(fits - now, DIGITS)
        text = (
            f"passed job {ids[row[BLOCKED]]}, which waited, and fits beside the reservations only from "
            f"{number(fits)} s on"
        )
    return Case(text, str(ids[row[JOB]]), now, late)
