"""The table of `compare` for papers, pages and spreadsheets."""

import csv
import io
from importlib.metadata import version
from pathlib import Path

import pytest

from app.export.formats import markdown
from app.export.latex_table import latex
from tests.app.cli.commands import Commands, small_log

RUNS = ("-p", "fcfs", "-p", "easy:backfill=sjf")


def test_latex_has_the_rules_of_booktabs(cli: Commands, tmp_path: Path) -> None:
    lines = cli.done("compare", small_log(tmp_path), *RUNS, "--format", "latex").out.splitlines()
    caption = lines.pop(1)
    assert caption.startswith("% \\caption{small on 8c: 12 jobs, submitted Sun 9 Sep 2001 ")
    assert caption.endswith(f". Changes in brackets are against fcfs. Batchscope {version('batchscope')}.}}")
    assert lines[:5] == [
        "% needs \\usepackage{booktabs}",
        "\\noindent",
        "\\begin{tabular}{llrr}",
        "\\toprule",
        "Metric & Unit & fcfs & easy:backfill=sjf \\\\",
    ]
    assert lines[-2:] == ["\\bottomrule", "\\end{tabular}"]
    (wait,) = [line for line in lines if line.startswith("Mean wait & s & ")]
    assert wait.endswith(" \\%) \\\\")
    assert all(line.count(" & ") == 3 for line in lines[6:-2])


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
    assert [line.split(" | ")[0] for line in lines[2:-2]] == ["| Utilization", "| Wait"]
    assert "against In order" in lines[-1]
    rows = list(csv.DictReader(io.StringIO(cli.done(*words, "--format", "csv").out)))
    assert [row["metric"] for row in rows] == ["utilization", "wait_mean"]


def test_groups_and_values_are_chosen_in_their_order(cli: Commands, tmp_path: Path) -> None:
    names = tmp_path / "names.toml"
    names.write_text('wait_mean = "Wait"\nutilization = "Used"\n', "utf-8")
    words = ("compare", small_log(tmp_path), "-p", "fcfs", "--by", "user")
    users = [entry["name"] for entry in cli.done(*words, "--format", "json").document["runs"][0]["groups"]]
    words = (*words, "--groups", ",".join(users[1::-1]), "--values", "bounded_slowdown_mean,wait_mean")
    lines = cli.done(*words, "--format", "markdown", "--names", names).out.splitlines()
    assert lines[0] == "| Run | User | Jobs | Mean bounded slowdown | Wait, s |"
    assert [line.split(" | ")[1] for line in lines[2:4]] == users[1::-1]
    rows = list(csv.DictReader(io.StringIO(cli.done(*words, "--format", "csv").out)))
    assert list(rows[0]) == ["run", "user", "jobs", "bounded_slowdown_mean", "wait_mean (s)"]
    assert [row["user"] for row in rows] == users[1::-1]
    (run,) = cli.done(*words, "--format", "json").document["runs"]
    assert [list(entry) for entry in run["groups"]] == [
        ["name", "jobs", "bounded_slowdown_mean", "wait_mean"]
    ] * 2
    assert "Mean bounded slowdown" in cli.done(*words).out


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (
            ("--by", "user", "--values", "wait_men"),
            "--values: there is no 'wait_men'; did you mean 'wait_mean'",
        ),
        (("--by", "user", "--groups", "nobody"), "--groups: there is no 'nobody'"),
        (("--groups", "nobody"), "the table of --by, which is not given"),
    ],
)
def test_groups_and_values_that_are_not_there(
    cli: Commands, tmp_path: Path, options: tuple[str, ...], complaint: str
) -> None:
    outcome = cli("compare", small_log(tmp_path), "-p", "fcfs", *options)
    assert outcome.status == 2
    assert complaint in outcome.complaint
