"""The slow twin against examples worked by hand: why jobs wait, and fair start times."""

from dataclasses import replace

import numpy as np

from engine.machine.cluster import Cluster, parse_cluster
from engine.policy.policy import parse_policy
from engine.schedule.schedule import Decision, LimitKind, Untried
from engine.trace import Names, Trace
from tests.engine.simulation.naive import NaiveSimulation
from tests.traces import make_trace

POOL = Cluster.pool(10)


def reasons(trace: Trace, policy: str, now: int, cluster: Cluster = POOL) -> list[tuple[int, Decision, int]]:
    """Job, kind and value at the pass of this second, by job."""
    sim = NaiveSimulation(trace, cluster, parse_policy(policy))
    sim.simulate()
    return sorted((job, Decision(kind), value) for time, job, kind, value in sim.reasons if time == now)


def fair_starts(trace: Trace, policy: str, cluster: Cluster = POOL) -> list[int]:
    sim = NaiveSimulation(trace, cluster, parse_policy(policy), fair_starts=True)
    sim.simulate()
    return [job.fair_start for job in sim.jobs]


def test_reasons_on_a_pool() -> None:
    # At 3: 1 lacks 6 processors, 2 would hold 4 past 100, 3 belongs to somebody whose job runs.
    trace = make_trace(
        [0, 1, 2, 3], [100, 10, 200, 50], [6, 10, 4, 2], user=["a", "b", "c", "a"], queue=["x", "x", "y", "z"]
    )
    head = (1, Decision.CPUS, 6)
    assert reasons(trace, "easy:max_user_jobs=1", 3) == [
        head,
        (2, Decision.RESERVATION, -1),
        (3, Decision.LIMIT, LimitKind.USER_JOBS),
    ]
    assert reasons(trace, "fcfs:max_user_jobs=1", 3) == [
        (1, Decision.CPUS, 6),
        (2, Decision.BEHIND, 1),
        (3, Decision.LIMIT, LimitKind.USER_JOBS),
    ]
    assert reasons(trace, "easy:test_limit=1", 3) == [
        head,
        (2, Decision.UNTRIED, 0),
        (3, Decision.UNTRIED, 0),
    ]
    assert reasons(trace, "easy:user_test_limit=1", 3) == [head, (2, Decision.RESERVATION, -1)]
    mine = replace(trace, user=Names(np.array([0, 1, 1, 1]), ("a", "b")))
    assert reasons(mine, "easy:user_test_limit=1,test_limit=1", 3) == [
        head,
        (2, Decision.UNTRIED, Untried.OF_USER),
        (3, Decision.UNTRIED, Untried.OF_USER),
    ]
    assert reasons(trace, "aggressive", 3) == [(1, Decision.CPUS, 10), (3, Decision.CPUS, 2)]


def test_reasons_on_nodes_with_ram() -> None:
    # A processor and 600 MiB are free on each node.
    trace = make_trace(
        [0, 1, 1, 1],
        [50, 9, 9, 9],
        [2, 2, 2, 1],
        tasks=[[(1, 1, 424), (1, 1, 424)], [(2, 1, 700)], [(1, 2, 0)], [(1, 1, 700)]],
    )
    assert reasons(trace, "aggressive:placement=worst", 1, parse_cluster("2x2c1g")) == [
        (1, Decision.RAM, 200),
        (2, Decision.FRAGMENTED, 0),
        (3, Decision.FRAGMENTED, 0),
    ]


def test_fair_starts_believe_the_estimates_and_know_no_later_job() -> None:
    # Job 0 is believed to run to 30. Shortest first, 2 then goes before 1, which did not count on it.
    trace = make_trace([0, 1, 2], [10, 20, 5], 10, walltime=[30, 20, 5])
    assert fair_starts(trace, "easy:order=sjf") == [0, 30, 30]
    assert fair_starts(trace, "easy:order=sjf,estimate=actual") == [0, 10, 10]
    # Nor does a job count on later ones of the same second.
    together = make_trace([0, 1, 1], [10, 20, 5], 10)
    assert fair_starts(together, "easy:order=sjf") == [0, 10, 10]
    assert fair_starts(together, "conservative") == fair_starts(together, "fcfs") == [0, 10, 30]


def test_fair_starts_are_worked_out_before_the_ends_of_that_second() -> None:
    trace = make_trace([0, 10], [10, 5], 10, walltime=[30, 5])
    assert fair_starts(trace, "easy") == fair_starts(trace, "conservative") == [0, 30]
    # What was believed to be over by now ends now.
    assert fair_starts(trace, "easy:estimate=scaled0.5") == [0, 10]


def test_fair_starts_in_a_world_where_waiting_jobs_run_as_long_as_is_believed_too() -> None:
    # 1 waits for 0 and is believed to run 40.
    trace = make_trace([0, 1, 2], [10, 10, 10], 10, walltime=[20, 40, 10])
    assert fair_starts(trace, "fcfs") == [0, 20, 60]


def test_predictors_learn_nothing_in_the_world_of_fair_starts() -> None:
    # Both jobs of user a are believed to run for 40 each. That the second one does as the first one did
    # is known only afterwards.
    trace = make_trace([0, 0, 1, 2], [5, 5, 5, 5], 10, walltime=[40, 40, 40, 40], user=["a", "a", "a", "b"])
    assert fair_starts(trace, "fcfs:estimate=last2") == [0, 40, 80, 120]


def test_usage_goes_on_in_the_world_of_fair_starts() -> None:
    # At 100 user a has used all of the machine, so the jobs of b and c go before a's job 1.
    trace = make_trace([0, 1, 2, 99], [100, 10, 10, 10], 10, user=["a", "a", "b", "c"])
    assert fair_starts(trace, "fairshare-easy") == [0, 100, 100, 110]
    sim = NaiveSimulation(trace, POOL, parse_policy("fairshare-easy"))
    assert sim.simulate() == [0, 120, 100, 110]


def test_a_fair_start_of_a_job_that_is_refused_is_none() -> None:
    assert fair_starts(make_trace([0, 1], [5, 5], [11, 5]), "easy") == [-1, 1]
