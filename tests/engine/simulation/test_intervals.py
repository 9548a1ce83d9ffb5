"""Passes at an interval, known cases: one at each multiple at which a job waits, and only there."""

from __future__ import annotations

import pytest

from engine.machine.cluster import Cluster, parse_cluster
from engine.policy.policy import parse_policy
from engine.simulation.run import simulate
from engine.trace import Trace
from tests.engine.simulation.naive import NaiveSimulation
from tests.traces import make_trace


def starts(trace: Trace, policy: str, cluster: Cluster) -> list[int]:
    found: list[int] = simulate(trace, cluster, parse_policy(policy)).start.tolist()
    assert found == NaiveSimulation(trace, cluster, parse_policy(policy)).simulate()
    return found


@pytest.mark.parametrize("name", ["easy", "just", "fcfs", "aggressive", "easy:order=sjf"])
def test_each_pass_looks_at_more_jobs_while_some_wait_though_nothing_happens(name: str) -> None:
    trace = make_trace([0] * 12, [3600] * 12)
    keys = f"{'' if ':' in name else ':'}{',' if ':' in name else ''}pass_every=60,test_limit=5"
    assert starts(trace, name + keys, Cluster.pool(100)) == [0] * 5 + [60] * 5 + [120] * 2


def test_a_job_that_became_old_goes_first_though_nothing_happens() -> None:
    # At 5 all of the machine is kept for 2, the shortest. At 10, 1 is old and the head, and leaves 4 for 3.
    trace = make_trace([0, 1, 5, 5], [100, 50, 10, 120], [6, 6, 10, 4])
    assert starts(trace, "easy:order=sjf,pass_every=5", Cluster.pool(10)) == [0, 110, 100, 110]
    assert starts(trace, "easy:order=sjf,threshold=8,pass_every=5", Cluster.pool(10)) == [0, 100, 150, 10]


def test_a_submission_that_the_gate_keeps_out_waits_for_the_next_interval_all_the_same() -> None:
    # 3 finds no room at 11, but at 20 it is the head instead of 1, and leaves 4 for 2.
    trace = make_trace([0, 1, 2, 11], [100, 50, 120, 10], [6, 10, 4, 6])
    policy = "easy:order=sjf,pass_every=10"
    for gate in ("", ",gate=on"):
        assert starts(trace, policy + gate, Cluster.pool(10)) == [0, 140, 20, 100]


def test_intervals_that_change_nothing_cost_nothing() -> None:
    # A pass each second for 270 years would take minutes.
    trace = make_trace([0, 5], [1 << 33, 10], [4, 4])
    schedule = simulate(trace, Cluster.pool(4), parse_policy("easy:pass_every=1"))
    assert schedule.start.tolist() == [0, 1 << 33]


def test_between_passes_jobs_start_in_their_order_up_to_the_first_that_does_not_fit() -> None:
    # At 1 job 1 fits; at 2 job 2 does not, and holds back 3, which the pass at 10 backfills, and 4 until 30.
    trace = make_trace([0, 1, 2, 3, 12], [100, 5, 50, 20, 7], [6, 2, 10, 4, 2])
    assert starts(trace, "easy:pass_every=10", Cluster.pool(10)) == [0, 10, 100, 20, 40]
    assert starts(trace, "easy:pass_every=10,between=head", Cluster.pool(10)) == [0, 1, 100, 10, 30]


def test_between_passes_an_end_lets_the_next_start() -> None:
    trace = make_trace([0, 1, 1], [7, 8, 9], [10, 10, 10])
    assert starts(trace, "just:pass_every=30,between=head", Cluster.pool(10)) == [0, 7, 15]
    assert starts(trace, "just:pass_every=30", Cluster.pool(10)) == [0, 30, 60]


def test_a_blocked_job_holds_back_only_queues_that_share_its_nodes() -> None:
    # Job 1 waits for the nodes of a; 2 is on those of b; 3 may use both, so that 1 holds it back.
    trace = make_trace([0, 1, 2, 3], [100] * 4, [4, 4, 4, 1], queue=["a", "a", "b", "c"])
    cluster = parse_cluster("2x2c+2x2c")
    policy = "just:pass_every=50,between=head,queue_nodes=a@1;b@2"
    assert starts(trace, policy, cluster) == [0, 100, 2, 102]
    assert starts(trace, policy.replace(";b@2", ""), cluster) == [0, 100, 50, 150]


def test_limits_hold_single_jobs_between_passes() -> None:
    trace = make_trace([0, 1, 2], [100, 10, 10], [2, 2, 2], user=["x", "x", "y"])
    assert starts(trace, "easy:pass_every=50,between=head,max_user_jobs=1", Cluster.pool(10)) == [0, 100, 2]


@pytest.mark.parametrize(
    "policy", ["easy", "just:pass_every=10,between=head", "conservative", "easy:estimate=last2"]
)
def test_nodes_are_held_for_a_while_after_an_end(policy: str) -> None:
    trace = make_trace([0, 1, 2, 3, 12], [100, 5, 50, 20, 7], [6, 2, 10, 4, 2])
    colon = "," if ":" in policy else ":"
    schedule = simulate(trace, Cluster.pool(10), parse_policy(f"{policy}{colon}release=2"))
    longer = simulate(
        make_trace([0, 1, 2, 3, 12], [102, 7, 52, 22, 9], [6, 2, 10, 4, 2], walltime=trace.walltime.tolist()),
        Cluster.pool(10),
        parse_policy(policy),
    )
    assert schedule.start.tolist() == longer.start.tolist()
    assert (schedule.end - schedule.start).tolist() == [100, 5, 50, 20, 7]
    assert schedule.end.tolist() == (longer.end - 2).tolist()
