"""Much that happens in one second, and logs that come to their end."""

import numpy as np
import pytest

from engine.machine.cluster import Cluster, parse_cluster
from engine.policy.policy import parse_policy
from engine.schedule.explain import explain
from engine.schedule.schedule import Decision
from engine.simulation.log_buffer import MOST_ROWS
from engine.simulation.run import simulate
from engine.trace import Trace
from tests.traces import make_trace

JOBS = 120


def burst() -> Trace:
    """As many jobs as processors, which all end at once and early; twice as many wait."""
    count = np.arange(JOBS)
    return make_trace(
        [0] * JOBS + [1] * (2 * JOBS),
        [10] * JOBS + [5] * (2 * JOBS),
        [1] * (3 * JOBS),
        walltime=[*(1000 + 3 * count), *(500 + 7 * (np.arange(2 * JOBS) % 13))],
    )


@pytest.mark.parametrize("name", ["conservative", "just", "easy", "easy:relaxed=0.5"])
def test_the_log_has_room_where_many_jobs_end_in_one_second(name: str) -> None:
    trace, machine = burst(), Cluster.pool(JOBS)
    schedule = simulate(trace, machine, parse_policy(name), log=True)
    assert schedule.start.tolist() == simulate(trace, machine, parse_policy(name)).start.tolist()
    for job in (JOBS, 2 * JOBS, 3 * JOBS - 1):
        explanation = explain(schedule, job)
        assert sum(span.seconds for span in explanation.intervals) == schedule.start[job] - trace.submit[job]


def test_of_a_slot_that_moves_more_than_once_in_a_second_the_last_is_reported() -> None:
    schedule = simulate(burst(), Cluster.pool(JOBS), parse_policy("conservative"), log=True)
    rows = schedule.log.kind == Decision.RESERVED
    found = list(zip(schedule.log.time[rows].tolist(), schedule.log.job[rows].tolist(), strict=True))
    assert len(found) == len(set(found))
    for job in range(JOBS, 3 * JOBS):
        assert explain(schedule, job).promises[-1].start == schedule.start[job]


@pytest.mark.parametrize(
    ("name", "jobs"),
    [
        *((name, 300) for name in ("fcfs", "aggressive", "easy", "fairshare-easy", "easy-sjbf")),
        *((name, 60) for name in ("just", "conservative")),
    ],
)
def test_forks_have_room_for_jobs_that_failures_stop(name: str, jobs: int) -> None:
    rng = np.random.default_rng(1)
    trace = make_trace(
        np.sort(rng.integers(0, 40_000, jobs)),
        rng.integers(60, 6000, jobs),
        rng.integers(1, 20, jobs),
        walltime=rng.integers(6000, 9000, jobs),
        user=rng.integers(0, 5, jobs).tolist(),
    )
    machine = parse_cluster("10x4c~6h/1h")
    fair = simulate(trace, machine, parse_policy(name), fair_starts=True)
    assert fair.start.tolist() == simulate(trace, machine, parse_policy(name)).start.tolist()
    assert fair.fair_start is not None
    assert (fair.fair_start[fair.ran] >= trace.submit[fair.ran]).all()


def test_a_log_that_is_full_says_so() -> None:
    """A job waits for all processors, which come free one by one."""
    short = 2 * MOST_ROWS
    trace = make_trace(
        [0] * short + [1], [*range(10, 10 + short), 50], [1] * short + [short], user=["v"] * short + ["u"]
    )
    schedule = simulate(trace, Cluster.pool(short), parse_policy("easy"), log=True)
    explanation = explain(schedule, short)
    assert [span.kind for span in explanation.intervals] == [Decision.CPUS, Decision.UNTOLD]
    assert (
        explanation.intervals[-1].text
        == "not logged: the reasons changed more often than the log has room for"
    )
    assert sum(span.seconds for span in explanation.intervals) == schedule.start[short] - 1
    assert len(schedule.log.of_job(short)) == MOST_ROWS


def test_everyone_in_front_is_passed_not_only_the_first() -> None:
    # Ten processors: 0 holds 6; 1 and 2 need 8, 3 fits beside.
    trace = make_trace([0, 1, 2, 3], [100, 50, 50, 10], [6, 8, 8, 2])
    for name in ("easy", "just", "conservative", "aggressive"):
        schedule = simulate(trace, Cluster.pool(10), parse_policy(name), log=True)
        assert schedule.start.tolist() == [0, 100, 150, 3], name
        assert [explain(schedule, job).overtaken for job in (1, 2)] == [(3,), (3,)], name
        assert explain(schedule, 3).overtook == (1,), name
