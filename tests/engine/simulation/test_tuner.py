"""What a tuning measures while nodes are down, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from engine.machine.cluster import Cluster, NodeGroup
from engine.machine.outages import Outages
from engine.policy.policy import parse_policy
from engine.simulation.run import simulate
from tests.engine.simulation.comparing import assert_equal_schedules
from tests.engine.simulation.naive import NaiveSimulation
from tests.traces import make_trace


def measured(monitor: str, *outages: tuple[int, int, int]) -> list[float]:
    """What it is every 50 s from 50 on, of two jobs on two nodes; node, begin and end of each outage."""
    node, begin, end = np.array(outages, np.int64).T
    cluster = Cluster((NodeGroup(2, 1),), failures=Outages.merged(node, begin, end))
    trace = make_trace([0, 0], [400, 300], [1, 1])
    case = (trace, cluster, parse_policy(f"metric:tune=bf:-0.5:0..1:{monitor}>9000:50"))
    schedule, naive = simulate(*case), NaiveSimulation(*case)
    naive.simulate()
    assert_equal_schedules(schedule, naive)
    assert schedule.checks is not None
    values: list[float] = schedule.checks.monitor[:, 0].tolist()
    return values


def test_utilization_is_of_the_processors_that_are_up() -> None:
    # The first job, stopped at 100, runs anew from 200, when its node is back; the second ends at 300.
    assert measured("utilization", (0, 100, 200))[:6] == [1, 1, 1, 0.5, 1, 0.5]


def test_an_average_is_use_over_what_was_up() -> None:
    # From 250 on two processors are used and up; from 300 on one of two; from 310 on one of one.
    values = measured("utilization_100", (0, 100, 200), (1, 310, 400))
    assert values[:7] == [1, 1, 1, 1, 1, 1, 150 / 160]


def test_with_all_nodes_down_nothing_is_used() -> None:
    values = measured("utilization_20", (0, 100, 200), (1, 100, 200))
    assert values[:5] == [1, 1, 0, 0, 1]


def test_a_stopped_job_waits_from_then_on() -> None:
    assert measured("queue_depth", (0, 100, 200))[:5] == [0, 0, pytest.approx(50 / 60), 100 / 60, 0]
