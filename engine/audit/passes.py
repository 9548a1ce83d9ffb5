"""Promises of each scheduling pass: who it may start past jobs that wait.

Nobody goes past a blocked job under `fcfs`; else no start is in the way of a reservation that the pass
makes for one of the first jobs that it blocks, and only as many jobs are looked at as the policy says.
On nodes where a reservation is hangs on where each job is placed: there only the order is checked.
"""

from __future__ import annotations

import numpy as np

from engine.audit.beliefs import backfill_keys, ranks
from engine.audit.clock import DIGITS
from engine.audit.limits import held_back
from engine.audit.profile import fill, make_profile
from engine.audit.replay import Replay
from engine.audit.report import Case, Finding, counted, finding, number
from engine.audit.sweep import (
    IN_THE_WAY,
    PASSED,
    PAST_USER,
    STOP,
    UNTRIED,
    WITHOUT_END,
    PassQueue,
    PassRules,
    Wishes,
    sweep,
)
from engine.audit.table import Ints, ScheduleTable
from engine.policy.policy import Policy

TICKS = 10**DIGITS
"""Ticks of a second: reservations are made in whole numbers of them."""


class Passes:
    """Follows a replay and sweeps anew whenever jobs started; `look` at each event, then `result`."""

    def __init__(
        self,
        table: ScheduleTable,
        replay: Replay,
        policy: Policy,
        tolerance: float,
    ) -> None:
        self.table, self.replay, self.policy = table, replay, policy
        behind = backfill_keys(policy, table.trace, replay.estimate, replay.procs)
        self.behind = None if behind is None else ranks(behind)
        depths = {"stop": STOP, "all": WITHOUT_END}
        self.rules = PassRules(
            depth=depths[policy.depth] if isinstance(policy.depth, str) else policy.depth,
            most=policy.test_limit or WITHOUT_END,
            most_of_user=policy.user_test_limit or WITHOUT_END,
            horizon=policy.horizon * TICKS if policy.horizon is not None else WITHOUT_END,
            resolution=(policy.resolution or 1) * TICKS if policy.resolution is not None else 1,
            own_order=behind is not None,
            relaxed=-1.0 if policy.relaxed is None else float(policy.relaxed),
            slack=round(tolerance * TICKS),
            plans=replay.pooled and policy.depth not in ("stop", 0),
            second=TICKS,
        )
        self.wishes = Wishes(
            need=np.ascontiguousarray(replay.amount) if self.rules.plans else np.zeros((1, 1), np.int64),
            length=replay.estimate * TICKS,
            submit=table.trace.submit * TICKS,
            latest=np.full(len(replay.estimate) if policy.relaxed is not None else 0, -1, np.int64),
        )
        self.profile = make_profile(
            replay.capacity[0].tolist(), len(replay.estimate) if self.rules.plans else 1
        )
        self.limited = policy.limited
        self.bounded = policy.test_limit is not None or policy.user_test_limit is not None
        self.sees_all = self.limited or self.bounded or policy.reserves_within_bounds or self.rules.depth > 1
        self.past = 0
        self.broken: dict[int, list[Case]] = {PASSED: [], UNTRIED: [], PAST_USER: [], IN_THE_WAY: []}

    def look(self) -> None:
        """Sweep the queue as it was before the starts of this moment, and judge these."""
        replay = self.replay
        if self.rules.relaxed >= 0:
            judges = bool(replay.waiting)  # or the first reservation of a job would not be known
        elif self.bounded:
            judges = bool(replay.started)
        else:
            head = replay.head()
            judges = head is not None and any(replay.key(job) > replay.key(head) for job in replay.started)
        if judges:
            self._sweep()

    def result(self) -> tuple[Finding, ...]:
        """Starts that no pass of this policy makes, by kind."""
        texts = {
            PASSED: ("order", "jobs that started before one ahead of them in the queue", ""),
            UNTRIED: ("test_limit", "jobs that started although their pass looks at fewer jobs", ""),
            PAST_USER: (
                "user_test_limit",
                "jobs that started although their pass looks at fewer jobs of a user",
                "",
            ),
            IN_THE_WAY: ("reservation", "jobs that started in the way of a reservation ahead of them", "s"),
        }
        found: tuple[Finding, ...] = ()
        for code, (kind, text, unit) in texts.items():
            found += finding(kind, text, self.broken[code], unit)
        return found

    def _sweep(self) -> None:
        replay, now = self.replay, round(self.replay.now * TICKS)
        running = np.array([*replay.running.difference(replay.started)], np.int64)
        line = self._line(running)
        if self.rules.plans:
            ends = np.round(replay.believed_ends(running) * TICKS).astype(np.int64)
            ends += -ends % self.rules.resolution
            order = np.argsort(ends, kind="stable")
            fill(self.profile, replay.capacity[0], running[order], ends[order], self.wishes.need)
        verdict = np.zeros((len(line.jobs), 2), np.int64)
        blocked = sweep(self.rules, self.profile, now, line, self.wishes, verdict)
        if blocked >= 0:
            self.past += int(line.started[blocked:].sum())
        for index in np.flatnonzero(verdict[:, 0]):
            self._tell(int(line.jobs[index]), int(line.jobs[blocked]), *verdict[index].tolist())

    def _tell(self, job: int, blocked: int, verdict: int, fits: int) -> None:
        ids, now, late = self.table.trace.job_id, self.replay.now, None
        if verdict == PASSED:
            text = f"passed job {ids[blocked]}, which waited"
        elif verdict == UNTRIED:
            text = f"the pass looks at {self.rules.most:,} jobs, and this one came later"
        elif verdict == PAST_USER:
            most = counted(self.rules.most_of_user, "job")
            text = f"the pass looks at {most} of a user, and this one came later"
        else:
            late = round(fits / TICKS - now, DIGITS)
            text = (
                f"passed job {ids[blocked]}, which waited, and fits beside the reservations only from "
                f"{number(fits / TICKS)} s on"
            )
        self.broken[verdict].append(Case(text, str(ids[job]), now, late))

    def _line(self, running: Ints) -> PassQueue:
        """The queue before the starts of this moment, in its order.

        Among equal ones those that started come first: the order of jobs that are alike but for
        their index in the log is nobody's promise. Where reservations are relaxed, or users limited, it is
        that of the log: how late a job may start goes by what was ahead of it when it came, and whether a
        limit holds it by what started before its turn.
        """
        replay = self.replay
        head = replay.head()
        waiting = replay.waiting if self.sees_all or head is None else {head}
        jobs = np.array([*replay.started, *waiting], np.int64)
        started = np.arange(len(jobs)) < len(replay.started)
        by_log = self.rules.relaxed >= 0 or self.limited
        alike = np.zeros(len(jobs), np.bool_) if by_log else ~started
        order = np.lexsort((jobs, alike, *replay.order(jobs)))
        jobs, started = jobs[order], started[order]
        behind = np.zeros(0, np.int64)
        if self.behind is not None:
            behind = np.lexsort((jobs, ~started, self.behind[jobs]))
        held = np.zeros(len(jobs), np.bool_)
        if self.limited:
            held = held_back(self.table.trace, self.policy, replay.procs, running, jobs, started)
        user = self.table.trace.user.codes[jobs].astype(np.int64)
        return PassQueue(jobs, started, held, user, behind)
