import csv
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from app.export.output import stacked, write_metrics, write_table
from engine.quantities.job_table import Table
from engine.shown_text import spreadsheet_text

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


NAMES = ["=cmd|'/c calc'!A0", "+a", "-1", "a\rb", "a\r", "a\nb\r\n", "\u202e\x1b", 'q",', "\x00", "", None]


@pytest.mark.parametrize("as_array", [True, False])
def test_a_csv_reads_back_the_same(tmp_path: Path, as_array: bool) -> None:
    path = tmp_path / "table.csv"
    names = np.array(NAMES, object) if as_array else NAMES
    write_table([("=user\r", names), ("number", np.arange(len(NAMES)))], path)
    with path.open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    assert header == ["=user\r", "number"]
    assert rows == [[name or "", str(k)] for k, name in enumerate(NAMES)]
    assert path.read_bytes().endswith(b"\n,10\n"), "a line ends as it does here"


def test_a_csv_for_a_spreadsheet_has_words_that_it_does_not_run(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    write_table([("=user", NAMES), ("number", np.arange(len(NAMES)) - 6)], path, spreadsheet_text)
    with path.open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    assert header == ["'=user", "number"]
    assert [row[0] for row in rows[:4]] == ["'=cmd|'/c calc'!A0", "'+a", "-1", r"a\rb"], (
        "numbers stay numbers"
    )
    assert rows[6][0] == r"\u202e\x1b"
    assert rows[0][1] == "-6"


def test_a_table_of_metrics_has_the_names_of_runs(tmp_path: Path) -> None:
    write_metrics([{"wait_mean": -2.0}], ["=easy"], tmp_path / "metrics.csv")
    assert (tmp_path / "metrics.csv").read_text() == "metric,unit,=easy\nwait_mean,s,-2.0\n"


def test_tables_of_several_runs_in_one_have_the_columns_of_all() -> None:
    first: Table = [("run", ["a", "a"]), ("start", np.array([1, 2])), ("accuracy", np.array([0.5, 0.25]))]
    second: Table = [("run", ["longer"]), ("start", np.array([3])), ("nodes", np.array(["n1"], object))]
    columns = dict(stacked([first, second]))
    assert list(columns) == ["run", "start", "accuracy", "nodes"]
    assert columns["run"].tolist() == ["a", "a", "longer"]
    assert columns["start"].tolist() == [1, 2, 3]
    assert columns["accuracy"].tolist() == [0.5, 0.25, None]
    assert columns["nodes"].tolist() == [None, None, "n1"]
