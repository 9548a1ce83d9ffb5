"""A change of rules told apart from a change of load, and how sure the recorded change is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.errors import InputError
from engine.policy.policy import parse_policy
from engine.report.rule_change import LEAST_JOBS, ratio_interval, reported, rule_change, weekly_deviations
from engine.schedule.schedule import Schedule
from engine.search.weeks import WEEK
from engine.simulation.run import simulate
from engine.trace import Trace
from tests.traces import make_trace

AT = 10_000


def trace_of(waits: tuple[int, int], group: tuple[str, str] = ("phys", "bio")) -> Trace:
    """Forty jobs on each side of the date, of two accounts in turn, with these recorded waits."""
    submit = [100 * k for k in range(40)] + [AT + 100 * k for k in range(40)]
    return make_trace(
        submit=submit,
        runtime=[50] * 80,
        wait=[waits[0]] * 40 + [waits[1]] * 40,
        group=[group[k % 2] for k in range(80)],
    )


def waiting(trace: Trace, waits: tuple[int, int]) -> Schedule:
    """A schedule of the trace in which the jobs of each side wait so long."""
    schedule = simulate(trace, trace.cluster, parse_policy("easy"))
    start = trace.submit + np.array([waits[0]] * 40 + [waits[1]] * 40)
    return replace(schedule, start=start, end=start + trace.runtime)


def test_rules_and_load_are_told_apart() -> None:
    trace = trace_of((100, 60))
    # The load of the second span takes a fifth of the waits away, and the new rules a half of the rest.
    change = rule_change(waiting(trace, (100, 80)), waiting(trace, (70, 40)), AT)
    whole = change.whole
    assert whole.jobs == (40, 40)
    assert whole.recorded_change == pytest.approx(-0.4)
    assert whole.load_change == pytest.approx(-0.2)
    assert whole.rules_change == pytest.approx(-0.5)
    assert whole.model_change == pytest.approx(-0.6)
    assert change.sentence == (
        "The recorded mean wait went from 1 min 40 s to 1 min (−40.0 %; 1 and 1 week are too few for an "
        "interval, which takes 12 on each side); by the models the new rules alone change it by −50.0 %, "
        "the other load alone by −20.0 %, and both together by −60.0 %."
    )


def test_groups_are_compared_where_each_side_has_enough_jobs() -> None:
    trace = trace_of((100, 60))
    change = rule_change(waiting(trace, (1, 1)), waiting(trace, (1, 1)), AT)
    assert LEAST_JOBS > 20  # each account has 20 jobs on a side
    assert [group.by for group in reported(change)] == ["", "partition", "size"]
    alone = trace_of((100, 60), ("phys", "phys"))
    groups = rule_change(waiting(alone, (1, 1)), waiting(alone, (1, 1)), AT).groups
    assert [(group.by, group.name) for group in groups if group.by == "account"] == [("account", "phys")]


def test_a_date_beyond_the_log_is_refused() -> None:
    trace = trace_of((100, 60))
    schedule = waiting(trace, (1, 1))
    for at, side in ((-5, "before"), (10**6, "after")):
        with pytest.raises(InputError, match=f"submitted {side} this date"):
            rule_change(schedule, schedule, at)


def test_a_weeks_deviation_is_its_part_of_the_mean() -> None:
    # Week 0: two jobs that wait 10 s each; week 1: one job that waits 40 s. The mean is 20 s.
    trace = make_trace(submit=[0, 1, WEEK], runtime=[5, 5, 5], wait=[10, 10, 40])
    deviations = weekly_deviations(trace, np.ones(3, np.bool_))
    assert deviations == pytest.approx([2 * (20 / 60 - 2 / 3), 2 * (40 / 60 - 1 / 3)])


def test_the_interval_of_a_ratio_holds_as_often_as_it_says() -> None:
    """Independent weeks of 30 jobs, the second span with half the waits: the truth lies inside in 95 %."""
    draw = np.random.default_rng(7)
    inside = told = 0
    for _ in range(300):
        weeks, jobs = 20, 30
        level = draw.lognormal(0.0, 0.5, 2 * weeks) * np.repeat([2.0, 1.0], weeks)
        submit = np.repeat(np.arange(2 * weeks) * WEEK, jobs) + np.tile(np.arange(jobs), 2 * weeks)
        wait = np.rint(1000 * np.repeat(level, jobs)).astype(np.int64)
        trace = make_trace(submit=submit, runtime=np.ones(len(submit), np.int64), wait=wait)
        after = trace.submit >= weeks * WEEK
        sides = ~after, after
        weekly = weekly_deviations(trace, sides[0]), weekly_deviations(trace, sides[1])
        interval = ratio_interval(trace.wait, sides, weekly)
        if interval is not None:
            told += 1
            assert interval.low > -1.0
            inside += interval.low <= -0.5 <= interval.high
    assert told >= 280
    assert 0.92 <= inside / told <= 0.995
