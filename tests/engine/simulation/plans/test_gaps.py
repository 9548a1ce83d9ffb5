"""Long stretches in which nothing happens: they cost no checks, and change nothing."""

import numpy as np
import pytest

from engine.machine.cluster import Cluster, NodeGroup
from engine.machine.outages import Outages
from engine.policy.policy import parse_policy
from engine.simulation.run import simulate
from engine.trace import Trace
from tests.engine.simulation.comparing import assert_equal_schedules
from tests.engine.simulation.naive import NaiveSimulation
from tests.traces import make_trace

POOL = Cluster.pool(10)
DAY = 86_400


def test_years_between_two_jobs_take_no_checks() -> None:
    trace = make_trace([100, 1 << 40], [100, 100], 4, walltime=[200, 200])
    checks = simulate(trace, POOL, parse_policy("tuned-2d")).checks
    assert checks is not None
    # On either side as many as a day's average looks back on, and the first one behind it.
    assert len(checks) <= 2 * (DAY // 1800 + 2)
    gap = int((checks.time[1:] - checks.time[:-1]).max())
    assert gap > (1 << 40) - 3 * DAY
    assert gap % 1800 == 0
    assert set(((checks.time - 100) % 1800).tolist()) == {0}


def bursts() -> Trace:
    """Jobs that queue, then nothing for an hour, and the same again."""
    submit, runtime, procs = [0, 1, 2, 3, 20], [30, 20, 40, 10, 15], [6, 8, 4, 5, 10]
    return make_trace([*submit, *(time + 3600 for time in submit)], 2 * runtime, 2 * procs)


TUNES = (
    "bf:-0.5:0..1:queue_depth>=1:10",
    "bf:-0.01:0..1:queue_length>=mean_300:7",
    "bf:-0.25:0..1:utilization_3m>0.1:30",
    "bf:-0.5:0..1:bounded_slowdown_3>2:50",
    "bf:-0.5:0..1:bounded_slowdown_5>mean_600:7;window:1:1..4:queue_length<2:11",
    "window:1:1..4:utilization_20<=mean_500:10",
    "window:2:1..4:queue_depth>=mean_30:15;bf:0.3:0..1:utilization>mean_60:1m",
)


def failing() -> Cluster:
    """As large as the pool; it fails while jobs run, within the gap, and again and again after it."""
    start = np.array([25, 1000, 1500, *range(3590, 3690, 10)])
    return Cluster((NodeGroup(2, 5),), Outages.merged(np.zeros_like(start), start, start + 6))


@pytest.mark.parametrize("cluster", [POOL, failing()], ids=["pool", "failing"])
@pytest.mark.parametrize("tune", TUNES)
def test_what_is_left_out_would_have_changed_nothing(tune: str, cluster: Cluster) -> None:
    case = (bursts(), cluster, parse_policy(f"metric:tune={tune}"))
    schedule, naive = simulate(*case), NaiveSimulation(*case)
    naive.simulate()
    assert_equal_schedules(schedule, naive)
    assert schedule.checks is not None
    assert len(schedule.checks) < 0.7 * len(naive.tuner.rows)


def test_an_average_that_looks_back_on_all_of_a_gap_leaves_nothing_out() -> None:
    case = (bursts(), POOL, parse_policy("metric:tune=bf:-0.5:0..1:queue_length>=mean_2h:60"))
    schedule, naive = simulate(*case), NaiveSimulation(*case)
    naive.simulate()
    assert schedule.checks is not None
    assert len(schedule.checks) == len(naive.tuner.rows) > 3600 // 60
    assert_equal_schedules(schedule, naive)
