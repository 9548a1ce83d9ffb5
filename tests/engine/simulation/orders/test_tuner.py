"""What a tuning measures, also while nodes are down, and what it makes of that, by hand."""

import numpy as np
import pytest

from engine.errors import InputError
from engine.fairness.violations import judge
from engine.machine.cluster import Cluster, NodeGroup
from engine.machine.outages import Outages
from engine.policy.policy import parse_policy
from engine.policy.share import Share
from engine.simulation.run import reference_schedule, simulate
from tests.engine.simulation.comparing import assert_equal_schedules
from tests.engine.simulation.naive import NaiveSimulation
from tests.traces import make_trace


def measured(monitor: str, *outages: tuple[int, int, int]) -> list[float]:
    """What it is every 50 s from 50 on, of two jobs on two nodes; node, begin and end of each outage."""
    node, begin, end = np.array(outages, np.int64).T
    cluster = Cluster((NodeGroup(2, 1),), failures=Outages.merged(node, begin, end))
    trace = make_trace([0, 0], [400, 300], [1, 1])
    case = (trace, cluster, parse_policy(f"metric:tune=bf:-0.5:0..1:{monitor}>9000:50"))
    schedule, naive = simulate(*case), NaiveSimulation(*case)
    naive.simulate()
    assert_equal_schedules(schedule, naive)
    assert schedule.checks is not None
    values: list[float] = schedule.checks.monitor[:, 0].tolist()
    return values


def test_utilization_is_of_the_processors_that_are_up() -> None:
    # The first job, stopped at 100, runs anew from 200, when its node is back; the second ends at 300.
    assert measured("utilization", (0, 100, 200))[:6] == [1, 1, 1, 0.5, 1, 0.5]


def test_an_average_is_use_over_what_was_up() -> None:
    # From 250 on two processors are used and up; from 300 on one of two; from 310 on one of one.
    values = measured("utilization_100", (0, 100, 200), (1, 310, 400))
    assert values[:7] == [1, 1, 1, 1, 1, 1, 150 / 160]


def test_with_all_nodes_down_nothing_is_used() -> None:
    values = measured("utilization_20", (0, 100, 200), (1, 100, 200))
    assert values[:5] == [1, 1, 0, 0, 1]


def test_a_stopped_job_waits_from_then_on() -> None:
    assert measured("queue_depth", (0, 100, 200))[:5] == [0, 0, pytest.approx(50 / 60), 100 / 60, 0]


def tuned(tune: str, **values: str) -> list[float]:
    """What checks make of bf, ten seconds apart, while nine jobs of 10 s wait one after the other."""
    trace = make_trace([0] * 10, [10] * 10, 4)
    policy = parse_policy("metric").with_keys(tune=tune, **values)
    checks = simulate(trace, Cluster.pool(4), policy).checks
    assert checks is not None
    return [float(value) for value in checks.tunable[:, 0]]


def test_between_two_thresholds_nothing_moves() -> None:
    # At the checks 9, 8, .. jobs wait, before the pass.
    assert tuned("bf:-0.5:0..1:queue_length>=8|<4:10", bf="1")[:9] == [0.5, 0, 0, 0, 0, 0, 0.5, 1, 1]
    assert tuned("bf:-0.5:0..1:queue_length>=8:10", bf="1")[:5] == [0.5, 0, 0.5, 1, 1]


def test_feedback_moves_by_the_distance_from_the_target() -> None:
    # All wait since 0: for 10 s at the first check, for 20 s at the second one.
    found = tuned("bf:-0.01:0..1:wait=15:10", bf="0.5")
    assert found[:4] == pytest.approx([0.55, 0.5, 0.35, 0.1])
    assert found[4] == 0


def test_a_controller_sums_the_distances_but_not_beyond_a_bound() -> None:
    # Waits at the checks are 10, 20, 30, ... s, so the distances are -5, 5, 15, 25, ...
    found = tuned("bf:-0.01/-0.01:0..1:wait=15:10", bf="0.5")
    # 0.5 + 0.05 + 0.05 = 0.6; 0.5 - 0.05 - 0 = 0.45; 0.5 - 0.15 - 0.15 = 0.2; 0.5 - 0.25 - 0.4 is below 0.
    assert found[:4] == pytest.approx([0.6, 0.45, 0.2, 0.0])
    # Nine jobs wait at the first check, and one less at each further one: the distances are 5, 4, 3, ..., -1.
    # The first check reaches the bound 0.4 with a sum of 5, which no further positive distance extends.
    found = tuned("bf:0/-0.1:0.4..1:queue_length=4:10", bf="0.5")
    assert found[:7] == pytest.approx([0.4, 0.4, 0.4, 0.4, 0.4, 0.4, 0.4])
    # At the seventh check 3 wait: the sum is 5 - 1; then 5 - 1 - 2 = 2, and 2 - 3 = -1.
    assert found[7:9] == pytest.approx([0.4, 0.6])


def test_ends_behind_what_users_expect_are_a_monitor() -> None:
    trace = make_trace([0] * 8 + [1] * 2, [10] * 10, 4, user=["ann"] * 8 + ["bob"] * 2)
    policy = parse_policy("metric:tune=bf:-0.1:0..1:violated_4>0.5:10")
    schedule = simulate(trace, Cluster.pool(4), policy)
    capacity = Share().capacity(trace, schedule.cluster, reference_schedule(trace, schedule.cluster))
    late = judge(schedule, capacity).violated
    order = np.argsort(schedule.end)
    assert schedule.checks is not None
    assert late.any()
    for check, share in zip(schedule.checks.time, schedule.checks.monitor[:, 0], strict=True):
        ended = [late[job] for job in order if schedule.end[job] <= check][-4:]
        assert share == np.mean(ended)


@pytest.mark.parametrize(
    ("tune", "why"),
    [
        ("bf:-0.5:0..1:queue_length>=8|>4", "one is an upper and one a lower one"),
        ("bf:-0.5:0..1:queue_length>=4|<8", "the lower threshold is above the upper one"),
        ("bf:-0.5:0..1:wait=8|<4", "feedback control has one target"),
        ("bf:-0.5:0..1:wait_5=8", "wait is measured at the check"),
        ("bf:-0.5:0..1:violated>0.5", "say over how many jobs, like violated_50"),
    ],
)
def test_thresholds_that_make_no_sense(tune: str, why: str) -> None:
    with pytest.raises(InputError, match=why):
        parse_policy(f"metric:tune={tune}")
