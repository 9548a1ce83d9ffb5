import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.machine.cluster import Cluster, parse_cluster
from engine.policy.penalty import penalties
from engine.simulation.workload import make_workload
from engine.trace import Trace
from tests.engine.simulation.workloads import clusters, traces
from tests.traces import Task, make_trace

PENALTIES = ("cpu", "max", "sqrt", "product", "equivalent")


def penalty_of(tasks: list[Task], cluster: Cluster, penalty: str) -> float:
    procs = sum(count * cpus for count, cpus, _ in tasks)
    trace = make_trace([0], [1], [procs], tasks=[tasks], cluster=cluster)
    return float(penalties(make_workload(trace, cluster, trace.walltime), penalty)[0])


# Half of the CPUs and a quarter of the RAM of a pool.
@pytest.mark.parametrize(
    ("penalty", "expected"),
    [
        ("cpu", 0.5),
        ("max", 0.5),
        ("sqrt", 1 - math.sqrt(0.5 * 0.75)),
        ("product", 1 - 0.5 * 0.75),
        ("equivalent", 0.5),
    ],
)
def test_penalties_by_hand(penalty: str, expected: float) -> None:
    assert penalty_of([(1, 4, 1024)], parse_cluster("8c4g"), penalty) == pytest.approx(expected)


def test_the_dominant_share_may_be_that_of_ram() -> None:
    assert penalty_of([(1, 1, 3072)], parse_cluster("8c4g"), "cpu") == 0.125
    assert penalty_of([(1, 1, 3072)], parse_cluster("8c4g"), "max") == 0.75


def test_the_processor_equivalent_counts_the_cpus_that_a_jobs_ram_makes_useless() -> None:
    # Each task takes half of a node's RAM: two nodes of four, though only 4 of 32 CPUs.
    assert penalty_of([(4, 1, 2048)], parse_cluster("4x8c4g"), "equivalent") == 0.5
    # On the node that suits it best: an eighth of a large one, though all of a small one.
    assert penalty_of([(1, 2, 0)], parse_cluster("1x2c4g+1x16c4g"), "equivalent") == 0.125 / 2


def test_a_task_that_fits_no_node_weighs_a_node() -> None:
    assert penalty_of([(1, 9, 0)], parse_cluster("4x8c4g"), "equivalent") == 0.25


@pytest.mark.parametrize("penalty", PENALTIES)
def test_without_a_limit_of_ram_only_cpus_count(penalty: str) -> None:
    assert penalty_of([(1, 2, 10**6)], parse_cluster("8c"), penalty) == 0.25


@pytest.mark.parametrize("penalty", PENALTIES)
def test_a_job_larger_than_the_machine_weighs_no_more_than_the_machine(penalty: str) -> None:
    assert penalty_of([(1, 80, 9000)], parse_cluster("8c4g"), penalty) == 1.0


@pytest.mark.parametrize("penalty", PENALTIES)
def test_no_jobs(penalty: str) -> None:
    trace = make_trace([], [])
    assert len(penalties(make_workload(trace, trace.cluster, trace.walltime), penalty)) == 0


def test_an_unknown_penalty() -> None:
    trace = make_trace([0], [1])
    with pytest.raises(KeyError, match="most"):
        penalties(make_workload(trace, trace.cluster, trace.walltime), "most")


@given(traces(), clusters(), st.sampled_from(PENALTIES))
def test_as_by_the_definition(trace: Trace, cluster: Cluster, penalty: str) -> None:
    work = make_workload(trace, cluster, trace.walltime)
    assert penalties(work, penalty).tolist() == pytest.approx(
        [definition(trace, job, cluster, penalty) for job in range(len(trace))]
    )


def definition(trace: Trace, job: int, cluster: Cluster, penalty: str) -> float:
    """Klusacek, Rudova & Jaros 2013; group by group and node by node."""
    with_ram = any(group.ram is not None for group in cluster.groups)
    # Without a known RAM no node limits it.
    unknown = 2**60
    nodes = [
        (group.cpus, unknown if group.ram is None else group.ram)
        for group in cluster.groups
        for _ in range(group.count)
    ]
    rows = range(trace.tasks.offset[job], trace.tasks.offset[job + 1])
    tasks = [
        (int(trace.tasks["count"][i]), int(trace.tasks["cpus"][i]), int(trace.tasks["ram"][i])) for i in rows
    ]
    x = min(1.0, sum(count * cpus for count, cpus, _ in tasks) / sum(cpus for cpus, _ in nodes))
    y = min(1.0, sum(count * max(ram, 0) for count, _, ram in tasks) / sum(ram for _, ram in nodes))
    if penalty == "equivalent":
        largest = 0.0
        # Each group on the node where it takes the smallest share of what it needs most.
        for _, cpus, ram in tasks:
            shares = [
                max(cpus / node_cpus, max(ram, 0) / node_ram if with_ram else 0.0)
                for node_cpus, node_ram in nodes
                if cpus <= node_cpus and (not with_ram or ram <= node_ram)
            ]
            largest = max(largest, min(shares, default=1.0))
        return largest * sum(count for count, _, _ in tasks) / len(nodes)
    if penalty == "cpu" or not with_ram:
        return x
    return {
        "max": max(x, y),
        "sqrt": 1 - math.sqrt((1 - x) * (1 - y)),
        "product": 1 - (1 - x) * (1 - y),
    }[penalty]


@given(traces(), clusters())
def test_order_of_the_penalties(trace: Trace, cluster: Cluster) -> None:
    work = make_workload(trace, cluster, trace.walltime)
    cpu, largest, root, product = (penalties(work, name) for name in PENALTIES[:4])
    slack = 1e-12
    assert (cpu <= largest + slack).all()
    assert (root <= largest + slack).all()
    assert (largest <= product + slack).all()
    assert np.isfinite(product).all()
