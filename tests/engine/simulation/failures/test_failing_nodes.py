"""Nodes that fail, known cases: the world begins with the first job that is not refused."""

from collections.abc import Sequence

import numpy as np
import pytest

from engine.machine.cluster import Cluster, NodeGroup
from engine.machine.outages import Outages
from engine.policy.policy import parse_policy
from engine.simulation.run import simulate
from engine.trace import Trace
from tests.engine.simulation.naive import NaiveSimulation
from tests.traces import make_trace

POLICIES = ("conservative", "just", "easy", "easy:depth=2", "fcfs")


def machine(groups: Sequence[NodeGroup], *outages: tuple[int, int, int]) -> Cluster:
    """Node, begin and end of each outage."""
    node, begin, end = np.array(outages, np.int64).T
    return Cluster(tuple(groups), failures=Outages.merged(node, begin, end))


def starts(trace: Trace, cluster: Cluster, policy: str) -> list[int]:
    naive = NaiveSimulation(trace, cluster, parse_policy(policy))
    found: list[int] = simulate(trace, cluster, parse_policy(policy)).start.tolist()
    assert found == naive.simulate()
    return found


@pytest.mark.parametrize("policy", POLICIES)
def test_a_node_that_is_back_before_the_first_job_that_is_not_refused_never_failed(policy: str) -> None:
    # A task of two processors fits on no node, so that the world begins at 86.
    trace = make_trace([64, 86], [1, 1], [2, 2], walltime=[2, 1], tasks=[[(1, 2, 0)], [(2, 1, 0)]])
    assert starts(trace, machine([NodeGroup(2, 1)], (0, 47, 69)), policy) == [-1, 86]


@pytest.mark.parametrize("policy", POLICIES)
def test_one_that_is_still_down_then_fails_then(policy: str) -> None:
    trace = make_trace([11, 35], [9, 3], [6, 3], walltime=[29, 23], tasks=[[(2, 3, 0)], [(1, 3, 0)]])
    nodes = [NodeGroup(1, 4), NodeGroup(3, 1)]
    assert starts(trace, machine(nodes, (0, 28, 40)), policy) == [-1, 40]
    assert starts(trace, machine(nodes, (0, 28, 35)), policy) == [-1, 35]
