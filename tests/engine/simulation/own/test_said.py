"""Reasons that a scheduler of a user's own gives: kept within bounds, and shown as its words."""

from pathlib import Path

import numpy as np
import pytest

from engine.answer.answer import answer
from engine.answer.wait_claims import SAID_REASONS, said_claims
from engine.claims.claim import Claim
from engine.claims.inferred_claims import EventRelation
from engine.claims.words import plain, sentence
from engine.machine.cluster import Cluster
from engine.metrics.evaluation import evaluate
from engine.policy.policy import parse_policy
from engine.policy.share import parse_share
from engine.report.longest import longest_waits
from engine.report.section import Compared
from engine.run_source import schedule_of
from engine.schedule import own_reasons as bounds
from engine.schedule.explain import explain
from engine.schedule.own_reasons import Said, SaidReason, SaidRows, said_from
from engine.schedule.schedule import Schedule
from tests.engine.simulation.own.in_place import run_in_place, with_own
from tests.engine.simulation.own.test_child import policy
from tests.traces import make_trace

TRACE = make_trace([0, 1, 2], [100, 10, 20], [4, 4, 4], walltime=[100, 10, 20], cluster=Cluster.pool(4))
"""The first job takes the machine, and the others wait one after the other."""

SAYS = """
import batchscope

@batchscope.scheduler
def f(state):
    for job, procs in zip(state.waiting.index.tolist(), state.waiting.procs):
        if procs > state.free:
            yield job, {text}
        else:
            yield job
"""


def told(schedule: Schedule, job: int) -> list[Claim]:
    return list(said_claims(schedule, explain(schedule, job), lambda time: f"{time:.0f} s"))


def words(schedule: Schedule, job: int) -> list[str]:
    return [plain(sentence(claim)) for claim in told(schedule, job)]


def holds(claim: Claim, schedule: Schedule) -> bool:
    """Whether the scheduler said so of a job while it waited: the judge."""
    assert schedule.said is not None
    said, job = schedule.said.of_job(claim.subject.place.row), claim.subject.place.row
    numbers = {quantity.name: quantity.value for quantity in claim.quantities}
    match claim.relation:
        case EventRelation.SAID:
            shown = {named.role: named.name for named in claim.about}
            inside = schedule.submit[job] <= numbers["said"] < schedule.start[job]
            return bool(inside) and SaidReason(int(numbers["said"]), shown["words"]) in said
        case EventRelation.SAID_MORE:
            return numbers["more"] == len(said) - SAID_REASONS > 0
        case EventRelation.SAID_UNTOLD:
            return job in schedule.said.cut_short
    return False


@pytest.fixture(scope="module")
def schedule(tmp_path_factory: pytest.TempPathFactory) -> Schedule:
    text = SAYS.format(text='f"behind {len(state.running.index)} running and {job} waiting"')
    mine = policy(tmp_path_factory.mktemp("own"), text)
    return schedule_of(TRACE, TRACE.cluster, mine, log=True)


def test_reasons_come_back_from_the_process_once_while_they_stay_the_same(schedule: Schedule) -> None:
    assert schedule.said is not None
    assert schedule.said.by == "mine.py"
    assert schedule.start.tolist() == [0, 100, 110]
    # Job 2 waits at two passes with the same reason.
    assert explain(schedule, 2).said == (SaidReason(2, "behind 1 running and 2 waiting"),)
    assert words(schedule, 1) == ["At 1 s mine.py says: behind 1 running and 1 waiting."]
    assert words(schedule, 0) == []


def test_what_is_told_was_said_while_the_job_waited(schedule: Schedule) -> None:
    claims = [claim for job in range(len(TRACE)) for claim in told(schedule, job)]
    assert len(claims) == 2
    assert all(holds(claim, schedule) for claim in claims)


def test_answers_and_reports_have_them_as_its_words(schedule: Schedule) -> None:
    assert "mine.py says: behind 1 running and 1 waiting." in answer(schedule, 1, what_if=False).text
    section = longest_waits(Compared(["mine"], evaluate([schedule], parse_share("fair"), schedule)))
    (table,) = (table for table in section.tables if table.name == "said-of-longest-waits")
    assert list(table.rows[1:]) == [
        ["mine", "mine.py: behind 1 running and 1 waiting", "1"],
        ["mine", "mine.py: behind 1 running and 2 waiting", "1"],
    ]


def test_without_a_decision_log_none_are_kept(tmp_path: Path) -> None:
    mine = policy(tmp_path, SAYS.format(text='"later"'))
    assert schedule_of(TRACE, TRACE.cluster, mine).said is None


def test_a_text_that_would_control_what_shows_it_is_escaped(tmp_path: Path) -> None:
    mine = policy(tmp_path, SAYS.format(text=r'"\x1b[2J<b>\u202e" + "x" * 999'))
    schedule = schedule_of(TRACE, TRACE.cluster, mine, log=True)
    (line,) = words(schedule, 1)
    assert line.startswith(r"At 1 s mine.py says: \x1b[2J<b>\u202exx")
    assert len(line) < 150
    (reason,) = explain(schedule, 1).said
    assert len(reason.text) == bounds.LONGEST_REASON


def test_further_reasons_are_counted_and_those_beyond_the_bound_are_told() -> None:
    rows = SaidRows()
    for second in range(bounds.MOST_OF_JOB + 1):
        rows.add(1 + second, 1, f"reason {second}")
    said = said_from(rows.message(), "mine.py", len(TRACE))
    built_in = schedule_of(TRACE, TRACE.cluster, parse_policy("fcfs"), log=True)
    schedule = Schedule(**{**vars(built_in), "said": said})
    claims = told(schedule, 1)
    assert [claim.relation for claim in claims[SAID_REASONS:]] == [
        EventRelation.SAID_MORE,
        EventRelation.SAID_UNTOLD,
    ]
    assert all(holds(claim, schedule) for claim in claims)
    assert words(schedule, 1)[SAID_REASONS:] == [
        "Later mine.py says something else 15 times.",
        "Not all reasons of mine.py were kept.",
    ]


def test_a_schedule_keeps_so_many_reasons(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "MOST_REASONS", 3)
    rows = SaidRows()
    for job in range(5):
        rows.add(job, job, f"reason {job}")
    said = said_from(rows.message(), "mine.py", 5)
    assert said.texts == ("reason 0", "reason 1", "reason 2")
    assert said.cut_short == {3, 4}


@pytest.mark.parametrize(
    "message",
    [
        {},
        {"rows": [[0, 9, 0]], "texts": ["a"], "cut_short": []},
        {"rows": [[0, 0, 1]], "texts": ["a"], "cut_short": []},
        {"rows": [[5, 0, 0], [4, 0, 0]], "texts": ["a"], "cut_short": []},
        {"rows": [[0, 0, 0]], "texts": ["a" * 999], "cut_short": []},
        {"rows": [[0, 0]], "texts": [], "cut_short": []},
        {"rows": "x", "texts": [], "cut_short": []},
    ],
    ids=["empty", "job", "text", "time", "long", "short", "word"],
)
def test_what_the_process_answers_is_not_trusted(message: object) -> None:
    with pytest.raises(ValueError, match=r"reasons|reshape|invalid"):
        said_from(message, "mine.py", 3)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("yield 7, 'why'", "f gives a reason for it, but 7 is no job"),
        ("yield None, 'why'", "f gives a reason for 'None', which is no job's number"),
        ("yield job; yield job, 'why'", "f gives a reason for it, but it has started before"),
    ],
)
def test_a_reason_is_of_a_job_that_waits(line: str, message: str) -> None:
    text = f"import batchscope\n@batchscope.scheduler\ndef f(state):\n  job = 0\n  {line}\n"
    mine = with_own(parse_policy("easy"), text, "scheduler", "scheduler")
    _, calls = run_in_place(TRACE, TRACE.cluster, mine)
    assert calls.fault is not None
    assert calls.fault.text == message


def test_reasons_of_some_jobs_keep_their_texts() -> None:
    number = np.array([0, 1, 2])
    said = Said("mine.py", number, number, np.array([0, 1, 0]), ("a", "b"), frozenset({1, 2}))
    own = said.of_own(np.array([True, False, True]), np.array([5, 6, 7]))
    assert own.of_job(7) == (SaidReason(2, "a"),)
    assert own.of_job(6) == ()
    assert own.cut_short == {7}
