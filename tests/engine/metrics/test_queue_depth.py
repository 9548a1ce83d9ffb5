"""Queue depth over time against a sum over the jobs that wait."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.metrics.queue_depth import queue_depth
from engine.schedule.schedule import NOT_RUN
from tests.traces import make_schedule, make_trace

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


def test_without_waits_there_is_no_depth() -> None:
    depth = queue_depth(make_schedule(make_trace([0, 5], [5, 5]), [0, 5]))
    assert depth.at(3) == 0
    assert not depth.value.any()
