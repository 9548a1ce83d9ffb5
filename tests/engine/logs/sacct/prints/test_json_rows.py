"""JSON lists of rows of sacct and of the job table."""

import json
from pathlib import Path

import pytest

from engine.errors import InputError
from engine.logs.read import read_trace
from tests.engine.logs.lines import counts
from tests.engine.logs.sacct import dumps as sacct
from tests.engine.logs.sacct.prints.test_job_table import NOON, ROW

FIELDS = ("job_id", "submit", "wait", "runtime", "walltime", "procs", "ram", "status")


def row(**values: object) -> dict[str, object]:
    """A row of sacct, as pandas reads what `sacct --parsable2` prints."""
    return dict(zip(sacct.FIELDS, sacct.job(**values).split("|"), strict=True))


def text_of(path: Path) -> list[list[object]]:
    """What a trace holds of its jobs."""
    trace = read_trace(path)
    return [getattr(trace, name).tolist() for name in FIELDS]


@pytest.fixture
def lines(tmp_path: Path) -> Path:
    """The jobs of these tests as sacct prints them."""
    path = tmp_path / "log.txt"
    rows = [sacct.job(JobID=1), sacct.job(JobID="1.batch"), sacct.job(JobID="2_7")]
    path.write_text("\n".join([sacct.HEADER, *rows]) + "\n", "utf-8")
    return path


@pytest.mark.parametrize("indent", [None, 2])
def test_rows_are_read_as_the_lines_of_sacct(tmp_path: Path, lines: Path, indent: int | None) -> None:
    rows = [row(JobID=1), row(JobID="1.batch"), row(JobID="2_7")]
    path = tmp_path / "log.json"
    path.write_text(json.dumps(rows, indent=indent), "utf-8")
    assert text_of(path) == text_of(lines)
    assert counts(read_trace(path))["steps"] == 1


def test_a_row_a_line_and_missing_values(tmp_path: Path, lines: Path) -> None:
    rows = [row(JobID=1), row(JobID="1.batch"), row(JobID="2_7")]
    for each_row in rows:
        each_row["Comment"] = None
    del rows[1]["QOS"]
    path = tmp_path / "log.jsonl"
    path.write_text("".join(json.dumps(each_row) + "\n" for each_row in rows), "utf-8")
    assert text_of(path) == text_of(lines)


@pytest.mark.parametrize("unit", [1, 1.0, 1000], ids=["seconds", "numbers", "milliseconds"])
def test_the_job_table(tmp_path: Path, unit: float) -> None:
    times = {name: value * unit for name, value in ROW.items() if name.startswith("time_") and value}
    path = tmp_path / "log.json"
    path.write_text(json.dumps([{**ROW, **times}, {**ROW, **times, "id_job": 13, "array_task_str": None}]))
    trace = read_trace(path)
    assert trace.job_id.tolist() == [12, 13]
    assert (trace.submit[0], trace.wait[0], trace.runtime[0], trace.procs[0]) == (NOON, 10, 60, 4)


def test_rows_without_starts_are_refused_with_the_line(tmp_path: Path) -> None:
    record = row(JobID=1)
    del record["Start"]
    path = tmp_path / "log.json"
    path.write_text(json.dumps([record]))
    with pytest.raises(InputError, match=r"log.json:1: these fields of sacct do not contain Start"):
        read_trace(path)
