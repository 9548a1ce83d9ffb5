"""Counts that are lists of ids: when a single number among them is an id, a count, or asked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.logs.tables.unit_doubts import UnitsError
from engine.reading.options import Reading
from engine.reading.read import read_log_as
from engine.trace import Trace
from tests.engine.logs.lines import counts


def read(folder: Path, header: str, *cells: str, units: str = "") -> Trace:
    """Jobs that ran for 10 s, with these further cells each."""
    rows = "".join(f"{k},0,10,20,{cell}\n" for k, cell in enumerate(cells, 1))
    (folder / "t.csv").write_text(f"job_id,submit,start,end,{header}\n{rows}")
    return read_log_as(folder / "t.csv", Reading(units=units)).trace


ODD = ("12", "0-3", "7", "5")


@pytest.mark.parametrize("role", ["procs", "allocated"])
def test_what_may_be_ids_or_counts_is_asked_for(tmp_path: Path, role: str) -> None:
    with pytest.raises(UnitsError) as caught:
        read(tmp_path, role, *ODD)
    assert str(caught.value) == (
        f"{tmp_path / 't.csv'}:1: single numbers in '{role}' may be counts, or ids as in its lists; "
        f"say its unit with --units {role}=ids, or {role}=count"
    )
    assert caught.value.example == f"{role}=ids"
    ids = read(tmp_path, role, *ODD, units=f"{role}=ids")
    assert (ids.procs.tolist(), counts(ids)["ids"]) == ([1, 4, 1, 1], 4)
    said = read(tmp_path, role, *ODD, units=f"{role}=count")
    assert (said.procs.tolist(), "ids" in counts(said)) == ([12, 4, 7, 5], False)


def test_nodes_are_asked_for_too(tmp_path: Path) -> None:
    cells = ("16,12", "16,3 4 5", "16,7")
    with pytest.raises(UnitsError, match="--units nodes=ids, or nodes=count"):
        read(tmp_path, "procs,nodes", *cells)
    assert read(tmp_path, "procs,nodes", *cells, units="nodes=ids").tasks["count"].tolist() == [1, 1, 2, 1]


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (("1,12", "4,0-3", "1,7"), [1, 4, 1]),  # as many as were asked for
        (("12,12", "4,0-3", "7,7"), [12, 4, 7]),
        (("12,12", "7,7"), [12, 7]),
    ],
)
def test_another_count_tells_ids_from_counts(
    tmp_path: Path, cells: tuple[str, ...], expected: list[int]
) -> None:
    assert read(tmp_path, "procs,allocated", *cells).recorded_procs.tolist() == expected


def test_a_count_that_says_neither_is_asked_for(tmp_path: Path) -> None:
    with pytest.raises(UnitsError):
        read(tmp_path, "procs,allocated", "2,12", "4,0-3", "2,7")


@pytest.mark.parametrize(
    "cells",
    [
        ("12", "0-3"),  # what mostly writes lists writes a list of one as a number
        ("12", "0-3", "0", "7"),  # no job runs on 0 processors
        ("1", "0-3", "1", "1"),  # one either way
    ],
)
def test_what_can_only_be_ids_is_read_as_such(tmp_path: Path, cells: tuple[str, ...]) -> None:
    trace = read(tmp_path, "procs", *cells)
    assert trace.procs.tolist() == [4 if "-" in cell else 1 for cell in cells]
    assert counts(trace)["ids"] == len(cells)


@pytest.mark.parametrize(
    ("cells", "expected"),
    [(("1,12", "1,7"), [1, 1]), (("4,4", "8,8"), [4, 8]), (('2,"4,5"', "1,7"), [2, 1])],
)
def test_cells_of_batsims_column(tmp_path: Path, cells: tuple[str, str], expected: list[int]) -> None:
    header = "requested_number_of_resources,allocated_processors"
    assert read(tmp_path, header, *cells).recorded_procs.tolist() == expected


@pytest.mark.parametrize(
    ("cell", "expected"), [("4 5", 2), ("4;5", 2), ('"4, 5"', 2), ("12 345", 12345), ('"1,024"', 1024)]
)
def test_two_numbers_that_are_no_count(tmp_path: Path, cell: str, expected: int) -> None:
    assert read(tmp_path, "procs", cell, cell).procs.tolist() == [expected, expected]


def test_units_of_a_column_that_a_table_has_not(tmp_path: Path) -> None:
    assert read(tmp_path, "procs", "2", "3", units="nodes=ids").procs.tolist() == [2, 3]


@pytest.mark.parametrize(("said", "expected"), [("ids", [2, 1, 2]), ("count", [5, 4, 13])])
def test_a_comma_that_may_part_two_ids_is_asked_about(tmp_path: Path, said: str, expected: list[int]) -> None:
    cells = ('"4,5"', "4", '"12,13"')
    with pytest.raises(UnitsError) as caught:
        read(tmp_path, "procs", *cells)
    assert "'4,5' in 'procs' may be a number with decimals, or two ids" in str(caught.value)
    assert caught.value.example == "procs=ids"
    assert read(tmp_path, "procs", *cells, units=f"procs={said}").procs.tolist() == expected


@pytest.mark.parametrize("cells", [('"7,5"', '"4,5"'), ('"2,05"', "2"), ('"1,024"', "16")])
def test_a_comma_of_decimals_or_thousands_is_not_asked_about(tmp_path: Path, cells: tuple[str, ...]) -> None:
    assert len(read(tmp_path, "procs", *cells)) == 2
