"""Orders that move with what users used: what counts in them, and what does not."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from engine.machine.cluster import Cluster
from engine.policy.policy import Policy, parse_policy
from engine.policy.share_file import UserShares
from engine.simulation.run import simulate
from engine.trace import Trace
from tests.traces import make_names, make_trace

POOL = Cluster.pool(10)


def starts(trace: Trace, policy: Policy | str) -> list[int]:
    parsed = policy if isinstance(policy, Policy) else parse_policy(policy)
    return simulate(trace, POOL, parsed).start.tolist()


def test_large_shares_leave_no_usage_out() -> None:
    # At 101 user a has used 50 machine-seconds and b 51: in shares of 10^5 that is less than a thousandth.
    trace = make_trace([0, 50, 60, 70], [50, 51, 10, 10], 10, user=["a", "b", "b", "a"])
    policy = parse_policy("fairshare-easy:half_life=none")
    for share in (1.0, 1e5):
        shared = replace(policy, shares=UserShares("x.csv", (("a", share), ("b", share))))
        assert starts(trace, shared) == [0, 50, 111, 101]


def test_fairshare_is_a_part_of_all_usage_over_a_part_of_all_shares() -> None:
    # At 30 all usage is a's, whose shares are 3 of 4: 2^-(1 / 0.75) = 0.397; b, who used nothing, has 1.
    trace = make_trace([0, 1, 2], [30, 10, 10], [10, 9, 2], user=["a", "a", "b"])
    for size, expected in ((0.85, [0, 40, 30]), (0.87, [0, 30, 40])):
        policy = parse_policy(f"easy:order=priority,half_life=none,weights=fairshare=1;size={size}")
        shared = replace(policy, shares=UserShares("x.csv", (("a", 3.0),)))
        assert starts(trace, shared) == expected
    # With equal shares it is 2^-(1 / 0.5) = 0.25.
    for size, expected in ((1.06, [0, 40, 30]), (1.08, [0, 30, 40])):
        policy = f"easy:order=priority,half_life=none,weights=fairshare=1;size={size}"
        assert starts(trace, policy) == expected


def test_who_uses_as_the_shares_are_has_a_half() -> None:
    # a used 30 and b 10, as their shares are: all factors are 0.5, and the age decides.
    trace = make_trace([0, 30, 31, 32], [30, 10, 5, 5], 10, user=["a", "b", "b", "a"])
    policy = parse_policy("easy:order=priority,half_life=none,weights=fairshare=1;age=0.1")
    assert starts(trace, replace(policy, shares=UserShares("x.csv", (("a", 3.0),)))) == [0, 30, 40, 45]
    assert starts(trace, replace(policy, shares=UserShares("x.csv", (("a", 3.1),)))) == [0, 30, 45, 40]


def crowded() -> Trace:
    """Jobs of three users and three queues, so many at a time that they wait."""
    random = np.random.default_rng(1)
    jobs = 400
    return make_trace(
        np.cumsum(random.integers(0, 40, jobs)),
        random.integers(1, 400, jobs),
        random.integers(1, 5, jobs),
        walltime=random.integers(400, 800, jobs),
        user=[f"u{number}" for number in random.integers(0, 3, jobs)],
        queue=[f"q{number}" for number in random.integers(0, 3, jobs)],
    )


def alone(trace: Trace, jobs: NDArray[np.bool_]) -> Trace:
    """Some of the jobs, as a log of these alone has them: it names no other users and queues."""
    part = trace.take(np.flatnonzero(jobs))
    user, queue = ([names.names[code] for code in names.codes] for names in (part.user, part.queue))
    return replace(part, user=make_names(user), queue=make_names(queue))


WEIGHTS = ("age=1;fairshare=1", "fairshare=1;queue=0.3", "queue=1")


@pytest.mark.parametrize("weights", WEIGHTS)
def test_users_and_queues_without_a_job_in_the_part_that_is_simulated_do_not_count(weights: str) -> None:
    trace = crowded()
    kept = (trace.user.codes != 0) & (trace.queue.codes != 1)
    policy = f"easy:order=priority,weights={weights}"
    assert starts(trace.take(np.flatnonzero(kept)), policy) == starts(alone(trace, kept), policy)


@pytest.mark.parametrize("weights", WEIGHTS)
def test_users_and_queues_of_refused_jobs_alone_do_not_count(weights: str) -> None:
    trace = crowded()
    kept = (trace.user.codes != 0) & (trace.queue.codes != 1)
    procs = np.where(kept, trace.procs, 11)
    tasks = replace(trace.tasks, columns={**trace.tasks.columns, "count": procs})
    policy = f"easy:order=priority,weights={weights}"
    found = starts(replace(trace, procs=procs, tasks=tasks), policy)
    assert [start for start in found if start >= 0] == starts(alone(trace, kept), policy)


def test_queues_of_equal_median_walltime_share_a_rank() -> None:
    # Else the queue whose name comes first would go first.
    trace = make_trace([0, 1, 2], [20, 20, 20], 10, queue=["a", "b", "a"])
    assert starts(trace, "easy:order=priority,weights=queue=1") == [0, 20, 40]
