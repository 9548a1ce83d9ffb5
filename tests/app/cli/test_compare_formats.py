"""The table of `compare` for papers, pages and spreadsheets."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from app.export.formats import markdown
from app.export.latex_table import latex
from tests.app.cli.commands import Commands, small_log

RUNS = ("-p", "fcfs", "-p", "easy:backfill=sjf")


def test_latex_has_the_rules_of_booktabs(cli: Commands, tmp_path: Path) -> None:
    lines = cli.done("compare", small_log(tmp_path), *RUNS, "--format", "latex").out.splitlines()
    assert lines[:4] == [
        "% needs \\usepackage{booktabs}",
        "\\begin{tabular}{llrr}",
        "\\toprule",
        "Metric & Unit & fcfs & easy:backfill=sjf \\\\",
    ]
    assert lines[-2:] == ["\\bottomrule", "\\end{tabular}"]
    (wait,) = [line for line in lines if line.startswith("Mean wait & s & ")]
    assert wait.endswith(" \\%) \\\\")
    assert all(line.count(" & ") == 3 for line in lines[5:-2])


def test_marks_of_latex_are_escaped() -> None:
    text = latex(["a_b", "50 %", "x & y", "1\u2009234 {\\}"], [])
    assert "a\\_b & 50 \\% & x \\& y & 1 234 \\{\\textbackslash{}\\} \\\\" in text


def test_markdown(cli: Commands, tmp_path: Path) -> None:
    lines = cli.done("compare", small_log(tmp_path), *RUNS, "--format", "markdown").out.splitlines()
    assert lines[:2] == ["| Metric | Unit | fcfs | easy:backfill=sjf |", "| --- | --- | ---: | ---: |"]
    assert any(line.startswith("| Mean wait | s | ") for line in lines)
    assert markdown(["a|b", "<i>"], []).startswith("| a\\|b | &lt;i> |")


def test_csv_has_the_values_of_json(cli: Commands, tmp_path: Path) -> None:
    log = small_log(tmp_path)
    rows = list(csv.DictReader(io.StringIO(cli.done("compare", log, *RUNS, "--format", "csv").out)))
    runs = cli.done("compare", log, *RUNS, "--format", "json").document["runs"]
    (wait,) = [row for row in rows if row["metric"] == "wait_mean"]
    assert wait["unit"] == "s"
    assert [float(wait["fcfs"]), float(wait["easy:backfill=sjf"])] == [
        run["metrics"]["wait_mean"] for run in runs
    ]


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (("--json", "--format", "latex"), "--json and --format latex are two formats; give one of them"),
        (("--rows", "wait_men"), "--rows wait_men: there is no such metric"),
    ],
)
def test_formats_that_exclude_each_other(
    cli: Commands, tmp_path: Path, options: tuple[str, ...], complaint: str
) -> None:
    outcome = cli("compare", small_log(tmp_path), *RUNS, *options)
    assert outcome.status == 2
    assert complaint in outcome.complaint


def test_parts_of_a_whole_are_in_percent(cli: Commands, tmp_path: Path) -> None:
    words = ("compare", small_log(tmp_path), "-p", "easy", "--metric", "utilization")
    value = cli.done(*words, "--format", "json").document["runs"][0]["metrics"]["utilization"]
    for form, row in (("latex", "Utilization & \\% & {} "), ("markdown", "| Utilization | % | {} |")):
        assert row.format(f"{100 * value:.2f}") in cli.done(*words, "--format", form).out


def test_groups_leave_in_every_format(cli: Commands, tmp_path: Path) -> None:
    words = ("compare", small_log(tmp_path), *RUNS, "--by", "queue")
    rows = list(csv.DictReader(io.StringIO(cli.done(*words, "--format", "csv").out)))
    groups = [run["groups"] for run in cli.done(*words, "--format", "json").document["runs"]]
    assert [(row["run"], row["queue"]) for row in rows] == [
        (run, entry["name"]) for run, own in zip(RUNS[1::2], groups, strict=True) for entry in own
    ]
    waits = [entry["wait_mean"] for own in groups for entry in own]
    assert [float(row["wait_mean (s)"]) for row in rows] == waits
    assert "| Run | Queue | Jobs |" in cli.done(*words, "--format", "markdown").out
    assert cli.done(*words, "--format", "latex").out.count("\\toprule") >= 1


def test_rows_and_names_are_chosen(cli: Commands, tmp_path: Path) -> None:
    names = tmp_path / "names.toml"
    names.write_text('fcfs = "In order"\nwait_mean = "Wait"\n', "utf-8")
    words = ("compare", small_log(tmp_path), *RUNS, "--rows", "utilization,wait_mean", "--names", names)
    lines = cli.done(*words, "--format", "markdown").out.splitlines()
    assert lines[0] == "| Metric | Unit | In order | easy:backfill=sjf |"
    assert [line.split(" | ")[0] for line in lines[2:]] == ["| Utilization", "| Wait"]
    rows = list(csv.DictReader(io.StringIO(cli.done(*words, "--format", "csv").out)))
    assert [row["metric"] for row in rows] == ["utilization", "wait_mean"]
