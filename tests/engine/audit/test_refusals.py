"""Jobs that a schedule may leave out: too large for the machine, for its partitions, or for a limit."""

from dataclasses import replace
from math import nan

import numpy as np
import pytest
from hypothesis import given

from engine.audit.audit import audit
from engine.audit.refusals import asks_for_features, may_refuse
from engine.machine.cluster import Cluster, parse_cluster
from engine.machine.outages import Outages
from engine.policy.policy import parse_policy
from engine.simulation.run import simulate
from tests.engine.audit.tables import found, make_table
from tests.engine.simulation.workloads import Case, cases
from tests.traces import make_trace


def test_a_job_wider_than_a_limit_of_the_policy_is_not_missing() -> None:
    trace = make_trace([0, 1], [10, 10], [6, 2], cluster=Cluster.pool(10))
    table = make_table(trace, [float("nan"), 1])
    assert audit(table, trace.cluster, parse_policy("easy:max_user_cpus=4")).clean
    assert not audit(table, trace.cluster, parse_policy("easy:max_user_cpus=6")).clean
    bound = audit(table, trace.cluster, parse_policy("easy").with_keys(queue_nodes="batch@1"))
    assert "whether absent jobs fit on the nodes of their queues" in bound.not_checked
    constrained = audit(table, trace.cluster, parse_policy("easy:constraints=on"))
    assert constrained.clean
    assert "whether jobs keep to the nodes that the log asks for" in constrained.not_checked


@pytest.mark.parametrize(
    ("partitions", "procs", "refused"),
    [
        ("1+2+4+8", 16, False),
        ("1+2+4+8", 17, True),
        ("any", 48, False),
        ("2+6", 12, False),
        ("2+6", 13, True),
    ],
)
def test_a_job_that_no_partition_holds_is_not_missing(partitions: str, procs: int, refused: bool) -> None:
    """On 24 nodes of two processors."""
    cluster = parse_cluster("24x2c")
    trace = make_trace([0, 1], [10, 10], [procs, 2], cluster=cluster)
    policy = parse_policy(f"easy:placement=contiguous,partitions={partitions}")
    assert (simulate(trace, cluster, policy).start[0] < 0) == refused
    report = audit(make_table(trace, [nan, 1]), cluster, policy)
    assert found(report) == ({} if refused else {"missing": 1})
    assert report.refused == refused


def test_a_job_that_failures_may_have_stopped_too_often_is_not_missing() -> None:
    times = np.array([3, 7, 20])
    outages = Outages.merged(np.zeros(3, np.int64), times, times + 1)
    cluster = replace(parse_cluster("2x4c"), failures=outages)
    trace = make_trace([0, 5], [10, 10], 4, cluster=cluster)
    policy = parse_policy("easy:max_restarts=2")
    report = audit(make_table(trace, [nan, 8]), cluster, policy)
    assert report.clean
    assert [text for text in report.not_checked if "stopped 1 absent job too often" in text]
    assert found(audit(make_table(trace, [nan, 8]), cluster, parse_policy("easy"))) == {"missing": 1}
    assert found(audit(make_table(trace, [20, nan]), cluster, policy)) == {"missing": 1}


def test_whole_nodes_count_against_a_limit() -> None:
    cluster = parse_cluster("8x4c")
    trace = make_trace([0, 1], [10, 10], [5, 2], cluster=cluster)
    table = make_table(trace, [nan, 1])
    policy = parse_policy("easy:placement=contiguous,max_user_cpus=7")
    assert audit(table, cluster, policy).clean
    assert not audit(table, cluster, policy.with_keys(max_user_cpus="8")).clean


def free_of_nodes(case: Case) -> bool:
    """Whether no job of a case is bound to some nodes."""
    trace, cluster, policy = case
    return not policy.queue_nodes and not policy.constraints and not asks_for_features(trace, cluster)


@given(cases().filter(free_of_nodes))
def test_what_the_simulator_refuses_may_be_refused(case: Case) -> None:
    """And nothing else where jobs take whole nodes, or the machine is a pool."""
    trace, cluster, policy = case
    may = may_refuse(trace, cluster, policy, np.arange(len(trace)))
    refused = simulate(*case).refused
    assert (may | ~refused).all()
    if cluster.pooled or policy.placement == "contiguous":
        assert (may == refused).all()
