import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from engine.machine.cluster import Cluster, parse_cluster
from engine.policy.policy import PRESETS, parse_policy
from engine.schedule.schedule import NOT_RUN, Decision
from engine.simulation.control import Cancelled, Control
from engine.simulation.events import ANY, LOGGED, PLAIN, variant_of
from engine.simulation.make.scheduler import make_scheduler
from engine.simulation.run import reference_schedule, simulate
from tests.engine.simulation.comparing import (
    assert_equal_schedules,
    assert_equal_to_twin,
    rows_of,
)
from tests.engine.simulation.naive import NaiveSimulation
from tests.engine.simulation.workloads import Case, bags, bounded_cases, cases, simple_cases
from tests.traces import make_trace

EASY_KEYS = {
    "order": "fcfs",
    "backfill": "queue",
    "estimate": "requested",
    "gate": "off",
    "pass_every": "none",
    "window": "1",
}


@settings(max_examples=100)
@given(cases())
def test_compiled_loop_equals_its_slow_twin(case: Case) -> None:
    schedule, naive = assert_equal_to_twin(case)
    assert schedule.estimate is not None
    ran = schedule.ran.tolist()
    estimates = zip(schedule.estimate.tolist(), naive.jobs, strict=True)
    assert all(e == job.first_estimate for (e, job), did in zip(estimates, ran, strict=True) if did)


@settings(max_examples=100)
@given(simple_cases())
def test_code_of_simple_simulations_equals_the_slow_twin(case: Case) -> None:
    trace, cluster, policy = case
    reference = reference_schedule(trace, cluster) if policy.uses_expected_ends else None
    assert variant_of(*make_scheduler(*case, log=False, reference=reference)) != ANY
    naive = NaiveSimulation(*case)
    naive.simulate()
    assert_equal_schedules(simulate(*case), naive)
    assert_equal_schedules(simulate(*case, log=True), naive)


@settings(max_examples=70)
@given(st.sampled_from(["1", "1", "0", "stop"]).flatmap(lambda depth: simple_cases(depth=depth, **EASY_KEYS)))
def test_code_of_easy_backfilling_equals_the_slow_twin(case: Case) -> None:
    assume(variant_of(*make_scheduler(*case, log=False)) == PLAIN)
    assert variant_of(*make_scheduler(*case, log=True)) == LOGGED
    assert_equal_to_twin(case)


@settings(max_examples=70)
@given(bounded_cases())
def test_passes_that_look_at_less_equal_those_of_the_twin(case: Case) -> None:
    assert_equal_to_twin(case)


@settings(max_examples=60)
@given(bags())
def test_long_queues_of_jobs_alike_are_planned_as_the_twin_plans_them(case: Case) -> None:
    naive = NaiveSimulation(*case)
    naive.simulate()
    assert_equal_schedules(simulate(*case), naive)


@settings(max_examples=60)
@given(cases(depth="kept"))
def test_what_a_plan_says_at_arrival_is_the_first_reservation_in_the_log(case: Case) -> None:
    """Also of jobs that an end or a search of the same second moves."""
    naive = NaiveSimulation(*case)
    naive.simulate()
    first: dict[int, tuple[int, int]] = {}
    for time, job, value in naive.reserved:
        first.setdefault(job, (time, value))
    found: dict[int, tuple[int, int]] = {}
    for time, job, _, value in rows_of(simulate(*case, log=True), Decision.RESERVED):
        found.setdefault(job, (time, value))
    assert found == first


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


@pytest.mark.parametrize("log", [False, True])
def test_a_job_is_not_forgotten_whose_reservation_passes_without_an_event(log: bool) -> None:
    # 0 is believed to end at 2, when nothing happens, and ends at 4 at once with its overrun.
    trace = make_trace([0, 0, 0], [4, 1, 1], [3, 4, 2])
    policy = parse_policy("just:estimate=scaled0.5")
    naive = NaiveSimulation(trace, Cluster.pool(5), policy)
    assert simulate(trace, Cluster.pool(5), policy, log=log).start.tolist() == naive.simulate() == [0, 4, 0]


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
    first, second = (simulate(trace, trace.cluster, parse_policy(name)) for _ in range(2))
    assert first.start.tolist() == second.start.tolist()
