"""Tables that programs read hold numbers: `pandas.read_csv` gives no text for a number."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from resources import example_path, studies
from tests.app.cli.commands import Commands

FORMATTED = re.compile(
    r"[+−-]?\d[\d,\s]*(\.\d+)?(e[+-]?\d+)?\s*(%|h|s|d|min)?"
    r"(\s*(\(.*\)|±.*|to .*|–.*|(?<=\s)\d.*))?|\d+\. \(.*\)"
)
"""Cells that people read as numbers."""

CLAIMS = {"Paper's claim"}
"""Words of a paper's claim, whose numbers stand in columns of their own beside them."""


@pytest.fixture(scope="module", autouse=True)
def few_figures() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("app.report.make.FIGURES", ("radar",))
        patch.setattr("app.report.study._draw", lambda *_: None)
        yield


def formatted_cells(folder: Path) -> list[tuple[str, str, str]]:
    """File, column and text of cells that are no bare numbers, of all CSV and JSON files of a folder."""
    found = []
    for path in sorted(folder.rglob("*.csv")):
        for column, cells in pd.read_csv(path).items():
            # A column of numbers has no texts; claims are sentences on purpose.
            if cells.dtype.kind in "ifb" or column in CLAIMS:
                continue
            texts = cells.dropna().astype(str)
            found += [(path.name, str(column), text) for text in texts if FORMATTED.fullmatch(text)]
    for path in sorted(folder.rglob("tables/*.json")):
        rows: list[dict[str, Any]] = json.loads(path.read_text("utf-8"))["rows"]
        found += [
            (path.name, title, cell)
            for row in rows
            for title, cell in row.items()
            if isinstance(cell, str) and title not in CLAIMS and FORMATTED.fullmatch(cell)
        ]
    return found


def test_every_table_of_a_report(cli: Commands, tmp_path: Path) -> None:
    runs = [word for policy in ("easy", "fcfs", "easy-sjbf:estimate=last2") for word in ("-p", policy)]
    cli.done("report", example_path(), *runs, "-o", tmp_path / "report", "--quiet")
    tables = {path.stem for path in (tmp_path / "report" / "tables").glob("*.csv")}
    assert {"ranking", "noise", "changes", "waits", "users", "metrics", "late-by-month"} <= tables
    assert formatted_cells(tmp_path / "report") == []
    waits = pd.read_csv(tmp_path / "report" / "tables" / "waits.csv")
    assert (waits["Waits, s"] > 0).all()


@pytest.mark.parametrize("name", ["adaptive-tuning", "fairshare-and-backfilling"])
def test_every_table_of_a_study(cli: Commands, tmp_path: Path, name: str) -> None:
    options = ("-o", tmp_path / "kept", "--figures", tmp_path / "study", "--quiet")
    assert name in studies()
    cli.done("sweep", name, example_path(), "--jobs", "0:300", *options)
    tables = {path.stem for path in (tmp_path / "study").glob("*.csv")}
    assert {"numbers", "findings", "logs"} <= tables
    assert formatted_cells(tmp_path / "study") == []
    findings = pd.read_csv(tmp_path / "study" / "findings.csv")
    bounds = findings[["Paper", "Paper, low", "Paper, high"]]
    assert bounds.dtypes.map(lambda dtype: dtype.kind in "if").all()
    assert bounds.notna().any(axis=None)


PARQUET = {
    "waits": ("waits", "-p", "easy", "-o"),
    "ends": ("eet", "-p", "easy", "-o"),
    "schedule": ("simulate", "-p", "easy", "-o"),
    "bars": ("figure", "bars", "-p", "easy", "-p", "fcfs", "--x", "policy", "--y", "wait_mean", "--data"),
    "metrics": ("figure", "metrics", "-p", "easy", "-p", "fcfs", "--data"),
}
"""Commands that write Parquet, before the name of the file."""


@pytest.mark.parametrize("name", list(PARQUET))
def test_every_parquet_holds_bare_numbers(cli: Commands, tmp_path: Path, name: str) -> None:
    """A column of Parquet has one type: that of numbers wherever all of its cells are numbers."""
    path = tmp_path / f"{name}.parquet"
    word, *options = PARQUET[name]
    drawn = ("-o", tmp_path / "drawn.svg") if word == "figure" else ()
    kind, *options = options if word == "figure" else ("", *options)
    words = (word, *filter(None, (kind,)), example_path(), "--jobs", "0:200")
    cli.done(*words, *options, path, *drawn, "--quiet")
    table = pd.read_parquet(path)
    assert len(table) > 0
    numbers = [column for column in table if table[column].dtype.kind in "ifb"]
    texts = {str(column): table[column].dropna() for column in table if column not in numbers}
    found = [(column, text) for column, cells in texts.items() for text in cells if FORMATTED.fullmatch(text)]
    assert [(column, text) for column, text in found if not re.fullmatch(r"-?\d+", text)] == []
    assert {column for column, _ in found} <= {"user", "account", "past"}  # names and lists of jobs
    assert len(numbers) > 2
