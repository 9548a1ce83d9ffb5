"""What moved between two schedules, against a count job by job."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.fairness.violations import UserSteps
from engine.metrics.difference import difference, start_change, steps_difference
from engine.schedule.schedule import NOT_RUN
from tests.traces import make_schedule, make_trace

starts = st.one_of(st.just(NOT_RUN), st.integers(100, 130))
jobs = st.lists(st.tuples(starts, starts, st.sampled_from("abc")), min_size=1, max_size=12)


@given(jobs)
def test_each_job_and_each_user_counts_by_what_its_start_changed(jobs: list[tuple[int, int, str]]) -> None:
    trace = make_trace(range(len(jobs)), [5] * len(jobs), user=[user for *_, user in jobs])
    first = make_schedule(trace, [start for start, _, _ in jobs])
    second = make_schedule(trace, [start for _, start, _ in jobs])
    got = difference(first, second)
    counts: dict[str, Counter[str]] = {
        name: Counter() for name in ("jobs", "earlier", "later", "won", "lost")
    }
    for job, (before, after, user) in enumerate(jobs):
        ran = before != NOT_RUN and after != NOT_RUN
        assert got.jobs[job] == ran
        assert got.change[job] == (after - before if ran else 0)
        counts["jobs"][user] += ran
        if ran and after < before:
            counts["earlier"][user] += 1
            counts["won"][user] += before - after
        elif ran and after > before:
            counts["later"][user] += 1
            counts["lost"][user] += after - before
    for name, expected in counts.items():
        assert getattr(got.users, name).tolist() == [expected[user] for user in trace.user.names], name
    assert got.users.net.sum() == -got.change.sum()
    assert start_change(first, second).tolist() == got.change.tolist()


def test_only_some_jobs_are_compared() -> None:
    trace = make_trace([0, 0, 0], [5] * 3, user=["a", "b", "a"])
    first, second = make_schedule(trace, [0, 0, 0]), make_schedule(trace, [3, 4, NOT_RUN])
    got = difference(first, second, np.array([True, False, True]))
    assert got.jobs.tolist() == [True, False, False]
    assert got.change.tolist() == [3, 0, 0]
    assert got.users.jobs.tolist() == [1, 0]
    assert got.users.lost.tolist() == [3, 0]


def test_schedules_of_two_traces_are_not_compared() -> None:
    first, second = (make_schedule(make_trace([0], [5]), [0]) for _ in range(2))
    with pytest.raises(ValueError, match="one trace"):
        difference(first, second)


rows = st.lists(st.lists(st.integers(0, 3), max_size=8), min_size=3, max_size=3)
"""Three users, each with counts minute by minute."""


def steps_of(users: list[list[int]], zero: int) -> UserSteps:
    """Counts from minute `zero` on as steps, then 0."""
    offset, minute, count = [0], [], []
    for counts in users:
        before = 0
        for minutes_on, value in enumerate([*counts, 0]):
            if value != before:
                minute.append(zero + minutes_on)
                count.append(value)
            before = value
        offset.append(len(minute))
    return UserSteps(*(np.array(column, np.int64) for column in (offset, minute, count)))


def at(steps: UserSteps, user: int, minute: int) -> int:
    minutes, counts = steps.of_user(user)
    held = [int(count) for start, count in zip(minutes, counts, strict=True) if start <= minute]
    return held[-1] if held else 0


@given(rows, rows, st.integers(-5, 5))
def test_steps_are_taken_from_each_other_minute_by_minute(
    first: list[list[int]], second: list[list[int]], zero: int
) -> None:
    left, right = steps_of(first, zero), steps_of(second, 0)
    got = steps_difference(left, right)
    for user in range(3):
        minutes, counts = got.of_user(user)
        assert (np.diff(minutes) > 0).all()
        assert not len(counts) or counts[-1] == 0
        assert (np.diff(counts, prepend=0) != 0).all()
        for minute in range(-7, 16):
            assert at(got, user, minute) == at(right, user, minute) - at(left, user, minute)


def test_a_thing_less_itself_is_nothing() -> None:
    steps = steps_of([[1, 2], [], [3]], 4)
    nothing = steps_difference(steps, steps)
    assert nothing.offset.tolist() == [0, 0, 0, 0]
    assert len(nothing.minute) == len(nothing.count) == 0
