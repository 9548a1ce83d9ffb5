from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from app.export.output import write_metrics, write_table

ROWS = 1001
"""More than are written at once, and no multiple of that."""


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_a_long_table_is_written_whole(tmp_path: Path, suffix: str) -> None:
    number = np.arange(ROWS)
    path = tmp_path / f"table{suffix}"
    table = [
        ("number", number),
        ("name", np.array([f"user {k % 7}" for k in number], object)),
        ("end", np.ma.array(number * 2, mask=number % 3 == 0)),
        ("share", np.where(number % 5 == 0, np.nan, number / 4)),
        ("listed", number.tolist()),
    ]
    write_table(table, path)
    read = pd.read_csv(path) if suffix == ".csv" else pd.read_parquet(path)
    assert list(read.columns) == [name for name, _ in table]
    assert read["number"].tolist() == read["listed"].tolist() == number.tolist()
    assert read["name"].tolist() == [f"user {k % 7}" for k in number]
    assert read["end"].isna().tolist() == (number % 3 == 0).tolist()
    assert read["end"].dropna().tolist() == [2 * k for k in number if k % 3]
    assert read["share"].isna().tolist() == (number % 5 == 0).tolist()
    assert read["share"].dropna().tolist() == [k / 4 for k in number if k % 5]


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_a_table_without_rows_has_its_headings(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"table{suffix}"
    write_table([("number", np.empty(0, np.int64)), ("name", np.empty(0, object))], path)
    read = pd.read_csv(path) if suffix == ".csv" else pd.read_parquet(path)
    assert (list(read.columns), len(read)) == (["number", "name"], 0)


def test_words_that_a_spreadsheet_would_run_are_words(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    run = ["=cmd|'/c calc'!A0", "+a", "-b", "@c", "\td"]
    other = ["-1", "+2.5", "-1e3", "plain", "a=b", " c", ""]
    names = [*run, *other[:-2], "\rc", "", None]
    write_table([("=user", names), ("number", np.arange(-6, 7))], path)
    with path.open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    assert header == ["'=user", "number"]
    lines = [row[0] for row in rows]
    assert lines[:5] == [f"'{name}" for name in run]
    assert lines[5:] == [*other, ""], "numbers stay numbers"
    assert rows[0][1] == "-6"


def test_names_of_runs_in_a_table_of_metrics_are_words(tmp_path: Path) -> None:
    write_metrics([{"wait_mean": -2.0}], ["=easy"], tmp_path / "metrics.csv")
    assert (tmp_path / "metrics.csv").read_text() == "metric,unit,'=easy\nwait_mean,s,-2.0\n"
