"""The table of a job's columns: whoever holds columns has all of them, in the same kinds."""

from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from engine.logs.read import read_records, read_trace
from engine.logs.sacct.job_fields import TOLD
from engine.logs.sacct.job_usage import Used
from engine.logs.tables.columns import NAMES, UNITS
from engine.quantities import QUANTITIES
from engine.trace.columns import (
    BASIC_COLUMNS,
    COLUMNS,
    GPUS,
    MARK,
    NAME,
    NAMED,
    TOLD_COLUMNS,
    USED,
    USED_COLUMNS,
    JobColumn,
)
from engine.trace.convert import left_out
from engine.trace.names import Names
from engine.trace.records import Records
from engine.trace.trace import Trace


@pytest.mark.parametrize(("holder", "columns"), [(Used, USED_COLUMNS), (Records, COLUMNS), (Trace, COLUMNS)])
def test_every_column_is_a_field(holder: type, columns: dict[str, JobColumn]) -> None:
    assert set(columns) <= {field.name for field in fields(holder)}


def test_every_column_of_a_trace_is_of_its_kind_and_has_its_missing_value(tmp_path: Path) -> None:
    path = tmp_path / "jobs.csv"
    path.write_text("submit,runtime,procs,gpus\n0,10,1,\n5,10,1,2\n", "utf-8")
    trace = read_trace(path)
    # Each job of a trace has these; an empty count of GPUs is none.
    kept = ("submit", "runtime", "walltime", "procs", "job_id", "gpus")
    seen = set()
    for name, column in COLUMNS.items():
        values = getattr(trace, name)
        if values is None:
            continue
        seen.add(name)
        if isinstance(values, Names):
            assert (column.unit, values.names[values.codes[0]]) == (NAME, column.missing), name
        else:
            assert values.dtype == column.dtype, name
            assert name in kept or values[0] == column.missing, name
    assert set(BASIC_COLUMNS) - seen == {"least_nodes", "most_nodes", "at_once"}


def test_a_trace_without_jobs_has_every_column() -> None:
    empty = Trace.empty()
    assert len(empty) == 0
    assert all(getattr(empty, name) is not None for name in BASIC_COLUMNS)


def test_the_dialog_asks_for_columns_that_tables_may_have() -> None:
    assert {name for name, column in COLUMNS.items() if column.in_form} <= set(NAMES)
    assert set(NAMED) == {"user", "group", "queue", "executable"}


def test_every_column_with_words_is_a_quantity_where_the_table_says() -> None:
    for name in (*BASIC_COLUMNS, *TOLD_COLUMNS):
        column, quantity = COLUMNS[name], QUANTITIES.get("job" if name == "job_id" else name)
        if column.text:
            assert quantity is not None
            assert (quantity.title, quantity.text) == (column.title, column.text)
            assert quantity.shown == column.shown or name == "job_id"
    for name, column in USED_COLUMNS.items():
        assert (name in QUANTITIES) == bool(column.title) == bool(column.text)
        if column.title:
            assert (QUANTITIES[name].title, QUANTITIES[name].shown) == (column.title, column.shown)


def test_tables_know_the_unit_of_every_column() -> None:
    assert set(USED) <= set(NAMES)
    with_unit = {name for name, column in USED_COLUMNS.items() if column.unit not in (MARK, GPUS)}
    assert with_unit == set(USED) & set(UNITS)


def test_every_column_is_read_in_its_kind(tmp_path: Path) -> None:
    path = tmp_path / "jobs.csv"
    path.write_text(f"submit,runtime,procs,{','.join(USED)}\n0,10,1,{','.join('1' * len(USED))}\n", "utf-8")
    records = read_records(path)
    for name, column in USED_COLUMNS.items():
        values = getattr(records, name)
        assert values.dtype == column.dtype, name
        assert values.tolist() == [1], name
        assert np.issubdtype(column.dtype, np.bool_) == (column.unit == MARK)


def test_every_column_of_what_else_is_told_is_a_quantity_with_its_words() -> None:
    assert set(TOLD.values()) == set(TOLD_COLUMNS)
    for holder in (Records, Trace):
        assert set(TOLD_COLUMNS) <= {field.name for field in fields(holder)}
    for name, column in TOLD_COLUMNS.items():
        quantity = QUANTITIES[name]
        assert (quantity.title, quantity.unit, quantity.text) == (column.title, column.unit, column.text)


def test_a_word_that_means_no_name_elsewhere_stays_where_it_is_literal(tmp_path: Path) -> None:
    path = tmp_path / "dump"
    row = "1|2020-01-01T00:00:00|2020-01-01T00:01:00|2020-01-01T00:02:00|COMPLETED|1|None|None|None|7"
    path.write_text(f"JobID|Submit|Start|End|State|NCPUS|QOS|Reason|Reservation|Priority\n{row}\n", "utf-8")
    trace = read_trace(path)
    assert trace.name == "dump"
    assert list(trace.told) == ["qos", "reason", "reservation", "priority"]
    shown = {name: column.names for name, column in trace.told.items() if isinstance(column, Names)}
    assert shown == {"qos": ("",), "reason": ("None",), "reservation": ("None",)}
    assert trace.priority is not None
    assert trace.priority.tolist() == [7]
    assert {"qualities of service", "reasons", "reservations", "priorities"} <= set(left_out(trace, "table"))
