"""One table of what jobs used: whoever holds such a column has all of them, in the same kinds."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from engine.logs.read import read_records
from engine.logs.sacct.job_usage import Used
from engine.logs.tables.columns import NAMES, UNITS
from engine.quantities import QUANTITIES
from engine.trace.columns import GPUS, MARK, USED, USED_COLUMNS
from engine.trace.records import Records
from engine.trace.trace import Trace


@pytest.mark.parametrize("holder", [Used, Records, Trace])
def test_every_column_is_a_field(holder: type) -> None:
    assert set(USED) <= {field.name for field in fields(holder)}


def test_every_column_with_a_title_is_a_quantity_where_the_table_says() -> None:
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
