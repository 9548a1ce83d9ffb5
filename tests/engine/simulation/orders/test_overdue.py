"""Jobs that run on beyond their walltime: kept slots move along with them, without an event a second."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.machine.cluster import Cluster, parse_cluster
from engine.policy.policy import parse_policy
from engine.simulation.run import simulate
from tests.engine.simulation.naive import NaiveSimulation
from tests.engine.simulation.workloads import Case, cases
from tests.traces import make_trace

CENTURIES = 1 << 33  # s
CONSERVATIVE = parse_policy("conservative")


def test_a_job_that_never_ends_takes_no_event_a_second() -> None:
    trace = make_trace([0, 5], [CENTURIES, 10], 4, walltime=[1, 10])
    for log in (False, True):
        schedule = simulate(trace, Cluster.pool(4), CONSERVATIVE, log=log)
        assert schedule.start.tolist() == [0, CENTURIES]
        assert schedule.passes < 20


def test_nor_beside_jobs_and_slots_that_stay_where_they_are() -> None:
    # 0 is overdue from 1 on, 1 is not for centuries; 2 waits for 0, 3 for 1, 4 for both.
    half = CENTURIES // 2
    trace = make_trace(
        [0, 0, 5, 6, 7], [CENTURIES, half, 10, 50, 7], [4, 4, 4, 6, 8], walltime=[1, half, 10, 60, 9]
    )
    schedule = simulate(trace, Cluster.pool(8), CONSERVATIVE)
    assert schedule.start.tolist() == [0, 0, half, CENTURIES, CENTURIES + 50]
    assert schedule.passes < 200


def test_a_slot_that_a_moving_one_meets_makes_room_for_another() -> None:
    """Found by trying all seconds, as the twin does: a start that needs no end, only time that passes."""
    trace = make_trace([0, 0, 1, 2, 3], [400, 40, 30, 30, 12], [4, 3, 4, 4, 1], walltime=[1, 40, 30, 30, 12])
    naive = NaiveSimulation(trace, Cluster.pool(8), CONSERVATIVE)
    assert simulate(trace, Cluster.pool(8), CONSERVATIVE).start.tolist() == naive.simulate()


@st.composite
def overdue(draw: st.DrawFn) -> Case:
    """Cases in which many jobs run longer than they asked for."""
    trace, cluster, policy = draw(cases(max_jobs=8, depth="kept"))
    times = draw(st.lists(st.sampled_from((0, 0, 1, 4)), min_size=len(trace), max_size=len(trace)))
    runtime = trace.runtime + np.array(times, np.int64) * trace.walltime
    return replace(trace, runtime=runtime), cluster, policy


@given(overdue())
def test_starts_are_those_of_every_second(case: Case) -> None:
    assert simulate(*case).start.tolist() == NaiveSimulation(*case).simulate()


@given(overdue())
def test_the_log_changes_no_start(case: Case) -> None:
    assert simulate(*case, log=True).start.tolist() == simulate(*case).start.tolist()


@pytest.mark.parametrize("machine", ["8c", "4x2c"])
def test_overdue_jobs_by_the_dozen(machine: str) -> None:
    rng = np.random.default_rng(3)
    jobs = 25
    walltime = rng.integers(1, 30, jobs)
    trace = make_trace(
        np.cumsum(rng.integers(0, 15, jobs)),
        walltime * rng.choice([1, 1, 1, 3, 8], jobs),
        rng.integers(1, 6, jobs),
        walltime=walltime,
    )
    cluster = parse_cluster(machine)
    schedule = simulate(trace, cluster, CONSERVATIVE)
    naive = NaiveSimulation(trace, cluster, CONSERVATIVE)
    assert schedule.start.tolist() == naive.simulate()
