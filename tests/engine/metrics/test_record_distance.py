from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.machine.cluster import Cluster, parse_cluster
from engine.machine.outages import Outages
from engine.metrics.record_distance import distance_to_recorded
from engine.schedule.ranks import rank_correlation
from engine.schedule.schedule import NOT_RUN, Schedule
from engine.trace import Trace
from tests.traces import make_schedule, make_trace


def logged(**columns: list[int]) -> Trace:
    return make_trace([0, 10, 20, 30], [10, 20, 30, 40], [5, 10, 20, 40], **{"wait": [0, 7, 2, 1], **columns})


def distances(schedule: Schedule, jobs: list[bool] | None = None) -> list[float | None]:
    mask = schedule.ran if jobs is None else schedule.ran & np.array(jobs)
    values = distance_to_recorded(schedule, mask)
    assert [name.split("_")[0] for name in values] == ["recorded"] * 3
    return list(values.values())


def test_as_recorded_there_is_no_distance() -> None:
    assert distances(make_schedule(logged(), [0, 17, 22, 31])) == [0.0, 1.0, 0.0]


def test_worked_out_by_hand() -> None:
    # Waits 0, 0, 5, 9 against 0, 7, 2, 1; ranks 1.5, 1.5, 3, 4 against 1, 4, 3, 2.
    start, rank, used = distances(make_schedule(logged(), [0, 10, 25, 39]))
    assert start == 5.0  # of 0, 7, 3, 8
    assert rank == pytest.approx(-0.5 / (4.5 * 5) ** 0.5)
    work = 50 + 200 + 600 + 1600
    assert used == pytest.approx(work / (100 * 79) - work / (100 * 71))


def test_the_log_s_own_runtimes_and_processors_make_its_utilization() -> None:
    trace = logged(recorded_runtime=[10, 20, 30, 50], recorded_procs=[5, 10, 20, 80])
    used = distances(make_schedule(trace, [0, 17, 22, 31]))[2]
    assert used == pytest.approx(2450 / (100 * 71) - 4850 / (100 * 81))


def test_each_utilization_is_that_of_its_own_machine() -> None:
    used = distances(make_schedule(logged(), [0, 17, 22, 31], cluster=Cluster.pool(50)))[2]
    work = 50 + 200 + 600 + 1600
    assert used == pytest.approx(work / (50 * 71) - work / (100 * 71))


def test_time_in_which_nodes_are_down_is_left_out_of_either() -> None:
    nodes, work = parse_cluster("4x25c"), 50 + 200 + 600 + 1600
    down = replace(nodes, failures=Outages(*(np.array([value]) for value in (0, 10, 30))))
    start = [0, 17, 22, 31]
    used = distances(make_schedule(logged(), start, cluster=down))[2]
    assert used == pytest.approx(work / (100 * 71 - 25 * 20) - work / (100 * 71))
    trace = replace(logged(), cluster=down)
    assert distances(make_schedule(trace, start))[2] == 0.0


def test_only_measured_jobs_and_those_with_a_wait_in_the_log() -> None:
    schedule = make_schedule(logged(wait=[0, -1, 2, 1]), [0, 500, 25, 39])
    assert distances(schedule)[0] == 3.0  # of 0, 3, 8
    assert distances(schedule, [True, True, True, False])[0] == 1.5
    assert distances(make_schedule(logged(), [0, 17, 22, NOT_RUN]))[0] == 0.0


def test_nothing_to_be_near_to() -> None:
    nothing = [None, None, None]
    assert distances(make_schedule(logged(), [0, 17, 22, 31], policy="recorded")) == nothing
    assert distances(make_schedule(logged(wait=[-1] * 4), [0, 17, 22, 31])) == nothing
    assert distances(make_schedule(logged(), [NOT_RUN] * 4)) == nothing
    alike = make_schedule(logged(), [0, 10, 20, 30])
    assert distances(alike)[1] is None, "waits that are all equal have no order"


def naive_rank(values: list[int], value: int) -> float:
    """One more than the smaller ones, and half of the others that are equal."""
    return 1 + sum(v < value for v in values) + (sum(v == value for v in values) - 1) / 2


pairs = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=30)


@given(pairs)
def test_rank_correlation_as_by_its_definition(rows: list[tuple[int, int]]) -> None:
    x, y = ([row[k] for row in rows] for k in (0, 1))
    a, b = ([naive_rank(values, v) for v in values] for values in (x, y))
    n = len(rows)
    middle = (n + 1) / 2
    shared = sum((i - middle) * (j - middle) for i, j in zip(a, b, strict=True))
    spread = sum((i - middle) ** 2 for i in a) * sum((j - middle) ** 2 for j in b)
    rho = rank_correlation(np.array(x), np.array(y))
    if spread == 0:
        assert rho is None
    else:
        assert rho == pytest.approx(shared / spread**0.5, abs=1e-12)


def test_a_rising_relation_is_one_whatever_its_form() -> None:
    x = np.arange(50)
    assert rank_correlation(x, x**3) == pytest.approx(1.0)
    assert rank_correlation(x, -(x**2)) == pytest.approx(-1.0)
    assert rank_correlation(np.empty(0, np.int64), np.empty(0, np.int64)) is None
