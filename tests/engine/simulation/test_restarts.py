"""Jobs that failures stop again and again: started anew so many times, then given up."""

from __future__ import annotations

import numpy as np
import pytest

from engine.machine.cluster import Cluster, NodeGroup
from engine.machine.outages import Outages
from engine.policy.policy import parse_policy
from engine.simulation.control import Control
from engine.simulation.run import simulate
from tests.traces import make_trace

MACHINE = (NodeGroup(2, 1),)


def failing(times: list[int]) -> Cluster:
    """Two nodes, of which both are down for a second at each of these times."""
    start = np.repeat(np.array(times, np.int64), 2)
    return Cluster(MACHINE, Outages.merged(np.tile([0, 1], len(times)), start, start + 1))


@pytest.mark.parametrize("name", ["fcfs", "easy", "just", "conservative", "easy:window=2", "aggressive"])
def test_a_job_is_started_again_as_often_as_the_policy_says(name: str) -> None:
    # Job 0 takes longer than the nodes ever run; job 1 fits in between, behind it.
    trace = make_trace([0, 1], [15, 8], [2, 2])
    cluster = failing([10, 20, 30, 40])
    colon = "," if ":" in name else ":"
    schedule = simulate(trace, cluster, parse_policy(f"{name}{colon}max_restarts=2"), log=True)
    assert schedule.start.tolist() == [-1, 31]
    assert schedule.given_up.tolist() == [True, False]
    assert schedule.refused.tolist() == [False, False]
    assert schedule.stopped.start.tolist() == [0, 11, 21]
    assert schedule.stopped.end.tolist() == [10, 20, 30]
    assert simulate(trace, cluster, parse_policy(name)).start.tolist() == [41, 56]


def test_a_job_given_up_counts_as_done() -> None:
    control = Control()
    trace = make_trace([0, 1, 2], [15, 8, 1], [2, 2, 3])
    schedule = simulate(trace, failing([10]), parse_policy("easy:max_restarts=0"), control=control)
    assert schedule.given_up.tolist() == [True, False, False]
    assert schedule.refused.tolist() == [False, False, True]
    assert control.progress == 1.0


def test_fair_starts_know_which_jobs_will_be_given_up() -> None:
    trace = make_trace([0, 1], [15, 8], [2, 2])
    policy = parse_policy("easy:max_restarts=0")
    schedule = simulate(trace, failing([10]), policy, fair_starts=True)
    assert schedule.fair_start is not None
    assert schedule.fair_start.tolist() == [0, 11]
    assert schedule.start.tolist() == [-1, 11]
