"""What waits are made of, against what is told of each job alone."""

from collections import defaultdict
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from engine.answer.inferred_reasons import infer_wait
from engine.errors import InputError
from engine.machine.cluster import Cluster
from engine.metrics.waits import KINDS, GroupWaits, parse_by, seconds_by_kind, waits_of
from engine.metrics.waits_words import waits_claims, waits_sentence
from engine.schedule.explain import explain
from engine.schedule.schedule import Decision, Schedule
from engine.schedule.wait_pieces import NO_REASON
from engine.simulation.run import simulate
from engine.trace import Names
from tests.engine.simulation.workloads import Case, cases
from tests.traces import make_schedule, make_trace

KIND_OF = {value: kind for kind, values in KINDS.items() for value in values}


def by_users(schedule: Schedule) -> dict[str, dict[str, int]]:
    """Seconds by user and kind, one explained job after another."""
    found: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for job in np.flatnonzero(schedule.ran).tolist():
        user = schedule.trace.user.names[schedule.trace.user.codes[job]]
        for interval in explain(schedule, job).intervals:
            kind = NO_REASON if interval.kind is None else int(interval.kind)
            found[user][KIND_OF.get(kind, "not known")] += interval.seconds
    return found


def seconds_in(waits: GroupWaits) -> dict[str, dict[str, int]]:
    return {
        name: {kind: int(part) for kind, part in zip(waits.kinds, row, strict=True) if part}
        for (name,), row in zip(waits.names, waits.parts, strict=True)
    }


def test_every_reason_has_one_kind() -> None:
    told = [value for values in KINDS.values() for value in values]
    assert len(told) == len(set(told))
    assert {int(kind) for kind in Decision if kind.is_reason} <= set(told)


@settings(max_examples=40)
@given(cases())
def test_the_waits_of_users_are_those_of_their_jobs(case: Case) -> None:
    """Shares sum to 1; who did not wait has no row; the sentence says no more than is true."""
    trace, cluster, policy = case
    schedule = simulate(trace, cluster, policy, log=True)
    waits, expected = waits_of(schedule, ("user",)), by_users(schedule)
    assert not waits.inferred
    assert seconds_in(waits) == {user: dict(kinds) for user, kinds in expected.items()}
    assert np.allclose(waits.shares.sum(axis=1), 1.0)
    assert sorted(waits.seconds.tolist(), reverse=True) == waits.seconds.tolist()
    assert int(waits.jobs.sum()) == int((schedule.ran & (schedule.start > schedule.submit)).sum())
    sentence = waits_sentence(schedule, waits)
    assert bool(sentence) == bool(len(waits.seconds))
    if sentence:
        user = sentence.removeprefix("user ").partition(" waits ")[0]
        own = expected[user]
        assert sum(own.values()) == max(sum(each.values()) for each in expected.values())
        share = float(waits_claims(schedule, waits)[0].quantity("share").value)
        assert share == pytest.approx(100 * max(own.values()) / sum(own.values()))


@settings(max_examples=30)
@given(cases())
def test_inferred_waits_are_those_of_each_job(case: Case) -> None:
    """Of a schedule whose reasons are taken away, as of a log's own."""
    trace, cluster, policy = case
    schedule = simulate(trace, cluster, policy, log=False)
    seconds, inferred = seconds_by_kind(schedule)
    assert inferred
    for job in range(len(trace)):
        found = infer_wait(schedule, job)
        short, idle = (0, 0) if found is None else (found.short + found.ram_short, found.idle)
        own = dict(zip(KINDS, seconds[job].tolist(), strict=True))
        assert own == {**dict.fromkeys(KINDS, 0), "resources": short, "not known": idle}


def test_reasons_of_the_log_are_taken_for_what_room_does_not_explain() -> None:
    """Four processors: job 1 has all of them until 100; the others could start before they do."""
    trace = make_trace(submit=[0, 0, 0, 0], runtime=[100, 10, 10, 10], procs=[4, 4, 1, 1])
    reasons = Names(np.array([0, 1, 2, 0], np.int32), ("None", "AssocGrpCpuLimit", "Dependency"))
    machine = Cluster.pool(4)
    schedule = make_schedule(
        replace(trace, reason=reasons), [0, 150, 120, 200], policy="recorded", cluster=machine
    )
    waits = waits_of(schedule, ("user",))
    totals = dict(zip(waits.kinds, waits.parts.sum(axis=0).tolist(), strict=True))
    assert {kind: part for kind, part in totals.items() if part} == {
        "resources": 320, "limits": 40, "dependencies": 20, "not known": 90,
    }  # fmt: skip


def test_a_job_that_was_held_or_dependent_waited_for_that_whatever_was_free() -> None:
    """Job 1 has all four processors from 50 to 100; job 2 was held until 80, and job 3 follows job 1."""
    trace = make_trace(submit=[0, 0, 0], runtime=[50, 10, 10], procs=[4, 4, 1])
    trace = replace(trace, held=np.array([0, 80, 0], np.int64), preceding=np.array([-1, -1, 1], np.int64))
    machine = Cluster.pool(4)
    schedule = make_schedule(trace, [50, 130, 120], policy="recorded", cluster=machine)
    seconds, inferred = seconds_by_kind(schedule)
    assert inferred
    kinds = [{kind: part for kind, part in zip(KINDS, row, strict=True) if part} for row in seconds.tolist()]
    assert kinds == [
        {"not known": 50},
        {"held": 80, "resources": 20 + 10, "not known": 20},  # job 3 runs from 120 to 130
        {"dependencies": 100, "not known": 20},
    ]
    found = [infer_wait(schedule, job) for job in range(3)]
    assert [(one.barred, one.short, one.idle) for one in found if one is not None] == [
        *((0, 0, 50), (80, 30, 20), (100, 0, 20))
    ]


def test_groups_are_named() -> None:
    assert parse_by("account, week") == ("account", "week")
    with pytest.raises(InputError, match="'day' is none of account, partition, user, week"):
        parse_by("user,day")


def test_weeks_are_in_order_of_time() -> None:
    """A job of the second week waits longer than that of the first, which was submitted on a Monday."""
    week = 7 * 86_400
    trace = make_trace(submit=[0, week - 1, week], runtime=[10, 10, 10], procs=[4, 4, 4])
    trace = replace(trace, zero=1_795_996_800)
    schedule = make_schedule(trace, [5, week + 4, week + 90])
    waits = waits_of(schedule, ("week",))
    assert (waits.seconds.tolist(), waits.jobs.tolist()) == ([10, 90], [2, 1])
    assert [name for (name,) in waits.names] == sorted(name for (name,) in waits.names)


def test_something_is_said_of_very_many_groups() -> None:
    """Thirty users wait alike: none has a twentieth of all waits."""
    trace = make_trace(submit=[0] * 30, runtime=[10] * 30, procs=[1] * 30, user=[f"u{k}" for k in range(30)])
    schedule = make_schedule(trace, [100] * 30, cluster=Cluster.pool(64))
    assert waits_sentence(schedule, waits_of(schedule, ("user",))).startswith("user u")
