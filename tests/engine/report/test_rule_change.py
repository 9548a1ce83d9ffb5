"""A change of rules told apart from a change of load, and how sure the recorded change is."""

import re
from collections.abc import Sequence
from dataclasses import replace
from statistics import fmean

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from engine.claims.words import render
from engine.errors import InputError
from engine.policy.policy import parse_policy
from engine.report.rule_change import LEAST_JOBS, ratio_interval, reported, rule_change, weekly_deviations
from engine.schedule.schedule import Schedule
from engine.search.weeks import WEEK
from engine.simulation.run import simulate
from engine.slurm.scheduler.phases import PhaseSpread
from engine.trace import Trace
from tests.engine.verdict.drawn import check_words
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


NUMBER = re.compile("([+−]?)([\\d\u202f]+(?:\\.\\d)?) %")


def percents(sentence: str) -> list[float]:
    """The changes that a sentence tells, in %, but for the level of an interval."""
    parts = NUMBER.findall(sentence.replace("95 % interval", ""))
    return [float(size.replace("\u202f", "")) * (-1 if sign == "−" else 1) for sign, size in parts]


def naive_change(waits: Sequence[int], others: Sequence[int]) -> float:
    """The change of the mean wait from some jobs to others, in %, as it is told."""
    change = 100 * (fmean(others) / fmean(waits) - 1)
    return 0.0 if abs(change) < 0.05 else round(change, 1 if abs(change) < 100 else None)


@settings(deadline=None)
@given(st.data())
def test_the_sentence_tells_what_schedules_say_and_no_more(data: st.DataObject) -> None:
    """Everything is computed anew from the waits of jobs that ran by the log, both models and all phases."""
    jobs, phases = data.draw(st.integers(4, 30)), data.draw(st.integers(1, 3))
    some = st.lists(st.integers(0, 300), min_size=jobs, max_size=jobs)
    submit = sorted(data.draw(st.lists(st.integers(0, 20 * WEEK), min_size=jobs, max_size=jobs)))
    trace = make_trace(submit=submit, runtime=[50] * jobs, wait=data.draw(some))
    models = [[data.draw(some) for _ in range(phases)] for _ in range(2)]
    missing = data.draw(st.sets(st.integers(0, jobs - 1), max_size=2))  # did not run in the last phase
    for job in missing if phases > 1 else ():
        models[1][-1][job] = -1
    at = data.draw(st.integers(1, 20 * WEEK))
    easy = simulate(trace, trace.cluster, parse_policy("easy"))
    schedules = [replace(easy, start=trace.submit + np.array(model[0])) for model in models]
    spreads = PhaseSpread(np.array(models[0])), PhaseSpread(np.array(models[1]))
    ran = [job for job in range(jobs) if phases == 1 or job not in missing]
    sides = [[job for job in ran if submit[job] < at], [job for job in ran if submit[job] >= at]]
    assume(all(sides))
    change = rule_change(schedules[0], schedules[1], at, spreads if phases > 1 else None)

    def waits(model: Sequence[int], side: int) -> list[int]:
        return [model[job] for job in sides[side]]

    recorded = trace.wait.tolist()
    assert change.whole.jobs == (len(sides[0]), len(sides[1]))
    assert change.interval is None or min(change.weeks) >= 12
    old, new = models[0][0], models[1][0]
    assume(all(fmean(waits(model, side)) > 0 for model in models[0] for side in (0, 1)))
    expected = []
    if fmean(waits(recorded, 0)) > 0:
        expected.append(naive_change(waits(recorded, 0), waits(recorded, 1)))
        if change.interval is not None:
            expected += percents(change.sureness)
    expected.append(naive_change(waits(old, 1), waits(new, 1)))
    if phases > 1:
        pairs = [naive_change(waits(a, 1), waits(b, 1)) for a in models[0] for b in models[1]]
        expected += [min(pairs), max(pairs)]
    expected.append(naive_change(waits(old, 0), waits(old, 1)))
    if phases > 1:
        loads = [naive_change(waits(model, 0), waits(model, 1)) for model in models[0]]
        expected += [min(loads), max(loads)]
    expected.append(naive_change(waits(old, 0), waits(new, 1)))
    assert percents(change.sentence) == pytest.approx(expected, abs=0.11)
    # The first change by the models is that of the rules, the second that of the load.
    by_models = change.sentence.partition("; by the models ")[2]
    told = [
        by_models.find(words) for words in ("the new rules alone", "the other load alone", "both together")
    ]
    assert -1 < told[0] < told[1] < told[2]
    for claim in change.claims:
        check_words(render(claim))
        people = claim.population
        assert (people.jobs, people.begin, people.end) == (len(ran), submit[min(ran)], submit[max(ran)])


def test_where_nobody_waits_by_a_model_means_are_told_and_no_percentage() -> None:
    trace = trace_of((0, 60))
    change = rule_change(waiting(trace, (0, 50)), waiting(trace, (0, 20)), AT)
    assert change.sentence == (
        "The recorded mean wait went from 0 s to 1 min; by the models it went from 0 s under the old rules "
        "to 20 s under the new ones, and to 50 s if the old ones had stayed."
    )
    nobody = rule_change(waiting(trace, (0, 0)), waiting(trace, (9, 0)), AT)
    assert nobody.sentence == "The recorded mean wait went from 0 s to 1 min; by the models nobody waits."
