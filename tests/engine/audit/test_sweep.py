"""The sweep of a pass against its definition: what fits beside what, second by second."""

import math
from collections import Counter
from collections.abc import Sequence
from itertools import count
from typing import NamedTuple

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.audit import profile as profiles
from engine.audit import sweep as sweeps
from engine.audit.profile import make_profile
from engine.audit.sweep import (
    IN_THE_WAY,
    PASSED,
    PAST_USER,
    RIGHT,
    STOP,
    UNTRIED,
    WITHOUT_END,
    JobRequests,
    PassRules,
    make_pass_queue,
)
from tests.parts import from_python

change = from_python(profiles.change)
sweep = from_python(sweeps.sweep)

CAPACITY = 6


class Queued(NamedTuple):
    need: int
    length: int
    started: bool
    held: bool
    behind: int
    user: int


class Hold(NamedTuple):
    begin: int
    end: int
    need: int


def fits(holds: Sequence[Hold], job: Queued, begin: int) -> bool:
    seconds = range(begin, begin + job.length)
    used = (sum(hold.need for hold in holds if hold.begin <= t < hold.end) for t in seconds)
    return all(amount + job.need <= CAPACITY for amount in used)


def slow_sweep(
    rules: PassRules, running: Sequence[Hold], queue: Sequence[Queued]
) -> tuple[list[tuple[int, int]], int]:
    """Verdicts of a pass at 0 that makes its reservations at whole seconds, and who was blocked first."""
    depth, most, own_order = rules.depth, rules.most, rules.own_order
    verdict = [(RIGHT, 0)] * len(queue)
    holds, reserved, blocked = list(running), 0, -1
    left, looked, of_user = list(range(len(queue))), 0, Counter[int]()
    placing = True
    while left:
        # The part of the queue ends with the limit of the pass or the depth; then backfilling has its own
        # order.
        if placing and (looked == most or (blocked >= 0 and (depth == STOP or reserved >= depth))):
            placing = False
            if own_order:
                left.sort(key=lambda index: (queue[index].behind, not queue[index].started, index))
        index = left.pop(0)
        job = queue[index]
        if blocked >= 0 and depth == STOP:
            verdict[index] = (PASSED, 0) if job.started else (RIGHT, 0)
            continue
        of_user[job.user] += 1
        # A user over the limit is skipped; the pass goes on.
        if of_user[job.user] > rules.most_of_user:
            verdict[index] = (PAST_USER, 0) if job.started else (RIGHT, 0)
            continue
        looked += 1
        if looked > most:
            verdict[index] = (UNTRIED, 0) if job.started else (RIGHT, 0)
        elif job.started:
            # Second by second: the first at which it fits for its whole length.
            first = next(t for t in count() if fits(holds, job, t))
            if reserved and first > 0 and depth > 0:
                verdict[index] = (IN_THE_WAY, first)
            else:
                holds.append(Hold(0, rounded(job.length, rules), job.need))
        # Only jobs that no limit holds are blocked, and reserve within the horizon.
        elif placing and not job.held:
            blocked = index if blocked < 0 else blocked
            begin = next(t for t in count() if fits(holds, job, t))
            if depth > 0 and begin <= rules.horizon:
                holds.append(Hold(begin, rounded(begin + job.length, rules), job.need))
                reserved += 1
    return verdict, blocked


def rounded(end: int, rules: PassRules) -> int:
    return math.ceil(end / rules.resolution) * rules.resolution


runs = st.lists(st.builds(Hold, st.just(-1), st.integers(1, 9), st.integers(1, 2)), max_size=3)
queues = st.lists(
    st.builds(
        Queued,
        st.integers(1, 6),
        st.integers(1, 6),
        st.booleans(),
        st.booleans(),
        st.integers(0, 2),
        st.integers(0, 2),
    ),
    min_size=1,
    max_size=8,
)


@settings(max_examples=150)
@given(
    st.sampled_from([STOP, 0, 1, 1, 2, 3, WITHOUT_END]),
    st.sampled_from([1, 2, 4, WITHOUT_END]),
    st.sampled_from([1, 2, WITHOUT_END]),
    st.sampled_from([2, 5, WITHOUT_END]),
    st.sampled_from([1, 3]),
    st.booleans(),
    runs,
    queues,
)
def test_starts_are_judged_by_the_definition(
    depth: int,
    most: int,
    most_of_user: int,
    horizon: int,
    resolution: int,
    own_order: bool,
    running: list[Hold],
    queue: list[Queued],
) -> None:
    jobs, more = len(queue), len(running)
    need = np.array([[job.need] for job in [*queue, *running]], np.int64)
    length = np.array([job.length for job in queue], np.int64)
    profile = make_profile([CAPACITY], jobs + more)
    need[jobs:, 0] = [hold.need for hold in running]
    for index, hold in enumerate(running):
        change(profile, hold.begin, hold.end, need, jobs + index, -1)
    line, indices = make_pass_queue(jobs, 3), np.arange(jobs)
    line.many[0] = jobs
    line.jobs[:] = indices
    line.started[:] = [job.started for job in queue]
    line.held[:] = [job.held for job in queue]
    line.user[:] = [job.user for job in queue]
    line.behind[:] = np.lexsort((indices, ~line.started, [job.behind for job in queue]))
    rules = PassRules(depth, most, most_of_user, horizon, resolution, own_order, -1.0, 0, depth > 0, 1)
    requests = JobRequests(need, length, np.zeros(jobs, np.int64), np.zeros(0, np.int64))
    blocked = sweep(rules, profile, 0, line, requests)
    assert ([tuple(row) for row in line.verdict.tolist()], blocked) == slow_sweep(rules, running, queue)
