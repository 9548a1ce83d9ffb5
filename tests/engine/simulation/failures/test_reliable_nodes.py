"""The placement `reliable`: nodes with the fewest failures so far a day up are taken first."""

import numpy as np
import pytest
from hypothesis import given, settings

from engine.audit.audit import audit
from engine.audit.table import table_of
from engine.machine.cluster import Cluster, NodeGroup
from engine.machine.outages import Outages
from engine.metrics.summary import summary
from engine.policy.policy import parse_policy
from engine.simulation.run import simulate
from tests.engine.simulation.comparing import assert_equal_schedules
from tests.engine.simulation.naive import NaiveSimulation
from tests.engine.simulation.workloads import Case, cases
from tests.traces import make_trace


def machine(nodes: int, *outages: tuple[int, int, int]) -> Cluster:
    """Nodes of one processor; node, begin and end of each outage."""
    node, begin, end = np.array(outages, np.int64).T
    return Cluster((NodeGroup(nodes, 1),), failures=Outages.merged(node, begin, end))


@pytest.mark.parametrize("name", ["fcfs", "easy", "aggressive", "just", "conservative", "easy:window=2"])
def test_a_job_takes_the_node_that_failed_least_for_its_time_up(name: str) -> None:
    # At 2 no node has failed; at 20 node 0 has, at 40 node 1 too, which was up for longer.
    trace = make_trace([0, 2, 20, 40, 60], [1, 1, 1, 1, 1], [1] * 5)
    cluster = machine(3, (0, 10, 15), (1, 30, 31), (2, 50, 60), (2, 70, 80))
    policy = parse_policy(f"{name}{',' if ':' in name else ':'}placement=reliable")
    schedule = simulate(trace, cluster, policy)
    # At 60 each has failed once: node 0 in 55 s up, node 1 in 59, node 2 in 50.
    assert schedule.start.tolist() == [0, 2, 20, 40, 60]
    assert schedule.pieces.columns["node"].tolist() == [0, 0, 1, 2, 1]


def test_of_nodes_that_failed_as_often_in_as_long_the_lowest_number_goes_first() -> None:
    trace = make_trace([0, 20], [1, 1], [1, 3])
    cluster = machine(4, (0, 5, 6), (1, 7, 8), (2, 3, 4), (2, 9, 10))
    schedule = simulate(trace, cluster, parse_policy("easy:placement=reliable"))
    assert sorted(schedule.pieces.columns["node"].tolist()[1:]) == [0, 1, 3]


def test_less_work_is_lost_where_one_node_fails_again_and_again() -> None:
    # Node 0 fails every 50 s. First fit puts each job on it; after its first failure reliable does not.
    trace = make_trace(list(range(0, 400, 40)), [35] * 10, [1] * 10)
    cluster = machine(2, *((0, begin, begin + 1) for begin in range(30, 430, 50)))
    lost = {
        name: summary(simulate(trace, cluster, parse_policy(f"easy:placement={name}")))["stopped_area"]
        for name in ("first", "reliable")
    }
    assert lost == {"first": 30 + 10 + 20 + 30 + 10 + 20, "reliable": 30}


@settings(max_examples=40)
@given(cases(placement="reliable", tune="none").filter(lambda case: case[1].failures is not None))
def test_nodes_are_those_of_the_definition(case: Case) -> None:
    trace, cluster, policy = case
    schedule = simulate(trace, cluster, policy)
    naive = NaiveSimulation(trace, cluster, policy)
    naive.simulate()
    assert_equal_schedules(schedule, naive)
    assert not audit(table_of(schedule), cluster, policy).findings


@settings(max_examples=20)
@given(cases(max_jobs=10, placement="reliable").filter(lambda case: case[1].failures is not None))
def test_fair_starts_leave_the_order_of_nodes_as_it_was(case: Case) -> None:
    trace, cluster, policy = case
    alone, forked = simulate(trace, cluster, policy), simulate(trace, cluster, policy, fair_starts=True)
    assert alone.start.tolist() == forked.start.tolist()
    assert alone.pieces.columns["node"].tolist() == forked.pieces.columns["node"].tolist()
