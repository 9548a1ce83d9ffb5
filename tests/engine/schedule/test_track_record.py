"""How planned starts of like jobs came true, looked up again job by job."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.schedule.schedule import Decision, Schedule
from engine.schedule.track_record import LEAST, LikeJobs, track_record_of
from tests.traces import make_schedule, make_trace
from tests.views.results import decisions

HOUR = 3600


def off_by(*errors: int, walltime: int = HOUR) -> Schedule:
    """Jobs come at 0 and are promised 1000 s; the k-th is off by errors[k]. A last one still waits."""
    n = len(errors)
    trace = make_trace([0] * (n + 1), [10] * (n + 1), walltime=[HOUR] * n + [walltime])
    log = decisions(*((0, job, Decision.RESERVED, 1000) for job in range(n)))
    return make_schedule(trace, [1000 + error for error in errors] + [9000], log=log)


def at(schedule: Schedule, time: int) -> LikeJobs | None:
    """What is known for the last job."""
    (found,) = track_record_of(schedule).of(np.array([len(schedule.start) - 1]), time)
    return found


def test_shares_of_like_jobs_that_started_by_then() -> None:
    schedule = off_by(-500, -400, -61, -60, -10, 0, 0, 0, 60, 61, 900)
    found = at(schedule, 1061)
    assert found == LikeJobs(10, (30.0, 60.0, 10.0))  # type: ignore[arg-type]
    assert str(found) == "30 % earlier, 60 % on time, 10 % later, of 10"
    later = at(schedule, 3000)
    assert later is not None
    assert later.count == 11
    assert tuple(later.accuracy) == pytest.approx((300 / 11, 600 / 11, 200 / 11))
    assert at(schedule, 1060) is None, "nine are too few"


def test_of_too_few_alike_all_jobs_tell() -> None:
    found = at(off_by(*[300] * LEAST, walltime=100 * HOUR), 3000)
    assert found == LikeJobs(LEAST, (0.0, 0.0, 100.0))  # type: ignore[arg-type]


def test_who_started_at_once_was_not_predicted() -> None:
    assert at(off_by(*[-1000] * LEAST), 3000) is None


@given(st.data())
def test_job_by_job(data: st.DataObject) -> None:
    n = data.draw(st.integers(1, 40))
    numbers = st.lists(st.integers(0, 300), min_size=n, max_size=n)
    start, predicted = data.draw(numbers), data.draw(numbers)
    walltime = data.draw(st.lists(st.sampled_from([5, 70, 700]), min_size=n, max_size=n))
    trace = make_trace([0] * n, [5] * n, walltime=walltime)
    log = decisions(*((0, job, Decision.RESERVED, predicted[job]) for job in range(n) if predicted[job] % 5))
    schedule = make_schedule(trace, start, log=log)
    time = data.draw(st.integers(0, 300))
    found = track_record_of(schedule).of(np.arange(n), time)
    known = [job for job in range(n) if predicted[job] % 5 and 0 < start[job] <= time]
    error = {job: start[job] - predicted[job] for job in known}
    for job, first in enumerate(found):
        alike = [off for second, off in error.items() if walltime[second] == walltime[job]]
        alike = alike if len(alike) >= LEAST else list(error.values())
        if len(alike) < LEAST:
            assert first is None
            continue
        early, late = sum(off < -60 for off in alike), sum(off > 60 for off in alike)
        many = len(alike)
        assert first is not None
        assert first.count == many
        shares = (100 * early / many, 100 * (many - early - late) / many, 100 * late / many)
        assert tuple(first.accuracy) == pytest.approx(shares)
