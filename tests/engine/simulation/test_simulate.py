from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from engine.cluster import Cluster, parse_cluster
from engine.policy import PRESETS, Policy, parse_policy
from engine.schedule import NOT_RUN, Decision
from engine.simulation.control import Cancelled, Control
from engine.simulation.run import simulate
from engine.trace import Trace
from tests.engine.simulation.naive import NaiveSimulation
from tests.engine.simulation.occupancy import over_committed
from tests.engine.simulation.workloads import clusters, policies, traces
from tests.traces import make_trace


@settings(max_examples=300)
@given(traces(), clusters(), policies())
def test_compiled_loop_equals_its_slow_twin(trace: Trace, cluster: Cluster, policy: Policy) -> None:
    schedule = simulate(trace, cluster, policy, log=True)
    naive = NaiveSimulation(trace, cluster, policy)
    assert schedule.start.tolist() == naive.simulate()
    for job in naive.jobs:
        rows = slice(schedule.pieces.offset[job.number], schedule.pieces.offset[job.number + 1])
        if len(naive.machine) > 1:
            ours = zip(
                schedule.pieces["node"][rows].tolist(), schedule.pieces["cpus"][rows].tolist(), strict=True
            )
            assert list(ours) == [(node, amounts[0]) for node, amounts in job.pieces]
    log = schedule.log
    backfilled = log.kind == Decision.BACKFILLED
    said = zip(
        log.time[backfilled].tolist(),
        log.job[backfilled].tolist(),
        log.value[backfilled].tolist(),
        strict=True,
    )
    assert list(said) == naive.passed


@given(traces(), clusters(), policies())
def test_reservations_in_the_log_are_those_of_the_twin(
    trace: Trace, cluster: Cluster, policy: Policy
) -> None:
    schedule = simulate(trace, cluster, policy, log=True)
    naive = NaiveSimulation(trace, cluster, policy)
    naive.simulate()
    changes: list[tuple[int, int, int]] = []
    for entry in naive.reserved:
        if not changes or changes[-1][1:] != entry[1:]:
            changes.append(entry)
    log = schedule.log
    rows = log.kind == Decision.RESERVED
    assert (
        list(zip(log.time[rows].tolist(), log.job[rows].tolist(), log.value[rows].tolist(), strict=True))
        == changes
    )


@given(traces(), clusters(), policies())
def test_every_job_runs_once_after_its_submit_and_no_node_is_over_committed(
    trace: Trace, cluster: Cluster, policy: Policy
) -> None:
    schedule = simulate(trace, cluster, policy)
    ran = schedule.ran
    assert (schedule.start[ran] >= trace.submit[ran]).all()
    assert (schedule.end[ran] - schedule.start[ran] == trace.runtime[ran]).all()
    sizes = np.add.reduceat(np.append(schedule.pieces["cpus"], 0), schedule.pieces.offset[:-1])
    assert (sizes[ran] == trace.procs[ran]).all()
    assert over_committed(schedule) == 0


@given(traces(), clusters(), policies())
def test_the_log_changes_no_schedule(trace: Trace, cluster: Cluster, policy: Policy) -> None:
    with_log = simulate(trace, cluster, policy, log=True)
    assert with_log.start.tolist() == simulate(trace, cluster, policy).start.tolist()


@given(traces(), policies())
def test_on_a_pool_a_reservation_is_kept(trace: Trace, policy: Policy) -> None:
    static = replace(policy, order="fcfs", depth="1")
    schedule = simulate(trace, Cluster.pool(12), static, log=True)
    log = schedule.log
    for row in np.flatnonzero(log.kind == Decision.RESERVED):
        assert schedule.start[log.job[row]] <= log.value[row]


def test_a_job_too_large_for_the_machine_is_refused_and_holds_nobody_up() -> None:
    trace = make_trace([0, 0, 1], [10, 10, 10], [4, 40, 4])
    schedule = simulate(trace, Cluster.pool(8), parse_policy("fcfs"))
    assert schedule.start.tolist() == [0, NOT_RUN, 1]
    assert schedule.end.tolist() == [10, NOT_RUN, 11]


def test_a_task_must_fit_inside_one_node() -> None:
    trace = make_trace([0, 0], [10, 10], [6, 6], tasks=[[(1, 6, 0)], [(6, 1, 0)]])
    schedule = simulate(trace, parse_cluster("3x4c"), parse_policy("easy"))
    assert schedule.start.tolist() == [NOT_RUN, 0]


def test_ram_of_a_node_holds_a_job_back() -> None:
    trace = make_trace([0, 1], [10, 10], [1, 1], tasks=[[(1, 1, 700)], [(1, 1, 700)]])
    assert simulate(trace, parse_cluster("8c1g"), parse_policy("easy")).start.tolist() == [0, 10]
    assert simulate(trace, parse_cluster("2x8c1g"), parse_policy("easy")).start.tolist() == [0, 1]


def test_backfilling_never_delays_the_head_and_fcfs_lets_nobody_pass() -> None:
    # 0 runs to 100 on 6 of 10; 1 needs all; 2 ends in time; 3 would not.
    trace = make_trace([0, 1, 2, 3], [100, 10, 90, 150], [6, 10, 4, 2])
    pool = Cluster.pool(10)
    assert simulate(trace, pool, parse_policy("easy")).start.tolist() == [0, 100, 2, 110]
    assert simulate(trace, pool, parse_policy("fcfs")).start.tolist() == [0, 100, 110, 110]
    assert simulate(trace, pool, parse_policy("aggressive")).start.tolist() == [0, 242, 2, 92]


def test_fairshare_puts_the_least_used_user_first() -> None:
    trace = make_trace([0, 1, 2], [100, 50, 50], 10, user=["heavy", "heavy", "light"])
    pool = Cluster.pool(10)
    assert simulate(trace, pool, parse_policy("fcfs")).start.tolist() == [0, 100, 150]
    assert simulate(trace, pool, parse_policy("fairshare-fcfs")).start.tolist() == [0, 150, 100]


def test_an_overrun_estimate_grows_to_the_walltime_and_then_second_by_second() -> None:
    trace = make_trace([0, 1, 2], [50, 10, 30], [6, 10, 4], walltime=[20, 10, 30])
    schedule = simulate(trace, Cluster.pool(10), parse_policy("easy"), log=True)
    naive = NaiveSimulation(trace, Cluster.pool(10), parse_policy("easy"))
    assert schedule.start.tolist() == naive.simulate() == [0, 50, 60]


def test_cancel_ends_a_simulation_without_a_result() -> None:
    control = Control()
    control.cancel()
    with pytest.raises(Cancelled):
        simulate(make_trace([0], [1]), Cluster.pool(100), parse_policy("easy"), control=control)


def test_progress_is_ended_jobs_of_all_that_run() -> None:
    control = Control()
    trace = make_trace([0, 0, 1], [10, 10, 10], [4, 400, 4])
    simulate(trace, Cluster.pool(100), parse_policy("easy"), control=control)
    assert control.progress == 1.0
    assert control.jobs == 2


@pytest.mark.parametrize("name", [name for name in PRESETS if name != "recorded"])
def test_equal_arguments_give_equal_schedules(name: str) -> None:
    trace = make_trace(np.arange(200) * 3, np.arange(200) % 17 + 1, np.arange(200) % 50 + 1)
    one, other = (simulate(trace, trace.cluster, parse_policy(name)) for _ in range(2))
    assert one.start.tolist() == other.start.tolist()
