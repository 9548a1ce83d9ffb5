"""Passes at an interval, known cases: one at each multiple at which a job waits, and only there."""

import pytest

from engine.machine.cluster import Cluster
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
