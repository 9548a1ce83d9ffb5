"""Waits of jobs that failures of nodes stopped: their runs are intervals of the wait."""

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.machine.cluster import parse_cluster
from engine.policy.policy import parse_policy
from engine.schedule.explain import explain
from engine.schedule.reasons import name_job
from engine.schedule.schedule import Decision
from tests.engine.schedule.test_explain import HOUR, Row, assert_adds_up, log_of, summed, text_of, waiting
from tests.traces import make_schedule, make_trace, with_stopped

NODES = parse_cluster("8x100c")

reasons = st.lists(
    st.tuples(st.integers(3, 40), st.just(1), st.sampled_from((2, 3, 4, 7)), st.just(0)), max_size=12
).map(sorted)
edges = st.lists(st.integers(3, 40), min_size=4, max_size=4, unique=True).map(sorted)


def test_runs_that_failures_stopped_are_reported_within_the_wait() -> None:
    schedule = waiting(
        (HOUR, 2, Decision.CPUS, 6), (5 * HOUR, 2, Decision.CPUS, 9), (8 * HOUR, 2, Decision.BEHIND, 1)
    )
    schedule = replace(schedule, cluster=NODES)
    schedule = with_stopped(schedule, (2, 3 * HOUR, 5 * HOUR, 7), (2, 6 * HOUR, 7 * HOUR, 3))
    assert text_of(schedule) == [
        (2 * HOUR, "short of processors (6 of its 64 missing at first)"),
        (2 * HOUR, "running, until node 7 failed: it had to begin again"),
        (HOUR, "short of processors (9 of its 64 missing at first)"),
        (HOUR, "running, until node 3 failed: it had to begin again"),
        (HOUR, "until the next scheduling pass"),
        (2 * HOUR, "at first behind 1 job submitted earlier"),
    ]
    assert summed(schedule)[1] == "3 h running, until nodes 3 and 7 failed: it had to begin again"
    assert_adds_up(schedule, explain(schedule, 2))


def test_a_run_that_another_job_ended_names_that_job() -> None:
    schedule = replace(waiting((5 * HOUR, 2, Decision.CPUS, 9)), cluster=NODES)
    schedule = with_stopped(schedule, (2, 3 * HOUR, 5 * HOUR, 7))
    schedule = replace(schedule, stopped=replace(schedule.stopped, by=np.array([1])))
    lines = [text for _, text in text_of(schedule)]
    assert lines[1] == f"running, until {name_job(schedule, 1)} preempted it: it had to begin again"


@given(reasons, edges)
def test_each_second_is_a_run_or_has_the_reason_last_told_since_the_last_run(
    rows: list[Row], edges: list[int]
) -> None:
    first, second = (edges[0], edges[1]), (edges[2], edges[3])
    trace = make_trace([0, 3], [5, 5])
    schedule = make_schedule(trace, [0, 45], cluster=NODES, log=log_of((0, 0, 2, 1), *rows))
    schedule = with_stopped(schedule, (1, *first, 0), (1, *second, 1))
    wanted: list[int] = []
    for now in range(3, 45):
        since = max((end for _, end in (first, second) if end <= now), default=3)
        lines = [kind for time, _, kind, _ in rows if since <= time <= now]
        runs = any(start <= now < end for start, end in (first, second))
        wanted.append(Decision.STOPPED if runs else lines[-1] if lines else -1)
    intervals = explain(schedule, 1).intervals
    assert [-1 if s.kind is None else s.kind for s in intervals for _ in range(s.seconds)] == wanted
    assert_adds_up(schedule, explain(schedule, 1))


def test_a_job_given_up_says_why() -> None:
    trace = make_trace([0, 0], [100, 20], [2, 1], cluster=NODES)
    schedule = with_stopped(make_schedule(trace, [-1, 0]), (0, 10, 50, 3), (0, 60, 90, 1))
    lost = "140 processor-seconds of its runs were lost."  # 40 s and 30 s on two processors
    note = f"Given up: nodes failed under it 2 times, and a job is started again 20 times; {lost}"
    assert explain(schedule, 0).note == note
    once = replace(schedule, policy=parse_policy("easy:max_restarts=1"))
    lose = replace(schedule, policy=parse_policy("easy:on_failure=lose"))
    assert explain(lose, 0).note == (
        "Lost: a node failed under it, and 140 processor-seconds of its run were lost."
    )
    assert (
        explain(once, 0).note
        == f"Given up: nodes failed under it 2 times, and a job is started again once; {lost}"
    )
