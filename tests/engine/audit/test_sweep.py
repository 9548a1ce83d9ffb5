"""The sweep of a pass against its definition: what fits beside what, second by second."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import NamedTuple

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.audit.profile import fill, make_profile
from engine.audit.sweep import (
    IN_THE_WAY,
    PASSED,
    RIGHT,
    STOP,
    UNTRIED,
    WITHOUT_END,
    PassQueue,
    PassRules,
    Wishes,
    sweep,
)

CAPACITY = 6


class Queued(NamedTuple):
    need: int
    length: int
    started: bool
    held: bool
    behind: int


class Hold(NamedTuple):
    begin: int
    end: int
    need: int


def fits(holds: Sequence[Hold], job: Queued, begin: int) -> bool:
    seconds = range(begin, begin + job.length)
    used = (sum(hold.need for hold in holds if hold.begin <= t < hold.end) for t in seconds)
    return all(amount + job.need <= CAPACITY for amount in used)


def slow_sweep(
    depth: int, most: int, own_order: bool, running: Sequence[Hold], queue: Sequence[Queued]
) -> list[tuple[int, int]]:
    """Verdicts of a pass at 0 that makes its reservations at whole seconds."""
    verdict = [(RIGHT, 0)] * len(queue)
    holds, reserved, blocked = list(running), 0, False
    left, looked = list(range(len(queue))), 0
    placing = True
    while left:
        if placing and blocked and (depth == STOP or reserved >= depth):
            placing = False
            if own_order:
                left.sort(key=lambda index: (queue[index].behind, not queue[index].started, index))
        index = left.pop(0)
        job = queue[index]
        looked += 1
        if not placing and depth == STOP:
            verdict[index] = (PASSED, 0) if job.started else (RIGHT, 0)
        elif looked > most:
            verdict[index] = (UNTRIED, 0) if job.started else (RIGHT, 0)
        elif job.started:
            first = next(t for t in count() if fits(holds, job, t))
            if reserved and first > 0 and depth > 0:
                verdict[index] = (IN_THE_WAY, first)
            else:
                holds.append(Hold(0, job.length, job.need))
        elif placing and not job.held:
            blocked = True
            if depth > 0:
                begin = next(t for t in count() if fits(holds, job, t))
                holds.append(Hold(begin, begin + job.length, job.need))
                reserved += 1
    return verdict


runs = st.lists(st.builds(Hold, st.just(-1), st.integers(1, 9), st.integers(1, 2)), max_size=3)
queues = st.lists(
    st.builds(Queued, st.integers(1, 6), st.integers(1, 6), st.booleans(), st.booleans(), st.integers(0, 2)),
    min_size=1,
    max_size=8,
)


@settings(max_examples=400)
@given(
    st.sampled_from([STOP, 0, 1, 1, 2, 3, WITHOUT_END]),
    st.sampled_from([1, 2, 4, WITHOUT_END]),
    st.booleans(),
    runs,
    queues,
)
def test_starts_are_judged_by_the_definition(
    depth: int, most: int, own_order: bool, running: list[Hold], queue: list[Queued]
) -> None:
    jobs, more = len(queue), len(running)
    need = np.array([[job.need] for job in [*queue, *running]], np.int64)
    length = np.array([job.length for job in queue], np.int64)
    profile = make_profile([CAPACITY], jobs + more)
    running.sort(key=lambda hold: hold.end)
    need[jobs:, 0] = [hold.need for hold in running]
    ends = np.array([hold.end for hold in running], np.int64)
    fill(profile, np.array([CAPACITY]), np.arange(jobs, jobs + more), ends, need)
    started = np.array([job.started for job in queue])
    indices = np.arange(jobs)
    line = PassQueue(
        indices,
        started,
        np.array([job.held for job in queue]),
        np.lexsort((indices, ~started, [job.behind for job in queue])),
    )
    rules = PassRules(depth, most, own_order, -1.0, 0, depth > 0, 1)
    wishes = Wishes(need, length, np.zeros(jobs, np.int64), np.zeros(0, np.int64))
    verdict = np.zeros((jobs, 2), np.int64)
    blocked = sweep(rules, profile, 0, line, wishes, verdict)
    assert [tuple(row) for row in verdict.tolist()] == slow_sweep(depth, most, own_order, running, queue)
    unlucky = [p for p, job in enumerate(queue) if not (job.started or job.held) and p < most]
    assert blocked == min(unlucky, default=-1)
