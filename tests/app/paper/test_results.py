"""Two results are compared number by number, each at its place."""

import json
from pathlib import Path

import pytest

from app.paper.expected_numbers import (
    NOT_TRIED,
    ClaimedNumbers,
    JudgedNumber,
    claimed_numbers,
    decisive_rounding,
    judged_numbers,
    untried,
    verdict_counts,
)
from app.paper.results import moved, numbers_of
from engine.errors import InputError
from engine.sweep.paper_claim import Agreement, PaperClaim
from engine.sweep.paper_file import ExpectedNumber, PaperItem


def write(folder: Path, csv: str, document: object = None) -> Path:
    folder.mkdir(parents=True)
    (folder / "a.csv").write_text(csv, "utf-8")
    (folder / "b.json").write_text(json.dumps(document), "utf-8")
    (folder / "manifest.json").write_text('{"time": 3}', "utf-8")
    return folder


def test_numbers_have_the_words_of_their_row(tmp_path: Path) -> None:
    folder = write(
        tmp_path / "x", "policy,wait\neasy,1.5\neasy,2\n,nan\n", {"jobs": [3, {"n": 4}], "ok": True}
    )
    assert numbers_of(folder) == {
        ("a.csv", "easy: wait"): 1.5,
        ("a.csv", "easy #2: wait"): 2.0,
        ("b.json", "jobs[0]"): 3.0,
        ("b.json", "jobs[1].n"): 4.0,
    }


def test_what_moved_is_told_with_its_size_the_largest_first(tmp_path: Path) -> None:
    before = numbers_of(write(tmp_path / "x", "policy,wait,late\neasy,100,4\nfcfs,50,5\n"))
    now = numbers_of(write(tmp_path / "y", "policy,wait,late\neasy,110,8\nplan,50,5\n"))
    assert [str(change) for change in moved(before, now)] == [
        "a.csv: fcfs: late: 5 is no longer there",
        "a.csv: fcfs: wait: 50 is no longer there",
        "a.csv: plan: late: 5 is new",
        "a.csv: plan: wait: 50 is new",
        "a.csv: easy: late: 4 before, 8 now (+100 %)",
        "a.csv: easy: wait: 100 before, 110 now (+10.0 %)",
    ]
    assert moved(before, before) == []


def test_runs_under_other_seeds_are_the_same_runs(tmp_path: Path) -> None:
    titles = 'metric,{},easy,"{}",{}\nwait,{},7,{},{}\n'
    before = titles.format("auction:seed=1", "queues:n=3,seed=1,theta=2", "auction:seed=2", 100, 50, 40)
    now = titles.format("auction:seed=3", "queues:n=3,seed=9,theta=2", "auction:seed=4", 110, 50, 80)
    found = moved(numbers_of(write(tmp_path / "x", before)), numbers_of(write(tmp_path / "y", now)))
    assert [str(change) for change in found] == [
        "a.csv: wait: auction:seed=4: 40 before, 80 now (+100 %)",
        "a.csv: wait: auction:seed=3: 100 before, 110 now (+10.0 %)",
    ]


def test_a_run_with_the_same_seed_is_compared_with_itself(tmp_path: Path) -> None:
    before = numbers_of(write(tmp_path / "x", "policy,wait\nauction:seed=1,1\nauction:seed=2,2\n"))
    now = numbers_of(write(tmp_path / "y", "policy,wait\nauction:seed=2,2\n"))
    assert [str(change) for change in moved(before, now)] == [
        "a.csv: auction:seed=1: wait: 1 is no longer there",
    ]


def test_a_json_file_that_is_none_is_named(tmp_path: Path) -> None:
    folder = write(tmp_path / "x", "a\n1\n")
    (folder / "b.json").write_text("{", "utf-8")
    with pytest.raises(InputError, match=r"b\.json: no JSON"):
        numbers_of(folder)


def item(*numbers: ExpectedNumber) -> PaperItem:
    return PaperItem("figures", "figure 1", ("figure", "gantt"), numbers=numbers)


ROWS = "policy,delta,wait,median\neasy,1.0,80,8\nfcfs,1.0,100,10\nfcfs,2.0,120,12\n"


@pytest.mark.parametrize(
    ("where", "against", "claim", "found", "verdict"),
    [
        ({"policy": "easy"}, "", PaperClaim(size=81, agreement=Agreement(2, 0)), 80, "reproduced"),
        ({"policy": "easy"}, "", PaperClaim(size=90, agreement=Agreement(2, 0)), 80, "not reproduced"),
        ({"policy": "fcfs", "delta": "2"}, "", PaperClaim(most=130), 120, "reproduced"),
        (
            {"policy": "easy"},
            {"policy": "fcfs", "delta": "1"},
            PaperClaim(direction="less", neutral=100),
            80,
            "reproduced",
        ),
        (
            {"policy": "easy"},
            {"policy": "fcfs", "delta": "1"},
            PaperClaim(size=50, neutral=100),
            80,
            "same direction, another size",
        ),
        ({"policy": "easy"}, "median", PaperClaim(size=1000, neutral=100), 1000, "reproduced"),
    ],
)
def test_a_number_is_found_and_judged(
    tmp_path: Path, where: dict[str, str], against: object, claim: PaperClaim, found: float, verdict: str
) -> None:
    data = write(tmp_path / "x", ROWS) / "a.csv"
    cells = tuple(against.items()) if isinstance(against, dict) else str(against)
    asked = ExpectedNumber("the wait", "wait", claim, tuple(where.items()), cells)
    (judged,) = judged_numbers(item(asked), data, tmp_path)
    assert (judged.value, judged.verdict) == (found, verdict)
    assert str(judged).startswith(f"figure 1: the wait: {verdict}; paper ")


@pytest.mark.parametrize(
    ("where", "column", "complaint"),
    [
        ({"policy": "fcfs"}, "wait", "2 rows of its data are policy = fcfs"),
        ({"policy": "plan"}, "wait", "0 rows"),
        ({"policy": "easy"}, "waits", "no number in waits; columns: policy, delta, wait, median"),
    ],
)
def test_a_number_that_is_not_there_is_named(
    tmp_path: Path, where: dict[str, str], column: str, complaint: str
) -> None:
    data = write(tmp_path / "x", ROWS) / "a.csv"
    asked = ExpectedNumber("", column, PaperClaim(size=1), tuple(where.items()))
    with pytest.raises(InputError, match="figure 1") as refusal:
        judged_numbers(item(asked), data, tmp_path)
    assert complaint in str(refusal.value)


def test_findings_of_a_study_are_numbers(tmp_path: Path) -> None:
    (tmp_path / "findings.csv").write_text(
        'Finding,Paper,Paper\'s claim,KTH,"KTH, value"\n'
        "It helps,,less,reproduced,80\nIt does not,,less,cannot be decided,\n",
        "utf-8",
    )
    study = PaperItem("tables", "table 1", ("sweep", "planning", "kth"))
    found = judged_numbers(study, None, tmp_path)
    assert [(each.text, each.log, each.value, each.verdict) for each in found] == [
        ("It helps", "KTH", 80.0, "reproduced"),
        ("It does not", "KTH", None, "cannot be decided"),
    ]
    assert verdict_counts(found) == {"reproduced": 1, "cannot be decided": 1}


@pytest.mark.parametrize(
    ("claim", "size", "low", "high"),
    [
        ("85", 85, None, None),
        ("at least 1,350", None, 1350, None),
        ("at most 71.8", None, None, 71.8),
        ("75 to 99", None, 75, 99),
        ("at most 3 apart", None, None, None),
        ("less", None, None, None),
    ],
)
def test_the_numbers_of_a_claim_stand_beside_its_words(
    claim: str, size: float | None, low: float | None, high: float | None
) -> None:
    assert claimed_numbers(claim) == ClaimedNumbers(size, low, high)


def test_what_could_not_be_made_is_not_tried() -> None:
    (number,) = untried(item(ExpectedNumber("the wait", "wait", PaperClaim(size=1))))
    assert (number.value, number.verdict) == (None, NOT_TRIED)


@pytest.mark.parametrize(
    ("claim", "value", "told"),
    [
        ("at least 135", 134.6, "135"),
        ("at least 135", 135.4, ""),
        ("at most 71.8", 71.83, "71.8"),
        ("75 to 99", 74.89, "75"),
        ("75 to 99", 99.4, "99"),
        ("at least 1,250", 1249.6, "1250"),
        ("at most 3 apart", 9.495, ""),
        ("less", 99.99, ""),
        ("27", 27.4, ""),
    ],
)
def test_the_rounding_of_a_bound_is_told_where_the_verdict_depends_on_it(
    claim: str, value: float, told: str
) -> None:
    assert decisive_rounding(claim, value) == told
    found = JudgedNumber("table 1", "a number", "", claim, value, "reproduced").found
    assert ("in the paper's digits" in found) == bool(told)
