from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from engine.machine.cluster import parse_cluster
from engine.metrics.series import StepSeries, further_resource, usage
from engine.schedule.schedule import NOT_RUN
from engine.trace import Pieces
from tests.engine.metrics import naive
from tests.traces import make_schedule, make_trace, with_stopped


def rows(series: StepSeries) -> list[tuple[int, int]]:
    return list(zip(series.time.tolist(), series.value.tolist(), strict=True))


def test_by_hand() -> None:
    trace = make_trace([0, 5, 5, 9], [10, 10, 10, 1], [4, 2, 4, 1], ram=[100, -1, 300, 50])
    result = usage(make_schedule(trace, [0, 8, 10, NOT_RUN]))
    # At 10 one job of 4 processors follows another: no step.
    assert rows(result.processors) == [(0, 4), (8, 6), (18, 4), (20, 0)]
    assert rows(result.ram) == [(0, 100), (10, 300), (20, 0)]
    assert rows(result.waiting) == [(5, 2), (8, 1), (10, 0)]
    assert rows(result.requested_processors) == [(0, 4), (5, 10), (10, 6), (18, 4), (20, 0)]
    assert rows(result.requested_ram) == [(0, 100), (5, 400), (10, 300), (20, 0)]


def test_gpus_or_else_another_resource_that_jobs_ask_for() -> None:
    trace = make_trace([0, 5, 5], [10, 10, 10], [4, 2, 4], gpus=[2, 0, 3])
    result = usage(make_schedule(trace, [0, 8, 12]))
    assert rows(result.further) == [(0, 2), (10, 0), (12, 3), (22, 0)]
    assert rows(result.requested_further) == [(0, 2), (5, 5), (10, 3), (22, 0)]
    assert further_resource(trace) == "gpu"
    columns = dict(trace.tasks.columns)
    other = replace(trace, tasks=Pieces(trace.tasks.offset, {"licence": columns.pop("gpu"), **columns}))
    assert further_resource(other) == "licence"
    assert rows(usage(make_schedule(other, [0, 8, 12])).further) == rows(result.further)
    assert further_resource(make_trace([0], [1])) is None


def test_a_run_that_a_failure_stops_is_in_use_and_its_job_waits_again() -> None:
    trace = make_trace([0, 5], [10, 20], [4, 2], ram=[100, 60], cluster=parse_cluster("3x6c"))
    schedule = with_stopped(make_schedule(trace, [0, 30]), (1, 8, 15, 2), (1, 18, 20, 1))
    result = usage(schedule)
    assert rows(result.processors) == [(0, 4), (8, 6), (10, 2), (15, 0), (18, 2), (20, 0), (30, 2), (50, 0)]
    assert rows(result.waiting) == [(5, 1), (8, 0), (15, 1), (18, 0), (20, 1), (30, 0)]
    assert rows(result.requested_processors) == [(0, 4), (5, 6), (10, 2), (50, 0)]
    assert rows(result.requested_ram) == [(0, 100), (5, 160), (10, 60), (50, 0)]


def test_nothing_was_run() -> None:
    result = usage(make_schedule(make_trace([0], [5]), [NOT_RUN]))
    assert rows(result.processors) == rows(result.ram) == rows(result.waiting) == []


job = st.builds(
    naive.Job,
    user=st.just(0),
    submit=st.integers(0, 30),
    wait=st.integers(0, 30),
    runtime=st.integers(1, 30),
    procs=st.integers(1, 5),
)


@settings(deadline=None)
@given(st.lists(job, min_size=1, max_size=12))
@pytest.mark.parametrize("what", ["processors", "waiting", "requested_processors"])
@pytest.mark.parametrize("part", [2, 1 << 20])
def test_as_second_by_second(part: int, what: str, jobs: list[naive.Job]) -> None:
    jobs.sort(key=lambda job: job.submit)
    trace = make_trace([j.submit for j in jobs], [j.runtime for j in jobs], [j.procs for j in jobs])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("engine.metrics.series.PART", part)
        series: StepSeries = getattr(usage(make_schedule(trace, [j.start for j in jobs])), what)
    assert (np.diff(series.time) > 0).all()
    assert (np.diff(series.value, prepend=0) != 0).all()
    for second in range(-1, 95):
        held = [value for time, value in rows(series) if time <= second]
        assert (held[-1] if held else 0) == naive.level(jobs, second, what)


def test_the_use_of_some_jobs_and_of_the_others_add_up_to_that_of_all() -> None:
    trace = make_trace([0, 3, 5, 9], [10, 20, 5, 7], [2, 3, 4, 1], user=["a", "b", "a", "b"])
    schedule = make_schedule(trace, [0, 3, 10, 12])
    some = np.array([True, False, True, False])
    times = np.arange(40)
    parts = [at(usage(schedule, jobs).processors, times) for jobs in (some, ~some)]
    assert (parts[0] + parts[1] == at(usage(schedule).processors, times)).all()


def at(series: StepSeries, times: NDArray[np.int64]) -> NDArray[np.int64]:
    index = np.searchsorted(series.time, times, "right") - 1
    return np.where(index < 0, 0, series.value[index])
