"""Races of a search: what loses on the first part, and what a search says of it."""

import math
from pathlib import Path

import numpy as np
import pytest

from engine.claims.searches import SearchRelation
from engine.logs.read import read_trace
from engine.policy.policy import parse_policy
from engine.policy.share import Share
from engine.search.answer import CheckedTrial, SearchResult, Trial
from engine.search.question import Question, parse_objective
from engine.search.races import BLOCKS, PARTS, Race, RaceEntry, loses, parts_to_race
from engine.search.search import _tried
from engine.search.space import parse_space
from engine.search.span import WARM_UP, Span
from engine.search.verdict import search_claims, verdict
from engine.simulation.control import Control
from engine.simulation.run import simulate
from engine.sweep.runners import ThreadRunner, thread_runner
from engine.trace import Trace
from engine.trace.generate import SessionModel, session_log, write_log
from engine.trace.transform import select

WAIT = parse_objective("wait_mean", False)
USED = parse_objective("utilization", True)
EASY = parse_policy("easy")
QUESTION = Question(EASY, parse_space(("order=fcfs|sjf|ljf|saf",)), (WAIT,), (), EASY)


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Trace:
    path: Path = tmp_path_factory.mktemp("log") / "log.swf"
    write_log(session_log(3, SessionModel(jobs=12_000, load=0.95, users=12)), path)
    return read_trace(path)


def span_of(trace: Trace, runner: ThreadRunner) -> Span:
    return Span(trace, trace.cluster, QUESTION, Share(), runner, Control(), asked=False)


def entry(*values: float, name: str = "wait_mean") -> RaceEntry:
    return RaceEntry({}, {name: np.array(values)})


def steps(*of_two: float) -> list[float]:
    """Two values in turn, so that no block is like the one before it."""
    return [of_two[block % 2] for block in range(BLOCKS)]


def test_an_entry_loses_by_more_than_the_differences_of_blocks_spread() -> None:
    rival = entry(*steps(100.0, 300.0))
    assert loses(entry(*steps(110.0, 311.0)), rival, [WAIT])  # 10 and 11 longer, in each block
    assert not loses(entry(*steps(90.0, 289.0)), rival, [WAIT])
    assert not loses(rival, rival, [WAIT])
    assert not loses(entry(*steps(100.0, 300.0)), rival, [WAIT])  # the same
    # 1 longer on average, but 50 longer and 48 shorter in turn.
    assert not loses(entry(*steps(150.0, 252.0)), rival, [WAIT])


def test_the_spread_is_the_standard_error_of_independent_blocks() -> None:
    zero = entry(*[0.0] * BLOCKS)
    for mean in (0.1, 0.2, 0.21, 0.25, 1.0):
        values = steps(mean - 1.0, mean + 1.0)
        error = 1.0 / math.sqrt(BLOCKS - 1)
        assert loses(entry(*values), zero, [WAIT]) == (mean > error), mean


def test_an_entry_that_is_better_in_one_objective_stays() -> None:
    worse, better = steps(110.0, 311.0), steps(0.8, 0.9)
    rival = RaceEntry(
        {}, {"wait_mean": np.array(steps(100.0, 300.0)), USED.metric: np.array(steps(0.7, 0.8))}
    )
    mixed = RaceEntry({}, {"wait_mean": np.array(worse), USED.metric: np.array(better)})
    assert loses(mixed, rival, [WAIT])
    assert not loses(mixed, rival, [WAIT, USED])
    both = RaceEntry({}, {"wait_mean": np.array(worse), USED.metric: np.array(steps(0.6, 0.7))})
    assert loses(both, rival, [WAIT, USED])  # of what is maximized less is worse


def test_blocks_without_a_value_do_not_count_and_few_blocks_tell_nothing() -> None:
    rival = entry(*steps(100.0, 300.0))
    half = np.array(steps(110.0, 311.0))
    half[: BLOCKS // 2] = np.nan
    assert loses(RaceEntry({}, {"wait_mean": half}), rival, [WAIT])
    half[: BLOCKS // 2 + 1] = np.nan
    assert not loses(RaceEntry({}, {"wait_mean": half}), rival, [WAIT])


def test_parts_begin_with_the_span_and_have_jobs_in_their_blocks(trace: Trace) -> None:
    parts = parts_to_race(trace)
    begin, end = int(trace.submit[0]), int(trace.submit[-1])
    assert 1 <= len(parts) <= len(PARTS)
    for part, share in zip(reversed(parts), reversed(PARTS), strict=False):
        assert part.submit[0] == trace.submit[0]
        assert part.submit[-1] < begin + share * (end - begin)
    assert parts_to_race(select(trace, jobs=(0, 1000))) == []


def test_a_race_measures_the_blocks_of_a_part(trace: Trace) -> None:
    (part, *_) = parts_to_race(trace)
    with thread_runner(2) as runner:
        race = Race(span_of(part, runner), QUESTION)
        sjf = parse_policy("easy:order=sjf")
        lost = race.held([sjf, EASY, parse_policy("easy:order=saf")])
    schedule = simulate(part, part.cluster, sjf)
    begin, end = int(part.submit[0]), int(part.submit[-1])
    measured = part.submit >= begin + int(WARM_UP * (end - begin))
    wait = (schedule.start - part.submit)[measured]
    # The blocks are of equal length, from the first measured job to the last submission.
    border = int(part.submit[measured].min())
    block = ((part.submit[measured] - border) * BLOCKS) // (end + 1 - border)
    expected = [
        wait[block == number].mean() if (block == number).any() else math.nan for number in range(BLOCKS)
    ]
    assert race._entries[sjf].blocks["wait_mean"] == pytest.approx(expected, nan_ok=True)
    assert lost[1] is not None  # the baseline itself loses to small jobs first
    assert lost[2] is None
    assert lost[0] is not None
    assert lost[0].seconds == end - begin
    assert lost[0].trial.values["wait_mean"] == pytest.approx(float(wait.mean()))


def test_a_search_drops_what_lost_and_says_so(trace: Trace) -> None:
    with thread_runner(2) as runner:
        races = [Race(span_of(part, runner), QUESTION) for part in parts_to_race(trace)]
        whole = span_of(trace, runner)
        tried, dropped, _ = _tried(whole, races, QUESTION, 40, 0, lambda _: None, lambda _: None)
        every, none, _ = _tried(whole, [], QUESTION, 40, 0, lambda _: None, lambda _: None)
    assert dropped
    assert none == []
    gone = {lost.trial.policy for lost in dropped}
    assert gone.isdisjoint(trial.policy for trial in tried)
    assert gone | {trial.policy for trial in tried} == {trial.policy for trial in every}
    best = min(every, key=lambda trial: trial.values["wait_mean"] or math.inf)
    assert best.policy not in gone
    base = CheckedTrial(Trial(EASY, {"wait_mean": 1.0}, True), {"wait_mean": 1.0}, True)
    answer = SearchResult(tuple(tried), (base,), base, (), dropped=tuple(dropped))
    (claim,) = [each for each in search_claims(QUESTION, answer) if each.relation is SearchRelation.DROPPED]
    assert claim.quantity("lost").value == len(gone)
    assert claim.quantity("tried").value == len(every)
    assert claim.quantity("span").value == max(lost.seconds for lost in dropped)
    assert "by more than their spread, and were dropped" in verdict(QUESTION, answer)
