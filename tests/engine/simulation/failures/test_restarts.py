"""Jobs that failures stop: started anew so many times and then given up, gone on with, or lost."""

import numpy as np
import pytest
from hypothesis import given, settings

from engine.audit.audit import audit
from engine.audit.table import table_of
from engine.errors import InputError
from engine.machine.cluster import Cluster, NodeGroup
from engine.machine.outages import Outages
from engine.metrics.summary import summary
from engine.policy.policy import parse_policy
from engine.simulation.control import Control
from engine.simulation.run import simulate
from tests.engine.simulation.comparing import assert_equal_schedules
from tests.engine.simulation.naive import NaiveSimulation
from tests.engine.simulation.workloads import Case, cases
from tests.traces import make_trace

MACHINE = (NodeGroup(2, 1),)


def failing(times: list[int]) -> Cluster:
    """Two nodes, of which both are down for a second at each of these times."""
    start = np.repeat(np.array(times, np.int64), 2)
    return Cluster(MACHINE, Outages.merged(np.tile([0, 1], len(times)), start, start + 1))


@pytest.mark.parametrize("name", ["fcfs", "easy", "just", "conservative", "easy:window=2", "aggressive"])
def test_a_job_is_started_again_as_often_as_the_policy_says(name: str) -> None:
    # Job 0 takes longer than the nodes ever run; job 1 fits in between, behind it.
    trace = make_trace([0, 1], [15, 8], [2, 2])
    cluster = failing([10, 20, 30, 40])
    colon = "," if ":" in name else ":"
    schedule = simulate(trace, cluster, parse_policy(f"{name}{colon}max_restarts=2"), log=True)
    assert schedule.start.tolist() == [-1, 31]
    assert schedule.given_up.tolist() == [True, False]
    assert schedule.refused.tolist() == [False, False]
    assert schedule.stopped.start.tolist() == [0, 11, 21]
    assert schedule.stopped.end.tolist() == [10, 20, 30]
    assert simulate(trace, cluster, parse_policy(name)).start.tolist() == [41, 56]


def test_a_job_given_up_counts_as_done() -> None:
    control = Control()
    trace = make_trace([0, 1, 2], [15, 8, 1], [2, 2, 3])
    schedule = simulate(trace, failing([10]), parse_policy("easy:max_restarts=0"), control=control)
    assert schedule.given_up.tolist() == [True, False, False]
    assert schedule.refused.tolist() == [False, False, True]
    assert control.progress == 1.0


def test_fair_starts_know_which_jobs_will_be_given_up() -> None:
    trace = make_trace([0, 1], [15, 8], [2, 2])
    policy = parse_policy("easy:max_restarts=0")
    schedule = simulate(trace, failing([10]), policy, fair_starts=True)
    assert schedule.fair_start is not None
    assert schedule.fair_start.tolist() == [0, 11]
    assert schedule.start.tolist() == [-1, 11]


SITES = ["fcfs", "easy", "just", "conservative", "plan-search", "easy:window=2", "aggressive"]


def under(name: str, keys: str) -> str:
    """The policy with these keys besides."""
    return f"{name}{',' if ':' in name else ':'}{keys}"


@pytest.mark.parametrize("name", [name for name in SITES if name != "plan-search"])
def test_a_job_that_goes_on_runs_its_rest(name: str) -> None:
    trace = make_trace([0, 1], [15, 8], [2, 2])
    schedule = simulate(trace, failing([10, 20]), parse_policy(under(name, "on_failure=continue")), log=True)
    # 10 s, then 5 s; the other one 4 s until the next failure, and its other 4 s after that.
    assert schedule.stopped.job.tolist() == [0, 1]
    assert schedule.stopped.start.tolist() == [0, 16]
    assert schedule.start.tolist() == [11, 21]
    assert schedule.end.tolist() == [16, 25]
    assert schedule.runtime.tolist() == [15, 8]
    assert schedule.wait.tolist() == [1, 16]
    assert (schedule.wait + schedule.runtime).tolist() == [16, 24]
    assert not schedule.given_up.any()


@pytest.mark.parametrize("name", SITES)
def test_a_lost_job_does_not_run_again(name: str) -> None:
    trace = make_trace([0, 1], [15, 8], [2, 2])
    schedule = simulate(trace, failing([10, 40]), parse_policy(under(name, "on_failure=lose")))
    assert schedule.start.tolist() == [-1, 11]
    assert schedule.given_up.tolist() == [True, False]


def test_max_restarts_has_no_use_where_jobs_are_lost() -> None:
    with pytest.raises(InputError, match="max_restarts=3 has no use: on_failure=lose starts no job again"):
        parse_policy("easy:on_failure=lose,max_restarts=3")


def test_a_job_that_goes_on_is_sorted_by_what_is_left() -> None:
    # Both nodes fail at 10. Of job 0 only 4 s are left then, so it goes before the 6 s of job 1.
    trace = make_trace([0, 1], [14, 6], [2, 2])
    schedule = simulate(trace, failing([10]), parse_policy("easy:order=sjf,on_failure=continue"))
    assert schedule.start.tolist() == [11, 15]
    schedule = simulate(trace, failing([10]), parse_policy("easy:order=sjf"))
    assert schedule.start.tolist() == [17, 11]


def test_an_estimate_that_is_used_up_leaves_the_rest_of_the_walltime() -> None:
    # Job 0 is believed to run for 8 s, runs for 10, and then for the rest of its walltime, 10 s, as
    # is believed; job 1, which takes 8 s, is backfilled beside the reservation of job 2 behind that.
    trace = make_trace([0, 1, 1], [16, 8, 4], [1, 2, 1], walltime=[20, 8, 4])
    policy = parse_policy("conservative:estimate=scaled0.5,on_failure=continue")
    schedule = simulate(trace, failing([10]), policy, log=True)
    found = schedule.log.of_job(1)
    assert 21 in found.value[found.time == 10].tolist()


def test_a_run_that_goes_on_is_no_lost_area() -> None:
    trace = make_trace([0, 1], [15, 8], [2, 2])
    lost = {}
    for name in ("restart", "continue", "lose"):
        schedule = simulate(trace, failing([10]), parse_policy(f"easy:on_failure={name}"))
        lost[name] = summary(schedule)["stopped_area"]
    assert lost == {"restart": 20, "continue": 0, "lose": 20}


@settings(max_examples=40)
@given(cases(on_failure="continue", max_restarts="20").filter(lambda case: case[1].failures is not None))
def test_no_job_is_lost_that_goes_on(case: Case) -> None:
    trace, cluster, policy = case
    schedule = simulate(trace, cluster, policy)
    naive = NaiveSimulation(trace, cluster, policy)
    naive.simulate()
    assert_equal_schedules(schedule, naive)
    ran = schedule.ran
    assert (ran | schedule.refused).all()
    assert (schedule.runtime[ran] == trace.runtime[ran]).all()
    report = audit(table_of(schedule), cluster, policy)
    assert not report.findings
