"""Replays of the queue at an instant of a schedule: who comes later, and what users had used before."""

from dataclasses import replace

import numpy as np
import pytest

from engine.machine.cluster import Cluster
from engine.now.start_spread import Draws, start_by_limits, start_spreads, weeks_of_arrivals
from engine.policy.policy import parse_policy
from engine.schedule.instant import at_instant
from engine.schedule.schedule import Schedule
from engine.simulation.make.scheduler import PastUsage
from engine.simulation.run import simulate
from tests.traces import make_trace

WEEK = 7 * 86_400


def _schedule(policy: str, submit: list[int], runtime: list[int], users: list[str]) -> Schedule:
    """Jobs of one processor, which run for their walltimes, on a machine of one."""
    trace = make_trace(submit, runtime, 1, user=users, cluster=Cluster.pool(1))
    return simulate(trace, trace.cluster, parse_policy(policy), log=True)


def test_later_jobs_come_as_a_week_before_and_go_first_where_the_policy_says_so() -> None:
    """Five short jobs came a week ago, soon after this time; a long one waits for the end of another."""
    submit = [1000, *range(1300, 1350, 10), WEEK + 1200, WEEK + 1250]
    schedule = _schedule("easy:order=sjf", submit, [1, *[100] * 5, 300, 5000], ["ann"] * 8)
    instant = at_instant(schedule, WEEK + 1290)
    assert instant.waiting.tolist() == [7]
    assert weeks_of_arrivals(schedule, WEEK + 999) == 0  # the log begins less than a week before
    assert weeks_of_arrivals(schedule, instant.time) == 1
    alone = start_spreads(schedule, instant, Draws(3))[7]
    with_them = start_spreads(schedule, instant, Draws(3, arrivals=True))[7]
    assert set(alone) == {WEEK + 1500}
    assert set(with_them) == {WEEK + 1500 + 5 * 100}


def test_what_users_had_used_before_counts() -> None:
    """Ann ran for long; her job and, behind it, bob's wait for the end of carl's."""
    schedule = _schedule(
        "fairshare-easy", [0, 1000, 1010, 1020], [1000, 200, 50, 50], ["ann", "carl", "ann", "bob"]
    )
    assert schedule.start.tolist() == [0, 1000, 1250, 1200]
    spreads = start_spreads(schedule, at_instant(schedule, 1050), Draws(3))
    assert (spreads[2].middle, spreads[3].middle) == (1250, 1200)


@pytest.mark.parametrize("accrue", ["always", "end"])
def test_usage_decays_by_half_in_each_half_life(accrue: str) -> None:
    random = np.random.default_rng(2)
    users = [f"u{k}" for k in random.integers(0, 3, 12).tolist()]
    policy = f"fairshare-fcfs:half_life=500,accrue={accrue}"
    schedule = _schedule(policy, list(range(0, 1200, 100)), random.integers(20, 300, 12).tolist(), users)
    trace, time = schedule.trace, 900
    used = PastUsage(trace, schedule.cluster, schedule.policy).at(schedule.start, schedule.end, time)
    naive = np.zeros(len(trace.user.names))
    for job, user in enumerate(trace.user.codes.tolist()):
        start, end = int(schedule.start[job]), int(schedule.end[job])
        if accrue == "end":
            naive[user] += (end - start) * 0.5 ** ((time - end) / 500) if end <= time else 0.0
        else:  # second by second
            naive[user] += sum(0.5 ** ((time - s - 0.5) / 500) for s in range(start, min(end, time)))
    assert used[:-1] == pytest.approx(naive, rel=1e-4)
    assert used[-1] == pytest.approx(naive.sum(), rel=1e-4)


def test_what_starts_at_once_is_not_late_by_the_second_at_which_it_comes() -> None:
    """One of two processors is free: the first job takes it at once, and the second one follows."""
    trace = make_trace([0, 10, 10], [500, 100, 50], 1, user=["ann", "bob", "carl"], cluster=Cluster.pool(2))
    schedule = simulate(trace, trace.cluster, parse_policy("fcfs"), log=True)
    shown = at_instant(schedule, 10)
    waiting = replace(shown, running=shown.running[:1], waiting=np.array([1, 2]))
    assert start_by_limits(schedule, waiting, 1) == 0
    assert start_by_limits(schedule, waiting, 2) == 100
    late = replace(waiting, waiting=np.array([2]), running=np.array([0, 1]))
    assert start_by_limits(schedule, late, 2) == 100  # behind a job that runs


def test_jobs_of_a_user_with_the_same_walltime_run_alike_in_a_replay() -> None:
    """Ten jobs of each user have run for 10 or 100 s of 100; then ten of ann's, or of ten users, wait."""
    for user, many in ((["ann"] * 10, False), ([f"u{k}" for k in range(10)], True)):
        runtime = [*[10, 100] * 5, *[100] * 11]
        trace = make_trace(
            [*range(0, 2000, 200), *[2000] * 11], runtime, 1, walltime=[100] * 21, cluster=Cluster.pool(1),
            user=[*["ann"] * 10, "bob", *user],
        )  # fmt: skip
        schedule = simulate(trace, trace.cluster, parse_policy("easy"), log=True)
        spread = start_spreads(schedule, at_instant(schedule, 2001), Draws(60))[20]
        # Nine jobs before the last take 90 or 900 s where they run alike, and rarely so where they do not.
        assert (spread.late - spread.early > 700) is not many
