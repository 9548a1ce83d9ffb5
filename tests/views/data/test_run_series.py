"""What the timeline draws of a run whose nodes fail, beside what its tunings measured."""

from collections.abc import Sequence

import numpy as np
import pytest

from engine.machine.cluster import Cluster, NodeGroup
from engine.machine.outages import Outages
from engine.metrics.queue_depth import queue_depth
from engine.metrics.series import usage
from engine.policy.policy import parse_policy
from engine.schedule.schedule import Schedule
from engine.simulation.run import simulate
from tests.traces import make_schedule, make_trace, with_stopped
from views.data.run_series import RunSeries
from views.work.lazy import LazyValue


def series_of(schedule: Schedule) -> RunSeries:
    return RunSeries(1, "run", schedule, usage(schedule).processors, LazyValue.of(queue_depth(schedule)))


def stopped_run() -> RunSeries:
    """Two nodes; one job is stopped at 100, when its node goes down for 10 s, and runs from 150 to 250."""
    trace = make_trace([0, 0], [300, 100], [1, 1], cluster=Cluster((NodeGroup(2, 1),)))
    return series_of(with_stopped(make_schedule(trace, [0, 150]), (1, 0, 100, 1)))


def test_use_is_of_the_processors_that_are_up() -> None:
    run = stopped_run()
    assert [run.use_at(0, time) for time in (-1, 99, 100, 109, 110, 150, 250, 300)] == [
        *(0, 1, 1, 1, 0.5, 1, 0.5, 0)
    ]
    # From 95 to 115: two of two for 5 s, one of one for 10, one of two for 5.
    assert run.use_at(20, 115) == pytest.approx(25 / 30)
    assert run.use_statistics(0, (90.0, 120.0), 3).tolist() == [[1, 1, 0.5], [1, 1, 0.5], [1, 1, 0.5]]
    least, _, most = run.use_statistics(20, (100.0, 120.0), 2)
    assert least == pytest.approx([1, 20 / 30])
    assert most == pytest.approx([1, 1])


def test_with_all_nodes_down_nothing_is_used() -> None:
    outages = Outages.merged(np.array([0, 1]), np.array([50, 50]), np.array([60, 60]))
    cluster = Cluster((NodeGroup(2, 1),), failures=outages)
    run = series_of(simulate(make_trace([0], [100], [2]), cluster, parse_policy("easy")))
    assert [run.use_at(0, time) for time in (49, 50, 59, 60, 160)] == [1, 0, 0, 1, 0]
    assert run.use_at(5, 58) == 0
    assert run.use_statistics(5, (50.0, 60.0), 1).tolist() == [[0], [0.5], [1]]


TIMES = [0, 0, 5, 40, 90, 300, 310, 320]


@pytest.mark.parametrize("lasts", [[(0, 100, 200)], [(0, 30, 60), (1, 40, 70), (2, 40, 45), (1, 330, 400)]])
def test_lines_pass_through_what_tunings_measured(lasts: Sequence[tuple[int, int, int]]) -> None:
    cluster = Cluster((NodeGroup(3, 2),), failures=Outages.merged(*np.array(lasts, np.int64).T))
    trace = make_trace(TIMES, [60, 80, 100, 30, 90, 70, 40, 200], [2, 1, 4, 2, 5, 3, 2, 6])
    for monitor in ("utilization_50", "utilization_500", "queue_depth"):
        tune = f"metric:tune=bf:-0.5:0..1:{monitor}>9000:7"
        schedule = simulate(trace, cluster, parse_policy(tune))
        run, checks = series_of(schedule), schedule.checks
        assert checks is not None
        starts = {*schedule.start.tolist(), *schedule.stopped.start.tolist()}
        for time, measured in zip(checks.time.tolist(), checks.monitor[:, 0].tolist(), strict=True):
            if monitor != "queue_depth":
                over = int(monitor.removeprefix("utilization_"))
                assert run.use_at(over, time) == pytest.approx(measured)
            elif time not in starts:  # measured before the pass
                assert run.depth.at(time) == pytest.approx(measured)
