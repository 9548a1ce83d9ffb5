"""Queue depth over time against a sum over the jobs that wait."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.machine.cluster import parse_cluster
from engine.metrics.queue_depth import queue_depth
from engine.metrics.summary import summary
from engine.schedule.schedule import NOT_RUN
from tests.traces import make_schedule, make_trace, with_stopped

Jobs = list[tuple[int, int]]


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(-1, 30)), min_size=1, max_size=12))
def test_the_depth_is_what_all_waiting_jobs_have_waited(jobs: Jobs) -> None:
    jobs = sorted(jobs)
    submit = [s for s, _ in jobs]
    start = [NOT_RUN if wait < 0 else s + wait for s, wait in jobs]
    depth = queue_depth(make_schedule(make_trace(submit, [5] * len(jobs)), start))
    assert (np.diff(depth.time) > 0).all()
    for quarter in range(-4, 300):
        now = quarter / 4
        waited = sum(now - s for s, b in zip(submit, start, strict=True) if s <= now < b)
        assert np.isclose(depth.at(now), waited / 60, atol=1e-12)


def test_a_run_that_a_failure_stops_does_not_wait() -> None:
    """Submitted at 0, it runs from 60 to 360, waits again until 480, and is done at 500."""
    trace = make_trace([0], [20], cluster=parse_cluster("4x1c"))
    schedule = with_stopped(make_schedule(trace, [480]), (0, 60, 360, 3))
    depth = queue_depth(schedule)
    assert [depth.at(time) for time in (30, 60, 359, 360, 420, 479.99, 480)] == pytest.approx(
        [0.5, 0, 0, 0, 1, 119.99 / 60, 0]
    )
    values = summary(schedule)
    assert values["queue_depth_max"] == 2.0
    assert values["queue_depth_mean"] == pytest.approx((60**2 + 120**2) / 2 / 500 / 60)


def test_without_waits_there_is_no_depth() -> None:
    depth = queue_depth(make_schedule(make_trace([0, 5], [5, 5]), [0, 5]))
    assert depth.at(3) == 0
    assert not depth.value.any()
