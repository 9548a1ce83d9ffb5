"""Composed figures by the command: drawn, their numbers written, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from app.cli.main import main


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


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        (["--x", "theta"], "need --x and --y"),
        (["--x", "theta", "--y", "wait_mean", "-p", "easy"], "--policy is of figures of runs"),
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
