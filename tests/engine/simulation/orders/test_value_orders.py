"""Queues with prices and auctions: at their ends one is the other, or no order at all."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.machine.cluster import Cluster
from engine.policy.policy import parse_policy
from engine.simulation.run import simulate
from engine.trace import Trace
from tests.engine.simulation.naive import NaiveSimulation
from tests.engine.simulation.workloads import clusters, traces
from tests.traces import make_trace

KEYS = st.sampled_from(("", "estimate=requested,", "depth=all,", "threshold=20,", "estimate=last2,"))


def starts(trace: Trace, cluster: Cluster, policy: str) -> list[int]:
    return simulate(trace, cluster, parse_policy(policy)).start.tolist()


@given(traces(), clusters(), KEYS, st.integers(0, 4))
def test_one_queue_is_first_come_first_served(trace: Trace, cluster: Cluster, keys: str, seed: int) -> None:
    easy = (
        "easy:estimate=actual," + keys.replace("threshold=20,", "")
        if "estimate" not in keys
        else f"easy:{keys}"
    )
    assert starts(trace, cluster, f"queues:{keys}n=1,seed={seed}") == starts(trace, cluster, easy)


@given(traces(), clusters(), KEYS, st.integers(0, 4))
def test_so_many_queues_that_no_two_values_share_one_are_an_auction(
    trace: Trace, cluster: Cluster, keys: str, seed: int
) -> None:
    many = f"queues:{keys}n=1000000000,prices=0..100000,seed={seed}"
    assert starts(trace, cluster, many) == starts(trace, cluster, f"auction:{keys}seed={seed}")


@given(traces(), clusters(), st.integers(1, 5), KEYS, st.integers(0, 2))
def test_queues_equal_the_slow_twin(trace: Trace, cluster: Cluster, n: int, keys: str, seed: int) -> None:
    policy = parse_policy(f"queues:{keys}n={n},seed={seed}")
    twin = NaiveSimulation(trace, cluster, policy)
    twin.simulate()
    assert simulate(trace, cluster, policy).start.tolist() == [job.start for job in twin.jobs]


def test_by_hand() -> None:
    # All come while the first runs, and each takes the whole machine: values are 100 times the status.
    trace = make_trace([0, 1, 2, 3, 4], [10] * 5, 4)
    trace = replace(trace, status=trace.status * 0 + [1, 2, 40, 39, 5])
    pool, priced = Cluster.pool(4), "valuation=column:status,prices=1..41"
    assert starts(trace, pool, f"auction:{priced.partition(',')[0]}") == [0, 40, 10, 20, 30]
    assert starts(trace, pool, f"queues:n=2,{priced}") == [0, 30, 10, 20, 40]  # prices 1 and 21
    assert starts(trace, pool, f"queues:n=10,{priced}") == [
        0,
        40,
        10,
        20,
        30,
    ]  # 5 is a price: 5 jobs in front
    assert starts(trace, pool, f"auction:threshold=25,{priced.partition(',')[0]}") == [0, 30, 10, 20, 40]


@pytest.mark.parametrize("order", ["queues", "auction"])
def test_they_know_runtimes_unless_told_otherwise(order: str) -> None:
    assert str(parse_policy(order).estimate) == "actual"
    assert parse_policy(order, "requested", 3).spelling == f"{order}:estimate=requested,seed=3"
    assert parse_policy(f"{order}:seed=1", None, 3).seed == 1
