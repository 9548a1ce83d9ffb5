import threading
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from engine.errors import InputError
from engine.logs.read import read_trace
from engine.metrics.evaluation import Evaluation, evaluate
from engine.policy.policy import Policy, parse_policy
from engine.policy.share import Share
from engine.search.question import WORST_USER, Question, parse_bound, parse_objective
from engine.search.search import search, split
from engine.search.space import parse_space
from engine.search.weeks import WEEK, advantage
from engine.simulation.control import Cancelled, Control
from engine.simulation.run import reference_schedule, simulate
from engine.sweep.runners import thread_runner
from engine.trace import Trace
from engine.trace.generate import SessionModel, session_log, write_log
from engine.trace.transform import select

SPACE = ("order=fcfs|sjf|saf", "backfill=queue|sjf|ljf")
QUESTION = Question(
    parse_policy("easy"),
    parse_space(SPACE),
    (parse_objective("wait_mean", False), parse_objective("wait_max", False)),
    (),
    parse_policy("easy"),
)


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Trace:
    path: Path = tmp_path_factory.mktemp("log") / "log.swf"
    write_log(session_log(3, SessionModel(jobs=3000, load=0.95, users=12)), path)
    return read_trace(path)


def evaluated(trace: Trace, policy: Policy) -> Evaluation:
    """A span as a search measures it: without its first tenth."""
    schedule = simulate(trace, trace.cluster, policy)
    begin, end = int(trace.submit[0]), int(trace.submit[-1])
    measured = trace.submit >= begin + int(0.1 * (end - begin))
    (trial,) = evaluate([schedule], Share(), reference_schedule(trace, trace.cluster), measured)
    return trial


def all_policies() -> list[Policy]:
    orders, backfills = (text.partition("=")[2].split("|") for text in SPACE)
    return [
        parse_policy("easy").with_keys(order=order, backfill=backfill)
        for order, backfill in product(orders, backfills)
    ]


def test_a_trace_is_cut_at_two_thirds_of_its_time(trace: Trace) -> None:
    first, rest = split(trace)
    border = trace.submit[0] + 2 / 3 * (trace.submit[-1] - trace.submit[0])
    assert len(first) + len(rest) == len(trace)
    assert first.submit[-1] < border <= rest.submit[0] + 1
    with pytest.raises(InputError, match="50 jobs"):
        split(select(trace, jobs=(0, 60)))


def test_the_front_is_that_of_trying_everything(trace: Trace) -> None:
    answer = search(trace, trace.cluster, QUESTION, trials=120)
    first, rest = split(trace)
    values = {}
    for policy in all_policies():
        found = evaluated(first, policy).summary
        values[policy] = (found["wait_mean"], found["wait_max"])
    assert {trial.policy for trial in answer.trials} <= set(values)
    assert len(answer.trials) == len(values), "nine policies are found in 120 trials"
    expected = {
        policy
        for policy, own in values.items()
        if not any(right != own and right[0] <= own[0] and right[1] <= own[1] for right in values.values())
    }
    assert {solution.trial.policy for solution in answer.front} == expected
    assert [solution.trial.values["wait_mean"] for solution in answer.front] == sorted(
        values[policy][0] for policy in expected
    )
    for left in answer.front:
        assert left.trial.values == dict(
            zip(("wait_mean", "wait_max"), values[left.trial.policy], strict=True)
        )
        judged = evaluated(rest, left.trial.policy).summary
        assert left.values == {name: judged[name] for name in ("wait_mean", "wait_max")}
    assert answer.baseline.trial.values["wait_mean"] == values[parse_policy("easy")][0]


def test_the_same_seed_gives_the_same_answer_on_one_thread_or_several(trace: Trace) -> None:
    wide = replace(QUESTION, space=parse_space([]))
    with thread_runner(1) as alone, thread_runner(2) as both:
        first = search(trace, trace.cluster, wide, trials=60, seed=5, runner=alone)
        two = search(trace, trace.cluster, wide, trials=60, seed=5, runner=both)
    assert first == two
    second = search(trace, trace.cluster, wide, trials=60, seed=6)
    assert [trial.policy for trial in second.trials] != [trial.policy for trial in first.trials]


def test_bounds_leave_out_what_breaks_them(trace: Trace) -> None:
    free = search(trace, trace.cluster, QUESTION, trials=100)
    most = min(trial.trial.values["wait_max"] or 0 for trial in free.front)
    bounds = (parse_bound(f"wait_max <= {most:.0f}"),)
    kept = search(trace, trace.cluster, replace(QUESTION, bounds=bounds), trials=100)
    assert kept.front
    assert all((trial.trial.values["wait_max"] or 0) <= most for trial in kept.front)
    assert len(kept.front) < len(free.front) or len(free.front) == 1
    none = search(trace, trace.cluster, replace(QUESTION, bounds=(parse_bound("wait_max <= 0"),)), trials=20)
    assert none.front == ()
    assert not none.shown(QUESTION.objectives)


def test_the_user_who_fares_worst(trace: Trace) -> None:
    bounds = (parse_bound(f"{WORST_USER} <= 5"),)
    answer = search(trace, trace.cluster, replace(QUESTION, bounds=bounds), trials=100)
    first, _ = split(trace)
    base = evaluated(first, parse_policy("easy")).users
    for trial in answer.trials:
        users = evaluated(first, trial.policy).users
        both = users.active & base.active
        changes = [
            100 * (after - before) / max(before, 600.0)
            for before, after in zip(base["wait_mean"][both], users["wait_mean"][both], strict=True)
        ]
        assert trial.values[WORST_USER] == pytest.approx(max(changes))
        assert trial.kept == (max(changes) <= 5)


def test_a_schedule_has_no_advantage_over_itself(trace: Trace) -> None:
    trial = evaluated(trace, parse_policy("easy"))
    found = advantage(trial, trial, "wait_mean")
    assert found is not None
    assert (found.change, found.side) == (0.0, 0)


def test_the_advantage_is_over_weeks(trace: Trace) -> None:
    base, trial = (evaluated(trace, parse_policy(name)) for name in ("fcfs", "easy"))
    found = advantage(trial, base, "wait_mean")
    assert found is not None
    submit = trace.submit
    week = (submit - submit[trial.jobs].min()) // WEEK
    rows = []
    weeks = sorted(set(week[trial.jobs].tolist()))
    for number in weeks:
        jobs = trial.jobs & (week == number)
        rows.append((trial.schedule.wait[jobs].mean(), base.schedule.wait[jobs].mean()))
    means = np.mean(rows, axis=0)
    assert found.weeks == len(weeks)
    assert found.change == pytest.approx(100 * (means[0] - means[1]) / means[1])
    assert advantage(trial, base, "wait_mean") == found
    assert advantage(trial, base, WORST_USER) is None


def test_a_search_can_be_cancelled(trace: Trace) -> None:
    control = Control()
    received: list[float] = []

    def stop(done: float) -> None:
        received.append(done)
        control.cancel()

    before = threading.active_count()
    with pytest.raises(Cancelled):
        search(trace, trace.cluster, QUESTION, trials=1000, control=control, report=stop)
    assert len(received) == 1
    assert threading.active_count() <= before  # a thread of an earlier test may have ended meanwhile
