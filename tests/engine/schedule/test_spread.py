"""Likely starts: by how much those of like jobs were off, looked up again job by job."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.schedule.schedule import Decision, Schedule
from engine.schedule.spread import LEAST, spread_of
from tests.traces import make_schedule, make_trace
from tests.views.results import decisions

HOUR = 3600


def off_by(*errors: int, walltime: int = HOUR) -> Schedule:
    """Jobs come at 0 and are promised 1000 s; the k-th is off by errors[k]. A last one still waits."""
    n = len(errors)
    trace = make_trace([0] * (n + 1), [10] * (n + 1), walltime=[HOUR] * n + [walltime])
    log = decisions(*((0, job, Decision.RESERVED, 1000) for job in range(n)))
    return make_schedule(trace, [1000 + error for error in errors] + [9000], log=log)


def around(schedule: Schedule, time: int, promised: int = 5000) -> tuple[int, int]:
    """What is likely of the last job."""
    last = np.array([len(schedule.start) - 1])
    early, late = spread_of(schedule).around(last, np.array([promised]), time)
    return int(early[0]), int(late[0])


def test_between_the_10th_and_the_90th_percentile_of_like_jobs() -> None:
    schedule = off_by(*range(-500, 501, 100))  # 11 jobs: percentiles are values
    assert around(schedule, 3000) == (4600, 5400)
    assert around(schedule, 4800) == (4800, 5400)  # it still waits
    assert around(schedule, 5500) == (5500, 5500)


def test_what_an_instant_cannot_know_does_not_count() -> None:
    schedule = off_by(*[0] * LEAST, 2000, 2000)
    assert around(schedule, 2999) == (5000, 5000)
    assert around(schedule, 3000) == (5000, 6800)  # two of twelve, and linear between
    assert around(off_by(*[100] * (LEAST - 1)), 3000) == (-1, -1)


def test_of_too_few_alike_all_jobs_tell() -> None:
    assert around(off_by(*[300] * LEAST, walltime=100 * HOUR), 3000) == (5300, 5300)


def test_who_started_at_once_was_not_predicted() -> None:
    assert around(off_by(*[-1000] * LEAST), 3000) == (-1, -1)


@given(st.data())
def test_job_by_job(data: st.DataObject) -> None:
    n = data.draw(st.integers(1, 40))
    numbers = st.lists(st.integers(0, 100), min_size=n, max_size=n)
    start, told = data.draw(numbers), data.draw(numbers)
    walltime = data.draw(st.lists(st.sampled_from([5, 70, 700]), min_size=n, max_size=n))
    trace = make_trace([0] * n, [5] * n, walltime=walltime)
    log = decisions(*((0, job, Decision.RESERVED, told[job]) for job in range(n) if told[job] % 5))
    schedule = make_schedule(trace, start, log=log)
    time = data.draw(st.integers(0, 100))
    early, late = spread_of(schedule).around(np.arange(n), np.array(told), time)
    error = {job: start[job] - told[job] for job in range(n) if told[job] % 5 and 0 < start[job] <= time}
    for job in range(n):
        alike = [off for other, off in error.items() if walltime[other] == walltime[job]]
        alike = alike if len(alike) >= LEAST else list(error.values())
        if len(alike) < LEAST:
            assert (early[job], late[job]) == (-1, -1)
            continue
        for likely, tenth in ((early[job], 1), (late[job], 9)):
            assert abs(likely - max(told[job] + percentile(alike, tenth), time)) <= Fraction(1, 2)


def percentile(errors: list[int], tenth: int) -> Fraction:
    """A percentile, linear between two errors, up to which `tenth` tenths are."""
    place = Fraction(tenth * (len(errors) - 1), 10)
    low, high = (sorted(errors)[index] for index in (floor(place), ceil(place)))
    return low + (place - floor(place)) * (high - low)
