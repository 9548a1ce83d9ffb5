"""Jobs that follow others come when those have ended, and think times are replayed."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from engine.audit.audit import audit
from engine.audit.table import table_of
from engine.errors import InputError
from engine.fairness.violations import judge
from engine.machine.cluster import Cluster
from engine.metrics.summary import summary
from engine.policy.names import VALUE_ORDERS
from engine.policy.policy import Policy, parse_policy
from engine.schedule.backfills import times_passed
from engine.schedule.explain import explain
from engine.schedule.neighbours import waiting_at_submission
from engine.schedule.predictions import prediction_errors
from engine.schedule.schedule import Schedule
from engine.schedule.write import write_swf
from engine.simulation.run import simulate
from engine.trace import Trace
from engine.trace.dependencies import AsSubmitted, as_submitted, following, predecessors, workflows
from tests.engine.simulation.comparing import pieces, stopped_runs
from tests.engine.simulation.naive_closed import NaiveClosed, followed
from tests.engine.simulation.workloads import Case, following_cases
from tests.traces import make_trace

POOL = Cluster.pool(10)


def drawn(policy: Policy) -> bool:
    """Whether jobs are worth what is drawn for them in the order in which they come."""
    return policy.order in VALUE_ORDERS or "worth" in policy.score_names


def closed(trace: Trace, preceding: list[int], think: list[int]) -> Trace:
    return following(replace(trace, preceding=np.array(preceding), think_time=np.array(think)))


def test_a_job_comes_at_the_end_of_the_one_it_follows_and_its_think_time_after_it() -> None:
    # By the log 2 came at 50. Job 1 ends at 10 on an empty machine, so that it comes at 15.
    trace = closed(make_trace([0, 50, 55], [10, 5, 5], 4), [-1, 1, 2], [-1, 5, 0])
    schedule = simulate(trace, POOL, parse_policy("easy"))
    assert schedule.submit.tolist() == schedule.start.tolist() == [0, 15, 20]
    assert schedule.wait.tolist() == [0, 0, 0]
    assert trace.submit.tolist() == [0, 50, 55]
    assert trace.name == "test, dependencies on"
    assert [(note.rule, note.count) for note in trace.notes] == [("follow", 2)]


def test_a_job_that_comes_later_than_by_the_log_queues_behind_those_that_came_meanwhile() -> None:
    # 2 follows 1, which waits for 0 until 100; 3 comes at 20, and 2 no sooner than 110.
    trace = closed(make_trace([0, 1, 15, 20], [100, 10, 10, 30], 10), [-1, -1, 2, -1], [-1, -1, 0, -1])
    for policy in ("fcfs", "easy", "conservative", "just", "easy:order=sjf", "fairshare-easy"):
        schedule = simulate(trace, POOL, parse_policy(policy))
        assert schedule.submit.tolist() == [0, 1, 110, 20]
        assert schedule.turn.tolist() == [0, 1, 3, 2]
    assert simulate(trace, POOL, parse_policy("fcfs")).start.tolist() == [0, 100, 140, 110]


def test_jobs_that_follow_what_is_refused_or_unknown_come_when_the_log_says() -> None:
    trace = closed(
        make_trace(
            [0, 5, 9, 12],
            [3] * 4,
            [20, 1, 1, 1],
        ),
        [-1, 1, 77, 4],
        [-1, 0, 0, 0],
    )
    schedule = simulate(trace, POOL, parse_policy("easy"))
    assert schedule.refused.tolist() == [True, False, False, False]
    assert schedule.submit.tolist() == [0, 5, 9, 12]
    assert [(note.rule, note.count) for note in trace.notes] == [("follow", 1), ("follow_unknown", 2)]


def test_of_several_jobs_of_one_number_the_last_one_in_front_is_followed() -> None:
    trace = replace(make_trace([0, 1, 2, 3], [1] * 4), job_id=np.array([7, 7, 8, 7]))
    trace = replace(trace, preceding=np.array([-1, 7, 7, 7]))
    assert predecessors(trace).tolist() == [-1, 0, 1, 1]
    assert workflows(trace).tolist() == [0, 0, 0, 0]


def test_policies_that_must_know_ahead_when_jobs_come_say_so() -> None:
    trace = closed(make_trace([0, 5], [1, 1]), [-1, 1], [-1, 0])
    with pytest.raises(InputError, match="not known ahead"):
        simulate(trace, POOL, parse_policy("easy:order=slack"))
    with pytest.raises(InputError, match="no fair starts"):
        simulate(trace, POOL, parse_policy("auction"), fair_starts=True)


@settings(max_examples=60)
@given(following_cases())
def test_predecessors_are_those_of_the_twin(case: Case) -> None:
    assert [None if job < 0 else job for job in predecessors(case[0]).tolist()] == followed(case[0])


@settings(max_examples=40)
@given(following_cases(max_jobs=10))
def test_closed_schedules_are_those_of_the_twin(case: Case) -> None:
    assume(not drawn(case[2]))
    naive, schedule = NaiveClosed(case), simulate(*case)
    assert schedule.submit.tolist() == naive.submit
    assert (schedule.start.tolist(), schedule.end.tolist()) == (naive.start, naive.end)


@settings(max_examples=50)
@given(following_cases(), st.booleans())
def test_a_closed_schedule_is_the_open_one_of_what_it_submitted(case: Case, log: bool) -> None:
    trace, cluster, policy = case
    assume(not drawn(policy))
    schedule = simulate(trace, cluster, policy, log=log)
    shown = as_submitted(trace, schedule.submit)
    open_loop = simulate(shown.trace, cluster, policy, log=log)
    assert shown.back(open_loop.start).tolist() == schedule.start.tolist()
    assert shown.back(open_loop.end).tolist() == schedule.end.tolist()
    own = [pieces(open_loop)[place] for place in schedule.turn]
    assert own == pieces(schedule)
    runs = [(int(shown.job[job]), *rest) for job, *rest in stopped_runs(open_loop)]
    assert runs == stopped_runs(schedule)
    there, here = open_loop.log, schedule.log
    assert (there.time.tolist(), there.kind.tolist()) == (here.time.tolist(), here.kind.tolist())
    assert shown.job[there.job].tolist() == here.job.tolist()


@settings(max_examples=60)
@given(following_cases())
def test_nothing_comes_before_the_end_of_what_it_follows_and_its_think_time(case: Case) -> None:
    trace = case[0]
    schedule = simulate(*case)
    ahead = predecessors(trace)
    follows = np.flatnonzero((ahead >= 0) & ~schedule.refused)
    follows = follows[schedule.ran[ahead[follows]]]
    think = np.maximum(trace.think_time[follows], 0)
    assert (schedule.submit[follows] == schedule.end[ahead[follows]] + think).all()
    ran = schedule.ran
    assert (schedule.start[ran] >= schedule.submit[ran]).all()
    free = np.flatnonzero(ahead < 0)
    assert (schedule.submit[free] == trace.submit[free]).all()


def opened(schedule: Schedule) -> tuple[AsSubmitted, Schedule]:
    """The same schedule of the trace as it was submitted."""
    shown = as_submitted(schedule.trace, schedule.submit)
    machine = schedule.cluster.with_outages(schedule.trace.submit)
    return shown, simulate(shown.trace, machine, schedule.policy, log=True)


@settings(max_examples=15)
@given(following_cases())
def test_a_closed_schedule_measures_as_the_open_one_does(case: Case) -> None:
    assume(not drawn(case[2]))
    schedule = simulate(*case, log=True)
    shown, again = opened(schedule)
    single = replace(schedule, trace=replace(case[0], dependencies=False))  # workflows are judged as one
    capacity = np.full((len(case[0].user.names), 1), 3)
    judged, expected = judge(single, capacity), judge(again, capacity)
    assert judged.eet.tolist() == shown.back(expected.eet).tolist()
    measured, wanted = summary(schedule, judged), summary(again, expected)
    alike = [name for name in wanted if not name.startswith("value")]  # values are drawn
    assert [measured[name] for name in alike] == pytest.approx([wanted[name] for name in alike])
    assert times_passed(schedule).tolist() == shown.back(times_passed(again)).tolist()
    assert prediction_errors(schedule) == pytest.approx(shown.back(prediction_errors(again)), nan_ok=True)
    for place, job in enumerate(shown.job.tolist()):
        here, there = explain(schedule, job), explain(again, place)
        assert (here.submit, here.start, here.promises) == (there.submit, there.start, there.promises)
        lines = [
            [(interval.begin, interval.end, interval.kind) for interval in lines.intervals]
            for lines in (here, there)
        ]
        assert lines[0] == lines[1]
        assert here.overtaken == tuple(shown.job[list(there.overtaken)].tolist())
        waiting = waiting_at_submission(again, place)
        assert waiting_at_submission(schedule, job).tolist() == shown.job[waiting].tolist()


@settings(max_examples=60)
@given(following_cases())
def test_an_audit_finds_nothing_in_closed_schedules(case: Case) -> None:
    schedule = simulate(*case)
    assume(not schedule.given_up.any())
    assert audit(table_of(schedule), case[1], case[2]).findings == ()


def test_an_audit_finds_jobs_that_came_before_the_end_of_what_they_follow() -> None:
    trace = closed(make_trace([0, 50], [10, 5], 4), [-1, 1], [-1, 5])
    schedule = simulate(trace, POOL, parse_policy("easy"))
    wrong = replace(schedule, start=np.array([0, 12]), end=np.array([10, 17]), came=np.array([0, 12]))
    found = audit(table_of(wrong), POOL).findings
    assert [(match.kind, match.count) for match in found] == [("submit", 1), ("early", 1)]
    report = audit(table_of(schedule), POOL)
    assert any("jobs that they follow" in text or "those that they follow" in text for text in report.checked)


def test_a_workflow_has_one_expected_end_that_of_its_last_job() -> None:
    # One CPU each; alone in a share of one, 0 ends at 10, 1 at 30 and 2 at 40. 3 is no part of it.
    trace = closed(make_trace([0, 10, 20, 21], [10, 20, 10, 5], 1), [-1, 1, 2, -1], [-1, 0, 0, -1])
    schedule = simulate(trace, Cluster.pool(1), parse_policy("fcfs"))
    assert schedule.start.tolist() == [0, 10, 35, 30]
    judged = judge(schedule, np.ones((1, 1), np.int64))
    assert judged.eet.tolist() == [45, 45, 45, 35]
    assert judged.violated.tolist() == [False, False, False, False]
    late = replace(schedule, end=np.array([10, 30, 60, 35]), start=np.array([0, 10, 50, 30]))
    assert judge(late, np.ones((1, 1), np.int64)).violated.tolist() == [False, False, True, False]


def test_swf_of_a_closed_schedule_says_when_jobs_came(tmp_path: Path) -> None:
    trace = closed(make_trace([0, 1, 15, 20], [100, 10, 10, 30], 10), [-1, -1, 2, -1], [-1, -1, 0, -1])
    schedule = simulate(trace, POOL, parse_policy("fcfs"))
    write_swf(schedule, tmp_path / "closed.swf")
    rows = [line.split() for line in (tmp_path / "closed.swf").read_text().splitlines() if line[0] != ";"]
    assert [row[:3] for row in rows] == [
        ["1", "0", "0"],
        ["2", "1", "99"],
        ["4", "20", "90"],
        ["3", "110", "30"],
    ]
    assert rows[3][16:] == ["2", "0"]


@settings(max_examples=20)
@given(following_cases(max_jobs=10))
def test_fair_starts_are_those_of_what_was_submitted(case: Case) -> None:
    trace, cluster, policy = case
    assume(not drawn(policy))
    schedule = simulate(trace, cluster, policy, fair_starts=True)
    shown = as_submitted(trace, schedule.submit)
    expected = simulate(shown.trace, cluster, policy, fair_starts=True).fair_start
    assert expected is not None
    assert schedule.fair_start is not None
    assert schedule.fair_start.tolist() == shown.back(expected).tolist()
