"""Some random simulations, always the same, and what the checks of them are worth."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.machine.cluster import Cluster, parse_cluster
from engine.machine.outages import Outages
from engine.policy.policy import PRESETS, parse_policy
from engine.schedule.schedule import NOT_RUN, Schedule
from engine.simulation.run import simulate
from engine.trace import Pieces
from tests.fuzz.fuzzer import chance_of
from tests.fuzz.schedules import BadScheduleError, check
from tests.fuzz.shrink import shrunk
from tests.fuzz.simulations import SIMULATED, try_simulation
from tests.fuzz.workloads import Row, Workload, random_workload

CASES = 200

# On two nodes of four: 0 and 1 side by side, then 2 on both; node 1 is down from 25 to 30, under job 3.
ROWS = tuple(
    Row(submit, runtime, runtime, ((count, 4, 0, 0),), user, 0, 0)
    for submit, runtime, count, user in ((0, 10, 1, 0), (0, 10, 1, 1), (1, 10, 2, 0), (22, 10, 2, 0))
)
MACHINE = replace(
    parse_cluster("2x4c"), failures=Outages.merged(np.array([1]), np.array([25]), np.array([30]))
)


def test_random_simulations_are_sound(tmp_path: Path) -> None:
    outcomes = [try_simulation(chance_of(1, number), tmp_path) for number in range(CASES)]
    assert outcomes.count(SIMULATED) > 0.9 * CASES


def test_the_cases_are_of_all_kinds() -> None:
    cases = [random_workload(chance_of(2, number)) for number in range(1200)]
    policies = [case.policy for case in cases]
    assert {policy.preset for policy in policies} == {*PRESETS} - {"recorded"}
    assert {policy.order for policy in policies} > {"fcfs", "slack", "priority", "fairshare", "balanced"}
    assert sum(case.cluster.pooled for case in cases) > 100
    assert sum(case.cluster.failures is not None for case in cases) > 60
    assert sum(bool(policy.partitions) for policy in policies) > 5
    keys = ("test_limit", "user_test_limit", "horizon", "resolution", "pass_every", "max_user_jobs")
    for key in (*keys, "threshold", "relaxed"):
        values = [getattr(policy, key) for policy in policies]
        assert sum(bool(value) for value in values) > 10, key
    assert sum(bool(policy.shares.of_user) for policy in policies) > 10


def simulated(workload: Workload) -> Schedule:
    return simulate(workload.trace, workload.cluster, workload.policy)


def sound() -> Schedule:
    schedule = simulated(Workload(ROWS, MACHINE, parse_policy("easy")))
    check(schedule)
    assert schedule.start.tolist() == [0, 0, 10, 30]
    return schedule


def moved(job: int, start: int, end: int) -> Callable[[Schedule], Schedule]:
    def move(schedule: Schedule) -> Schedule:
        starts, ends = schedule.start.copy(), schedule.end.copy()
        starts[job], ends[job] = start, end
        return replace(schedule, start=starts, end=ends)

    return move


def on_nodes(node: list[int], cpus: list[int]) -> Callable[[Schedule], Schedule]:
    columns = {"node": np.array(node), "cpus": np.array(cpus)}
    return lambda schedule: replace(schedule, pieces=Pieces(schedule.pieces.offset, columns))


@pytest.mark.parametrize(
    ("planted", "found"),
    [
        (moved(2, 0, 10), "job 2 starts early"),
        (moved(2, 10, 19), "job 2 runs from 10 to 19"),
        (moved(2, 9, 19), "node . gives 4 too much of resource 0 at 9"),
        (moved(2, NOT_RUN, NOT_RUN), "job 2 is not run"),
        (moved(2, 11, 21), "nothing runs from 10 to 11, and jobs wait"),
        (moved(3, 29, 39), "job 3 runs at 29 on node 1, down at 25"),
        (moved(3, 24, 34), "job 3 runs at 24 on node 1, down at 25"),
        (on_nodes([0, 0, 0, 1, 0, 1], [4] * 6), "node 0 gives 4 too much"),
        (on_nodes([0, 1, 0, 1, 0, 1], [4, 3, 4, 4, 4, 4]), "job 1 at 0 .* not whole tasks"),
        (on_nodes([0, 1, 0, 0, 0, 1], [4] * 6), "node 0 gives 4 too much"),
        (on_nodes([0, 1, 0, 1, 0, 1], [4, 8, 4, 4, 4, 4]), "job 1 at 0 .* too many tasks"),
        (lambda schedule: replace(schedule, policy=parse_policy("easy:max_user_jobs=1")), None),
        (lambda schedule: replace(schedule, policy=parse_policy("easy:max_user_cpus=7")), "job 2 is run"),
        (lambda schedule: replace(schedule, policy=parse_policy("easy:max_queue_cpus=9")), None),
        (lambda schedule: replace(schedule, policy=parse_policy("easy:pass_every=4")), "between passes"),
        (lambda schedule: replace(schedule, policy=parse_policy("easy:max_restarts=0")), "job 3 is run"),
    ],
)
def test_a_planted_fault_is_found(planted: Callable[[Schedule], Schedule], found: str | None) -> None:
    schedule = planted(sound())
    if found is None:
        check(schedule)
    else:
        with pytest.raises(BadScheduleError, match=found):
            check(schedule)


def test_a_limit_that_is_passed_is_found() -> None:
    schedule = simulated(Workload(ROWS[:3], Cluster.pool(16), parse_policy("easy")))
    assert schedule.start.tolist() == [0, 0, 1]
    for key, whose in (("max_user_jobs=1", "user 0 holds 2 of 1"), ("max_queue_cpus=12", "queue 0 holds 16")):
        with pytest.raises(BadScheduleError, match=whose):
            check(replace(schedule, policy=parse_policy(f"easy:{key}")))


def test_who_goes_past_another_under_fcfs_is_found() -> None:
    schedule = simulated(Workload(ROWS[:3], Cluster.pool(12), parse_policy("fcfs")))
    swapped = replace(schedule, start=np.array([0, 10, 1]), end=np.array([10, 20, 11]))
    with pytest.raises(BadScheduleError, match="jobs go past others under fcfs"):
        check(swapped)


def test_what_fails_is_reported_the_smallest_case() -> None:
    """It fails wherever job 2 is, on nodes of which any fails, whatever else there is."""
    workload = Workload(ROWS, MACHINE, parse_policy("easy:order=sjf,test_limit=5"))
    small = shrunk(workload, lambda case: ROWS[2] in case.rows and case.cluster.failures is not None)
    assert (small.rows, small.cluster, str(small.policy)) == ((ROWS[2],), MACHINE, "easy")
