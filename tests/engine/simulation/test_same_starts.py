"""A schedule is the same whatever else a run is asked for, and whenever its tables are made anew."""

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.machine.cluster import Cluster
from engine.policy.policy import parse_policy
from engine.schedule.schedule import Schedule
from engine.simulation.control import Control
from engine.simulation.events import run_events, variant_of
from engine.simulation.loop import NEEDS_ROOM
from engine.simulation.make.scheduler import make_scheduler
from engine.simulation.profile import state
from engine.simulation.profile.state import make_profile
from engine.simulation.run import reference_schedule, simulate
from engine.simulation.scheduler import KEPT
from engine.simulation.tables import with_larger_tables
from engine.trace import Trace
from tests.engine.simulation.comparing import pieces, stopped_runs
from tests.engine.simulation.naive import NaiveSimulation
from tests.engine.simulation.workloads import Case, cases, limited_cases
from tests.traces import make_trace


def outcome(schedule: Schedule) -> tuple[object, ...]:
    return schedule.start.tolist(), pieces(schedule), stopped_runs(schedule)


def starts_in_tight_tables(case: Case, log: bool) -> list[int]:
    """Starts of a run all of whose tables, its profiles too, have to be made longer again and again."""
    trace, cluster, policy = case
    reference = reference_schedule(trace, cluster) if policy.uses_expected_ends else None
    scheduler, estimator = make_scheduler(trace, cluster, policy, log, reference=reference)
    variant = variant_of(scheduler, estimator)
    if scheduler.rules.plans:
        work, zero = scheduler.work, int(scheduler.profile.now[0])
        # Profiles and logs begin without any room, and grow with each need.
        future = plan = make_profile(work.capacity, zero, 0, work.zone_nodes)
        if scheduler.rules.depth != KEPT:
            plan = make_profile(work.capacity, zero, 0, work.zone_nodes)
        scheduler = scheduler._replace(profile=future, plan=plan)
    if log:
        log_buffer = scheduler.log_buffer._replace(rows=np.empty((4, 0), np.int64))
        scheduler = scheduler._replace(log_buffer=log_buffer)
    # Each time the run stops for room and goes on from there.
    while run_events(scheduler, estimator, Control().array, variant) == NEEDS_ROOM:
        scheduler = with_larger_tables(scheduler)
    return [int(start) for start in scheduler.start]


def assert_the_same_however_it_is_run(case: Case) -> None:
    plain = simulate(*case)
    assert outcome(simulate(*case, log=True)) == outcome(plain)
    assert outcome(simulate(*case, fair_starts=True)) == outcome(plain)
    # Many nodes have a sum that is searched before them: here these few have it too.
    with patch.object(state, "SUMMED", 1):
        assert outcome(simulate(*case)) == outcome(plain)
        assert starts_in_tight_tables(case, False) == plain.start.tolist()
    for log in (False, True):
        assert starts_in_tight_tables(case, log) == plain.start.tolist()


@settings(max_examples=60)
@given(cases())
def test_the_log_fair_starts_and_tables_made_anew_change_no_schedule(case: Case) -> None:
    assert_the_same_however_it_is_run(case)


@settings(max_examples=60)
@given(limited_cases())
def test_nor_do_they_where_passes_end_early_or_limits_hold_jobs(case: Case) -> None:
    assert_the_same_however_it_is_run(case)
    naive = NaiveSimulation(*case)
    assert simulate(*case).start.tolist() == naive.simulate()


@settings(max_examples=50)
@given(limited_cases(), st.sampled_from(("1", "7", "20")))
def test_nor_do_they_where_passes_are_made_at_intervals(case: Case, every: str) -> None:
    trace, cluster, policy = case
    assert_the_same_however_it_is_run((trace, cluster, policy.with_keys(pass_every=every)))


@pytest.fixture
def three_jobs() -> Trace:
    """One starts, one is not looked at by that pass, and one comes a second later and fits nowhere."""
    return make_trace([2, 2, 3], [34, 163, 33], [2, 1, 7], walltime=[169, 456, 186])


@pytest.mark.parametrize("name", ["just", "easy", "easy:depth=2", "aggressive", "fcfs"])
@pytest.mark.parametrize("log", [False, True])
def test_a_job_that_a_pass_did_not_come_to_starts_at_the_next_one(
    three_jobs: Trace, name: str, log: bool
) -> None:
    policy = parse_policy(name).with_keys(test_limit="1")
    pool = Cluster.pool(8)
    assert simulate(three_jobs, pool, policy, log=log).start.tolist() == [2, 3, 36]
    assert NaiveSimulation(three_jobs, pool, policy).simulate() == [2, 3, 36]


@pytest.mark.parametrize("log", [False, True])
def test_a_reservation_goes_when_a_later_start_has_a_limit_hold_its_job(log: bool) -> None:
    # At 2, job 1 is promised 20 and 2 would be in its way; then 3 starts, the one job that user a may run.
    # So at 3, when only 4 comes, which fits nowhere, nothing is kept free for 1 any more.
    trace = make_trace([0, 2, 2, 2, 3], [20, 10, 30, 10, 5], [4, 8, 4, 2, 9], user=["b", "a", "c", "a", "d"])
    policy = parse_policy("just:max_user_jobs=1")
    assert simulate(trace, Cluster.pool(10), policy, log=log).start.tolist() == [0, 33, 3, 2, 43]
