"""Dates of sacct in forms of SLURM_TIME_FORMAT: all lines of a log tell the order of day and month."""

from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engine.errors import InputError
from engine.logs.read import read_records
from engine.logs.sacct.prints import dump as slurm
from engine.logs.tables.columns import ColumnMap
from tests.paths import SHARED, needs

FIELDS = ("JobID", "Submit", "Start", "End", "Elapsed", "NCPUS", "State")
CASE = SHARED / "cases" / "files" / "s11-time-eu.txt"


def row(job: int, month: int, day: int, form: str) -> tuple[str, ...]:
    """A job of 2024 that waits 5 minutes and runs an hour, its times in this form."""
    times = (datetime(2024, month, day, 10, minute).strftime(form) for minute in (0, 5))
    return (str(job), *times, datetime(2024, month, day, 11, 5).strftime(form), "01:00:00", "4", "COMPLETED")


def text(rows: list[tuple[str, ...]], delimiter: str = "|") -> str:
    return "".join(f"{delimiter.join(cells)}\n" for cells in (FIELDS, *rows))


def submitted(month: int, day: int) -> int:
    return int(datetime(2024, month, day, 10, tzinfo=UTC).timestamp())


DAYS = [(1, 2), (1, 31), (2, 3)]
FORMS = ["%d/%m/%Y %H:%M:%S", "%m/%d/%Y %I:%M:%S %p", "%d-%m-%Y %H:%M:%S", "%D %T", "%H:%M:%S %d/%m/%Y"]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("delimiter", ["|", ",", "\t"])
def test_one_date_tells_the_order_of_all(tmp_path: Path, form: str, delimiter: str) -> None:
    path = tmp_path / "dump.txt"
    path.write_text(text([row(k, *day, form) for k, day in enumerate(DAYS)], delimiter))
    records = read_records(path)
    assert records.submit.tolist() == [submitted(*day) for day in DAYS]
    assert records.wait.tolist() == [300] * 3
    assert records.runtime.tolist() == [3600] * 3
    assert records.wall_clock is not None
    assert not [note for note in records.notes if note.rule == "unreadable_time" and note.count]


def test_a_later_block_and_a_later_file_tell_the_order_of_the_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slurm, "BLOCK", 400)  # bytes
    first, last = tmp_path / "a.txt", tmp_path / "b.txt"
    days = [(1, 2), (3, 4), (5, 6), (7, 8), (9, 10), (11, 12)]
    first.write_text(text([row(k, *day, "%d/%m/%Y %H:%M:%S") for k, day in enumerate(days)]))
    last.write_text(text([row(99, 1, 31, "%d/%m/%Y %H:%M:%S"), row(100, 2, 1, "%Y-%m-%dT%H:%M:%S")]))
    found = read_records(first, further=[last]).submit.tolist()
    assert found == [submitted(*day) for day in [*days, (1, 31), (2, 1)]]


def test_parquet_of_sacct_tells_the_order_too(tmp_path: Path) -> None:
    path = tmp_path / "jobs.parquet"
    rows = [row(k, *day, "%d/%m/%Y %H:%M:%S") for k, day in enumerate(DAYS)]
    pq.write_table(pa.table(dict(zip(FIELDS, zip(*rows, strict=True), strict=True))), path)
    assert read_records(path).submit.tolist() == [submitted(*day) for day in DAYS]


def test_what_stays_open_is_asked_for_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "dump.txt"
    path.write_text(text([row(1, 5, 5, "%d/%m/%Y %H:%M"), row(2, 2, 1, "%d/%m/%Y %H:%M")]))
    with pytest.raises(InputError) as error:
        read_records(path)
    assert str(error.value) == (
        f"{path}:3: times of jobs cannot be read: dates like '01/02/2024' do not show the order of day and "
        "month; say it with a line dates = 'dmy' or dates = 'mdy' in --columns FILE.toml"
    )


@pytest.mark.parametrize(("order", "days"), [("dmy", [(2, 1), (4, 3)]), ("mdy", [(1, 2), (3, 4)])])
def test_the_order_can_be_given(tmp_path: Path, order: str, days: list[tuple[int, int]]) -> None:
    path = tmp_path / "dump.csv"
    path.write_text(text([row(1, 1, 2, "%m/%d/%Y %H:%M"), row(2, 3, 4, "%m/%d/%Y %H:%M")], ","))
    records = read_records(path, columns=ColumnMap(dates=order))
    assert records.submit.tolist() == [submitted(*day) for day in days]


def test_orders_that_contradict_each_other_are_reported(tmp_path: Path) -> None:
    path = tmp_path / "dump.txt"
    path.write_text(text([row(1, 1, 31, "%d/%m/%Y %H:%M"), row(2, 1, 31, "%m/%d/%Y %H:%M")]))
    with pytest.raises(InputError, match="different orders, as 01/31/2024 and 31/01/2024"):
        read_records(path)


def test_what_is_no_date_in_any_order_is_left_out_and_no_reason_to_refuse_a_log(tmp_path: Path) -> None:
    path = tmp_path / "dump.txt"
    odd = ("3", "77/77/2024 10:00", "soon 1/2/3", "", "00:00:00", "4", "COMPLETED")
    path.write_text(text([row(k, *day, "%Y-%m-%dT%H:%M:%S") for k, day in enumerate(DAYS)] + [odd]))
    records = read_records(path)
    assert records.submit.tolist() == [*(submitted(*day) for day in DAYS), -1]
    assert [note.lines for note in records.notes if note.rule == "unreadable_time"] == [(5,)]


@needs(CASE)
def test_a_date_of_dots_and_one_of_two_digits() -> None:
    """B046: the times of the second job cannot be read, and its file has no arrays."""
    with pytest.raises(InputError, match=r":3: times of jobs cannot be read: dates like '01/02/24' do not"):
        read_records(CASE)
    assert read_records(CASE, columns=ColumnMap(dates="mdy")).submit.tolist()[1] == submitted(1, 2)
