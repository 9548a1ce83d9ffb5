"""Ranks of policies from the command line: printed, in tables of bare numbers, and in a paper's folder."""

from pathlib import Path

import pandas as pd
import pytest

import batchscope
from resources import example_path
from tests.app.cli.commands import Commands

LOG = ("--jobs", "0:600", "--quiet")
PAPER = """
title = "Who is first"
[[logs]]
name = "example"
file = "LOG"
[[tables]]
name = "ranks"
run = "rank example --jobs 0:600 -p fcfs -p easy"
[[readings]]
name = "ranks by waits"
of = "ranks"
run = "compare example --jobs 0:600 -p fcfs -p easy"
caption = "By mean waits"
[[readings.numbers]]
text = "wait"
where = { metric = "wait_mean" }
column = "easy"
against = "fcfs"
direction = "more"
"""


@pytest.fixture(scope="module")
def log() -> Path:
    return Path(str(example_path()))


def test_policies_have_ranks_and_tables_bare_numbers(cli: Commands, log: Path, tmp_path: Path) -> None:
    names = tmp_path / "names.toml"
    names.write_text('"saf-easy" = "Small first"\n', "utf-8")
    words = ("rank", log, *LOG, "-p", "fcfs", "-p", "saf-easy", "--names", names)
    cli.done(*words, "-o", tmp_path / "out")
    for name in ("board", "ranks", "logs"):
        table = pd.read_csv(tmp_path / "out" / f"{name}.csv")
        texts = set(table.select_dtypes(exclude="number").columns)
        assert texts <= {"Log", "Policy", "Span"}, table.dtypes
        assert "\\toprule" in (tmp_path / "out" / f"{name}.tex").read_text("utf-8")
    document = cli.done(*words, "--json").document
    board = document["board"]
    assert {row["Policy"] for row in board} == {"easy", "fcfs", "Small first"}  # the baseline is ranked too
    assert sorted(row["example, jobs 0:600"] for row in board) == [1, 1, 3]  # two without any wait
    assert len(document["ranks"]) == 2 * 3
    lines = cli.done(*words).out.splitlines()
    assert lines[0].split()[:2] == ["Policy", "Mean"]
    assert "against easy, on example, jobs 0:600" in lines[-1]


def test_a_policy_is_handed_in_and_another_reading_does_not_count(
    cli: Commands, log: Path, tmp_path: Path
) -> None:
    (tmp_path / "paper.toml").write_text(PAPER.replace("LOG", str(log)), "utf-8")
    made = cli.done("paper", tmp_path, "--quiet", "-p", "saf-easy")
    assert "ranks by waits: wait: not reproduced; paper more" in made.out
    assert not made.out.rstrip().endswith("1 not reproduced")
    board = pd.read_csv(tmp_path / "results" / "ranks" / "board.csv")
    assert set(board["Policy"]) == {"easy", "fcfs", "saf-easy"}
    text = (tmp_path / "results" / "paper.tex").read_text("utf-8")
    assert "\\input{ranks/board.tex}" in text
    assert "By mean waits" not in text  # it is no table of the paper


def test_a_reading_is_of_a_figure_or_table(cli: Commands, tmp_path: Path) -> None:
    (tmp_path / "paper.toml").write_text(PAPER.replace('of = "ranks"', 'of = "board"'), "utf-8")
    refused = cli("paper", tmp_path, "--quiet")
    assert "ranks by waits is a reading of 'board', which is no figure or table" in refused.complaint


def test_python_ranks_as_the_command_does(cli: Commands, log: Path, tmp_path: Path) -> None:
    asked = ("rank", log, *LOG, "-p", "fcfs", "-p", "saf-easy", "--by", "wait_mean")
    cli.done(*asked, "-o", tmp_path / "command")
    ranks = batchscope.rank(batchscope.read(log, jobs="0:600"), ["fcfs", "saf-easy", "fcfs"], by="wait_mean")
    assert (ranks.baseline, ranks.by) == ("easy", "wait_mean")
    assert len(ranks.board) == 3
    assert set(ranks.ranks["Span"]) == {"train", "test"}
    ranks.save(tmp_path / "python")
    for name in ("board", "ranks", "logs"):
        written = (tmp_path / "command" / f"{name}.csv").read_text("utf-8")
        assert (tmp_path / "python" / f"{name}.csv").read_text("utf-8") == written
        assert list(getattr(ranks, name).columns) == list(pd.read_csv(tmp_path / "command" / f"{name}.csv"))
    with pytest.raises(batchscope.InputError, match="ranks need a log and a policy"):
        batchscope.rank([], ["easy"])
