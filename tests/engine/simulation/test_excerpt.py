"""A part of a run simulated by itself."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.policy.policy import parse_policy
from engine.schedule.schedule import NOT_RUN
from engine.simulation.excerpt import jobs_in_view, simulate_part
from engine.simulation.run import simulate
from tests.engine.simulation.comparing import pieces
from tests.engine.simulation.workloads import Case, cases
from tests.traces import make_trace


@given(cases())
def test_a_window_of_all_gives_the_whole_run(case: Case) -> None:
    trace, cluster, policy = case
    before = simulate(trace, cluster, parse_policy("fcfs"))
    whole = simulate(trace, cluster, policy)
    part = simulate_part(before, policy, jobs_in_view(before, before.first_submit, before.last_end + 1))
    assert part.policy == policy
    assert part.trace is trace
    assert part.start.tolist() == whole.start.tolist()
    assert part.end.tolist() == whole.end.tolist()
    assert pieces(part) == pieces(whole)


@given(cases(), st.data())
def test_the_jobs_in_view_run_as_if_there_were_no_others(case: Case, data: st.DataObject) -> None:
    trace, cluster, policy = case
    before = simulate(*case)
    jobs = np.array(data.draw(st.lists(st.booleans(), min_size=len(trace), max_size=len(trace))))
    if not jobs.any():
        return
    alone = simulate(trace.take(jobs), cluster, policy)
    part = simulate_part(before, policy, jobs)
    assert part.start[jobs].tolist() == alone.start.tolist()
    assert part.end[jobs].tolist() == alone.end.tolist()
    assert [own for own, kept in zip(pieces(part), jobs, strict=True) if kept] == pieces(alone)
    assert (part.start[~jobs] == NOT_RUN).all()
    assert (part.end[~jobs] == NOT_RUN).all()
    assert part.procs.tolist() == trace.procs.tolist()


@given(cases(), st.integers(-20, 120), st.integers(1, 60))
def test_jobs_in_view_came_before_its_end_and_had_not_ended_long_before_it(
    case: Case, start: int, length: int
) -> None:
    schedule = simulate(*case)
    found = jobs_in_view(schedule, start, start + length)
    for job in range(len(found)):
        came, began, ended = (int(times[job]) for times in (case[0].submit, schedule.start, schedule.end))
        there = range(start - length, start + length)
        assert found[job] == (came < there.stop and (began == NOT_RUN or ended > there.start))


def test_the_state_before_the_window_counts() -> None:
    """The first job is seen only by what it leaves to the others."""
    trace = make_trace([0, 90, 100, 300], [99, 50, 10, 10], [10, 10, 10, 10])
    before = simulate(trace, trace.cluster, parse_policy("fcfs"))
    jobs = jobs_in_view(before, 100, 200)
    assert jobs.tolist() == [True, True, True, False]
    part = simulate_part(before, parse_policy("easy"), jobs)
    assert part.start.tolist() == [0, 90, 100, NOT_RUN]


def test_before_a_window_of_many_jobs_less_is_simulated(monkeypatch: pytest.MonkeyPatch) -> None:
    trace = make_trace(range(0, 400, 10), [5] * 40, [1] * 40)
    schedule = simulate(trace, trace.cluster, parse_policy("fcfs"))
    for most, first in ((20, 10), (15, 15), (5, 18)):  # a lead of 100, 50 or 25 s before 200
        monkeypatch.setattr("engine.simulation.excerpt.MANY", most)
        assert np.flatnonzero(jobs_in_view(schedule, 200, 300)).tolist() == list(range(first, 30))


@given(cases(), st.integers(0, 80))
def test_jobs_that_had_ended_are_left_out_after_the_simulation(case: Case, since: int) -> None:
    trace, _, policy = case
    before = simulate(*case)
    jobs = np.ones(len(trace), np.bool_)
    whole, part = simulate_part(before, policy, jobs), simulate_part(before, policy, jobs, since=since)
    kept = whole.end > since
    assert part.ran.tolist() == kept.tolist()
    assert part.start[kept].tolist() == whole.start[kept].tolist()
    assert [own for own, there in zip(pieces(part), kept, strict=True) if there] == [
        own for own, there in zip(pieces(whole), kept, strict=True) if there
    ]
