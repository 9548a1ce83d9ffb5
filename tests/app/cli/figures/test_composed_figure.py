"""Composed figures by the command: drawn, their numbers written, and what is refused."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

import batchscope
from app.cli.main import main
from tests.app.cli.commands import small_log


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """A table of runs as a study leaves it."""
    rows = [
        {"policy": policy, "theta": theta, "seed": str(seed), "wait_mean": 60.0 * theta + seed}
        for policy in ("easy", "fcfs")
        for theta in (0.5, 1.0)
        for seed in range(3)
    ]
    path = tmp_path / "study"
    path.mkdir()
    pd.DataFrame(rows).to_parquet(path / "results.parquet")
    return path


def test_a_figure_and_its_numbers_are_written(results: Path, tmp_path: Path) -> None:
    figure, data, names = tmp_path / "f.svg", tmp_path / "f.csv", tmp_path / "names.toml"
    names.write_text('wait_mean = "Wait of <jobs>"\n')
    asked = [
        "lines",
        str(results),
        "--x",
        "theta",
        "--y",
        "wait_mean",
        "--colour",
        "policy",
        "--names",
        str(names),
    ]
    assert main(["figure", *asked, "-o", str(figure), "--data", str(data), "--quiet"]) == 0
    assert "Wait of &lt;jobs&gt;" in figure.read_text("utf-8")
    table = pd.read_csv(data)
    assert table["mean"].tolist() == [31.0, 61.0, 31.0, 61.0]
    assert table["count"].tolist() == [3] * 4
    first = figure.read_bytes()
    assert main(["figure", *asked, "-o", str(figure), "--quiet", "--force"]) == 0
    assert figure.read_bytes() == first


def test_known_results_are_drawn_without_what_simulates(results: Path, tmp_path: Path) -> None:
    """Each of these would take a tenth of a second or more from every figure."""
    program = "import sys; from app.cli.main import main; status = main(sys.argv[1:]); "
    program += "print({'numba', 'pandas', 'scipy', 'PySide6'} & set(sys.modules)); sys.exit(status)"
    words = ["lines", str(results), "--x", "theta", "--y", "wait_mean", "--facet", "policy"]
    call = [sys.executable, "-c", program, "figure", *words, "-o", str(tmp_path / "f.pdf"), "--quiet"]
    done = subprocess.run(call, capture_output=True, text=True, check=False, timeout=120)
    assert (done.returncode, done.stdout.strip()) == (0, "set()"), done.stderr


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        (["--x", "theta"], "need --x and --y"),
        (["--x", "theta", "--y", "wait_mean", "--filter", "procs > 1"], "they are of runs: -p POLICY"),
        (["--x", "theta", "--y", "wait_mean", "--user", "a"], "--user is not of bars"),
        (["--x", "theta", "--y", "wait_mean", "--facet", "a,b,c"], "two parameters at most"),
        (["--x", "theta", "--y", "wait_mean", "--where", "policy"], "is not a condition"),
    ],
)
def test_what_cannot_be_composed_is_one_line(
    results: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], more: list[str], expected: str
) -> None:
    assert main(["figure", "bars", str(results), *more, "-o", str(tmp_path / "f.pdf")]) == 2
    error = capsys.readouterr().err
    assert expected in error
    assert error.count("\n") == 1
    assert not (tmp_path / "f.pdf").exists()


def test_figures_of_runs_need_a_policy(
    results: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["figure", "gantt", str(results), "-o", str(tmp_path / "f.pdf")]) == 2
    assert "needs runs: -p POLICY" in capsys.readouterr().err


def test_runs_of_several_logs_are_composed(tmp_path: Path) -> None:
    logs = [str(small_log(tmp_path, f"{name}.swf")) for name in ("first", "second")]
    data = tmp_path / "f.csv"
    asked = ["bars", logs[0], "--log", logs[1], "-p", "easy", "-p", "fcfs", "--x", "policy", "--facet", "log"]
    asked += ["--y", "wait_mean", "--quiet", "--force", "-o", str(tmp_path / "f.pdf"), "--data", str(data)]
    assert main(["figure", *asked]) == 0
    table = pd.read_csv(data)
    assert table["log"].tolist() == ["first", "first", "second", "second"]
    assert table["policy"].tolist() == ["easy", "fcfs"] * 2
    runs = batchscope.compare(batchscope.read(logs[0]), ["easy", "fcfs"])
    waits = runs.metrics.loc["wait_mean"]
    assert table["mean"].tolist() == pytest.approx([waits["easy"], waits["fcfs"]] * 2)


def test_jobs_of_runs_are_composed_by_the_command_and_by_python(tmp_path: Path) -> None:
    log, data = small_log(tmp_path), tmp_path / "f.csv"
    asked = [
        "boxes",
        str(log),
        "-p",
        "easy",
        "-p",
        "fcfs",
        "--x",
        "queue",
        "--y",
        "wait",
        "--colour",
        "policy",
    ]
    assert main(["figure", *asked, "-o", str(tmp_path / "f.pdf"), "--data", str(data), "--quiet"]) == 0
    table = pd.read_csv(data, dtype={"queue": str})
    # Python composes the same figure from the same runs.
    runs = batchscope.compare(batchscope.read(log), ["easy", "fcfs"])
    picture = batchscope.figure(runs, "boxes", "queue", "wait", colour="policy", paper="85mm")
    assert picture.data["mean"].tolist() == table["mean"].tolist()
    assert table["count"].sum() == 24
    # The means are computed once more from the jobs themselves.
    of_easy = runs["easy"].jobs
    means = of_easy.assign(queue=of_easy["queue"].astype(str)).groupby("queue")["wait"].mean()
    shown = table[table["policy"] == "easy"].set_index("queue")["mean"]
    assert shown.sort_index().tolist() == pytest.approx(means.sort_index().tolist())
    picture.savefig(tmp_path / "g.pdf")
    assert (tmp_path / "g.pdf").read_bytes().startswith(b"%PDF")


def test_the_metrics_of_bars_are_chosen_and_runs_are_named(tmp_path: Path) -> None:
    log, data, names = small_log(tmp_path), tmp_path / "f.csv", tmp_path / "names.toml"
    names.write_text('easy = "Backfilling"\n"fcfs" = "In order"\n')
    asked = ["figure", "metrics", str(log), "-p", "easy", "-p", "fcfs", "--metrics", "utilization,wait_mean"]
    more = ["--names", str(names), "--data", str(data), "--quiet"]
    assert main([*asked, *more, "-o", str(tmp_path / "f.svg")]) == 0
    text = (tmp_path / "f.svg").read_text("utf-8")
    assert "Backfilling" in text
    assert "Utilization" in text
    assert "Mean wait" in text
    assert "Mean response" not in text
    assert "In order" in data.read_text("utf-8")


def test_metrics_that_are_none_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = str(small_log(tmp_path))
    for kind, metrics, expected in (
        ("metrics", "wait_men", "wait_mean"),
        ("gantt", "wait_mean", "--metrics is of the figure metrics"),
    ):
        asked = ["figure", kind, log, "-p", "easy", "--metrics", metrics, "-o", str(tmp_path / "f.pdf")]
        assert main(asked) == 2
        assert expected in capsys.readouterr().err


def test_a_page_that_is_too_low_to_be_read_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log, file = str(small_log(tmp_path)), tmp_path / "f.pdf"
    asked = [
        "figure",
        "metrics",
        log,
        "-p",
        "easy",
        "-p",
        "fcfs",
        "--paper",
        "88mm",
        "-o",
        str(file),
        "--quiet",
    ]
    assert main([*asked, "--height", "30"]) == 2
    error = capsys.readouterr().err
    assert "a height of 30 mm holds this figure only with type of " in error
    assert not file.exists()
    needed = error.partition("it needs ")[2].partition(" mm")[0]
    assert main([*asked, "--height", needed]) == 0
