from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.arrays import Ints
from engine.audit import plan_checks
from engine.audit import profile as parts
from engine.audit.plan_checks import PlanChecks
from engine.audit.profile import BEGIN, END, make_profile
from tests.parts import from_python

change = from_python(parts.change)
earliest = from_python(parts.earliest)
forget = from_python(parts.forget)
most_free = from_python(parts.most_free)
falls_short = from_python(parts.falls_short)
plan_anew = from_python(plan_checks.plan_anew)


CAPACITY = (6, 5)
SPAN = 40

needs = st.tuples(st.integers(0, 6), st.integers(0, 5))
slots = st.tuples(st.integers(0, 20), st.integers(1, 10), needs)


def fits(held: list[list[int]], begin: int, length: int, need: Sequence[int], span: int = SPAN) -> bool:
    return all(
        held[second][k] + need[k] <= CAPACITY[k]
        for second in range(begin, min(begin + length, span))
        for k in range(2)
    )


@given(st.lists(slots, max_size=12), st.integers(0, 25), st.integers(1, 10), needs, st.integers(0, 6))
def test_the_earliest_gap_second_by_second(
    asked: list[tuple[int, int, tuple[int, int]]],
    since: int,
    length: int,
    need: tuple[int, int],
    given_back: int,
) -> None:
    profile = make_profile(CAPACITY, len(asked))
    held = [[0, 0] for _ in range(SPAN + 20)]
    taken = []
    for begin, lasts, amount in asked:
        if fits(held, begin, lasts, amount):
            taken.append((begin, lasts, amount, 1))
    # Each is tried beside those before it, so that the profile never goes below zero.
    kept = []
    for begin, lasts, amount, _ in taken:
        if fits(held, begin, lasts, amount):
            kept.append((begin, lasts, amount))
            change(profile, begin, begin + lasts, np.array([amount]), 0, -1)
            for second in range(begin, begin + lasts):
                held[second] = [a + b for a, b in zip(held[second], amount, strict=True)]
    for begin, lasts, amount in kept[:given_back]:
        change(profile, begin, begin + lasts, np.array([amount]), 0, 1)
        for second in range(begin, begin + lasts):
            held[second] = [a - b for a, b in zip(held[second], amount, strict=True)]
    expected = next(t for t in range(since, SPAN) if fits(held, t, length, need))
    assert earliest(profile, since, length, np.array([need]), 0) == expected
    forget(profile, since)
    assert earliest(profile, since, length, np.array([need]), 0) == expected
    free = profile.free[profile.span[BEGIN] : profile.span[END]].tolist()
    assert all(a != b for a, b in pairwise(free)), "steps that are none"
    assert tuple(free[-1]) == CAPACITY
    assert not falls_short(profile)
    used = [row[0] for row in held[since : max(since + length, since + 1)]]
    assert most_free(profile, since + len(used)) == CAPACITY[0] - min(used)
    change(profile, since, since + 1, np.array([(7, 0)]), 0, -1)
    assert falls_short(profile)


def _checks(
    profile: parts.FreeProfile, need: Ints, length: Ints, planned: Ints, until: int, off_plan: bool
) -> PlanChecks:
    """The state with all jobs waiting, after something was freed until `until`."""
    none = np.zeros(len(length), np.int64)
    return PlanChecks(
        on=True,
        by_start=False,
        slips_at=1000,
        need=need,
        length=length,
        profile=profile,
        jobs=np.arange(len(length)),
        many=np.full(1, len(length)),
        waits=none + 1,
        planned=planned,
        held=none,
        promised=none,
        freed=np.full(1, until),
        off_plan=np.full(1, int(off_plan)),
    )


@given(st.lists(slots, min_size=1, max_size=8), st.integers(0, 15), st.integers(1, 30), needs, st.booleans())
def test_planning_anew_second_by_second(
    jobs: list[tuple[int, int, tuple[int, int]]], now: int, until: int, need: tuple[int, int], off_plan: bool
) -> None:
    """A slot until `until` is given back; then each job in turn takes the earliest gap after `now`.

    Before that each job had the earliest gap, as `plan_anew` wants it.
    """
    jobs = [(0, lasts, amount) for _, lasts, amount in jobs]
    length = np.array([lasts for _, lasts, _ in jobs])
    amounts = np.array([amount for _, _, amount in jobs])
    profile = make_profile(CAPACITY, len(jobs) + 1)
    held = [[0, 0] for _ in range(200)]

    def hold(begin: int, end: int, amount: Sequence[int], sign: int) -> None:
        for second in range(begin, end):
            held[second] = [a + sign * b for a, b in zip(held[second], amount, strict=True)]

    def gap(since: int, job: int) -> int:
        return next(t for t in range(since, 190) if fits(held, t, int(length[job]), amounts[job], 200))

    def slot(job: int) -> tuple[int, int, list[int]]:
        return int(planned[job]), int(planned[job] + length[job]), amounts[job].tolist()

    change(profile, 0, until, np.array([need]), 0, -1)
    hold(0, until, need, 1)
    planned = np.zeros(len(jobs), np.int64)
    for job, (since, _, _) in enumerate(jobs):
        planned[job] = gap(since, job)
        change(profile, planned[job], planned[job] + length[job], amounts, job, -1)
        hold(*slot(job), 1)
    # The slot is given back in both; then the kernel and the slow count plan anew.
    change(profile, now, until, np.array([need]), 0, 1)
    hold(now, until, need, -1)
    found = planned.copy()
    plan_anew(_checks(profile, amounts, length, found, until, off_plan), now)
    for job in np.flatnonzero(planned > now).tolist():
        hold(*slot(job), -1)
        planned[job] = gap(now, job)
        hold(*slot(job), 1)
    assert found.tolist() == planned.tolist()
