"""Papers from the command line: made whole or not at all, checked number by number, cited; reports again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.paper.carry_out import RESULTS
from app.paper.citations import entries
from app.paper.expected_numbers import NUMBERS
from tests.app.cli.commands import Commands, small_log

PAPER = """
title = "Who waits"
cites = ["tang2013"]
[[logs]]
name = "small"
file = "LOG"
fetch = "KTH-SP2"
[[tables]]
name = "table 1"
run = "compare small -p fcfs -p easy"
[[tables.numbers]]
text = "mean wait of easy"
where = { metric = "wait_mean" }
column = "easy"
against = "fcfs"
most = 100
[[figures]]
name = "figure 1"
run = "figure sizes small -p fcfs -p easy"
caption = "Areas & jobs"
"""


@pytest.fixture(scope="module", autouse=True)
def few_figures() -> Iterator[None]:
    """One kind of figures in reports instead of nine."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("app.report.make.FIGURES", ("radar",))
        yield


@pytest.fixture
def paper(tmp_path: Path) -> Path:
    folder = tmp_path / "paper"
    folder.mkdir()
    log = small_log(tmp_path)
    log.rename(folder / log.name)
    (folder / "paper.toml").write_text(PAPER.replace("LOG", log.name), "utf-8")
    return folder


def change(paper: Path, old: str, new: str) -> None:
    file = paper / "paper.toml"
    text = file.read_text("utf-8")
    assert old in text
    file.write_text(text.replace(old, new), "utf-8")


def test_a_paper_is_made_and_made_again_alike(cli: Commands, paper: Path) -> None:
    made = cli("paper", paper, "--quiet")
    assert (made.status, made.err) == (0, "")
    assert made.out.splitlines()[-1] == "1 reproduced"
    results = paper / RESULTS
    names = {path.name for path in results.iterdir()}
    assert names == {
        *("figure-1.pdf", "figure-1.csv", "table-1.csv", "table-1.tex", NUMBERS),
        *("paper.tex", "references.bib", "manifest.json"),
    }
    frame = (results / "paper.tex").read_text("utf-8")
    assert r"\includegraphics[width=\linewidth,height=.85\textheight,keepaspectratio]{figure-1.pdf}" in frame
    assert r"\caption{Areas \& jobs}" in frame
    assert r"\input{table-1.tex}" in frame
    assert frame.count(r"\begin{") == frame.count(r"\end{")
    assert [line for line in (results / "references.bib").read_text("utf-8").splitlines() if "@" in line] == [
        "@misc{batchscope,",
        "@article{tang2013,",
    ]
    # A second time nothing is overwritten unasked, and with --force all bytes are the same.
    again = cli("paper", paper, "--quiet")
    assert (again.status, again.complaint) == (2, again.complaint)
    assert "give --force" in again.err
    before = {path.name: path.read_bytes() for path in results.iterdir()}
    assert cli("paper", paper, "--quiet", "--force").status == 0
    assert {path.name: path.read_bytes() for path in results.iterdir()} == before
    checked = cli("paper", paper, "--check", "--quiet")
    assert checked.status == 0
    assert checked.out.splitlines()[-1].endswith("all are as before")


def test_the_check_says_which_numbers_moved(cli: Commands, paper: Path) -> None:
    cli("paper", paper, "--quiet")
    change(paper, "compare small -p fcfs", "compare small --theta 0.5 -p fcfs")
    checked = cli("paper", paper, "--check", "--quiet")
    assert checked.status == 1
    lines = [line for line in checked.out.splitlines() if line.startswith("table-1.csv: ")]
    assert 1 < len(lines) <= 11
    assert not [line for line in checked.out.splitlines() if line.startswith("figure-1.csv")]
    assert "differ" in checked.out.splitlines()[-1]
    assert not list(paper.glob(".*"))


def test_a_single_item_is_checked_alone(cli: Commands, paper: Path) -> None:
    cli("paper", paper, "--quiet")
    checked = cli("paper", paper, "--check", "--only", "Figure 1", "--quiet")
    assert checked.status == 0
    assert "all are as before" in checked.out
    table = cli("paper", paper, "--check", "--only", "table 1", "--quiet")
    assert table.out.splitlines()[-1].endswith("all are as before")
    assert "figure 2" not in cli("paper", paper, "--only", "figure 2").complaint.partition("has")[2]


def test_workers_make_the_runs_of_a_papers_studies(cli: Commands, paper: Path, tmp_path: Path) -> None:
    (paper / "study.toml").write_text('policies = ["easy", "fcfs"]\nmetrics = ["wait_mean"]\n', "utf-8")
    change(paper, "compare small -p fcfs -p easy", "sweep study.toml small")
    numbers = PAPER[PAPER.index("[[tables.numbers]]") : PAPER.index("[[figures]]")]
    change(paper, numbers, "")
    assert cli("paper", paper, "--quiet", "--workers", "1", "-o", tmp_path / "one").status == 0
    assert cli("paper", paper, "--quiet", "--workers", "3", "-o", tmp_path / "three").status == 0
    made = [
        {path.name: path.read_bytes() for path in (tmp_path / out / RESULTS / "table-1").iterdir()}
        for out in ("one", "three")
    ]
    assert made[0] == made[1]


def test_nothing_is_left_where_a_command_fails(cli: Commands, paper: Path) -> None:
    change(paper, "figure sizes small", "figure sizes small --jobs 9:9")
    made = cli("paper", paper, "--quiet")
    assert made.status == 2
    assert "figure 1 could not be made by figure sizes small" in made.complaint
    assert {path.name for path in paper.iterdir()} == {"paper.toml", *(p.name for p in paper.glob("*.swf*"))}


def test_a_missing_log_leaves_its_items_out(cli: Commands, paper: Path) -> None:
    next(paper.glob("*.swf")).unlink()
    made = cli("paper", paper, "--quiet")
    assert made.status == 0
    assert made.out.splitlines()[-1] == "1 not tried"
    assert "not made: figure 1 and table 1" in made.err
    assert "batchscope fetch KTH-SP2" in made.err
    assert "--logs DIR" in made.err


def test_another_log_of_the_same_name_is_refused(cli: Commands, paper: Path) -> None:
    change(paper, 'fetch = "KTH-SP2"', f'sha256 = "{"0" * 64}"')
    assert "another file than the log small" in cli("paper", paper, "--quiet").complaint


def test_logs_are_found_in_other_folders(cli: Commands, paper: Path, tmp_path: Path) -> None:
    log = next(paper.glob("*.swf"))
    elsewhere = tmp_path / "logs"
    elsewhere.mkdir()
    log.rename(elsewhere / log.name)
    made = cli("paper", paper, "--quiet", "--logs", elsewhere, "-o", tmp_path / "made")
    assert made.out.splitlines()[-1] == "1 reproduced"
    assert (tmp_path / "made" / RESULTS / NUMBERS).is_file()
    assert not (paper / RESULTS).exists()


OWN = """
import batchscope

@batchscope.order
def mine(jobs, now, machine):
    open("ran", "w").close()
    return jobs.wait
"""


def test_code_of_somebody_runs_only_with_a_word(cli: Commands, paper: Path) -> None:
    (paper / "mine.py").write_text(OWN, "utf-8")
    change(paper, "-p fcfs -p easy", "-p fcfs -p easy -p mine.py:mine")
    refused = cli("paper", paper, "--quiet")
    assert "read them, then give --trust" in refused.complaint
    assert not (paper / "ran").exists()
    assert not (paper / RESULTS).exists()
    trusted = cli("paper", paper, "--quiet", "--trust")
    assert trusted.status == 0, trusted.err


def test_what_is_no_folder_of_a_paper_is_said(cli: Commands, tmp_path: Path) -> None:
    assert "no such folder" in cli("paper", tmp_path / "none").complaint
    assert "paper.toml" in cli("paper", tmp_path).complaint


def test_entries_are_cited(cli: Commands) -> None:
    assert cli("cite", "tang2013").out.startswith("@article{tang2013,\n")
    assert cli("cite").out.count("@") == len(entries()) == 11
    assert "did you mean 'tang2013'" in cli("cite", "tang2012").complaint


def test_a_report_is_made_again_from_its_folder(cli: Commands, paper: Path, tmp_path: Path) -> None:
    log = next(paper.glob("*.swf"))
    report = tmp_path / "report"
    made = cli("report", log, "-p", "fcfs", "-p", "easy", "--quiet", "-o", report, "--force")
    assert made.status == 0, made.err
    manifest = json.loads((report / "manifest.json").read_text("utf-8"))
    assert manifest["version"]
    again = cli("report", "--again", report, "--quiet")
    assert (again.status, again.err) == (0, "")
    assert again.out.splitlines()[-1].endswith("all are as before")
    text = (report / "paper.toml").read_text("utf-8")
    (report / "paper.toml").write_text(text.replace("-p fcfs", "-p easy:depth=2"), "utf-8")
    other = cli("report", "--again", report, "--quiet")
    assert other.status == 1
    assert "tables/metrics.csv" in other.out
    (report / "manifest.json").write_text(json.dumps({**manifest, "version": "0.0.1"}), "utf-8")
    assert "made by Batchscope 0.0.1" in cli("report", "--again", report, "--quiet").out


def test_a_report_needs_what_it_is_of(cli: Commands, paper: Path, tmp_path: Path) -> None:
    assert "required: TRACE, -p/--policy, -o/--output" in cli("report").complaint
    assert "it has no paper.toml" in cli("report", "--again", tmp_path).complaint
    assert "this is a paper" in cli("report", "--again", paper).complaint
