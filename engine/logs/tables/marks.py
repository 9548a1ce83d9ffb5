"""Properties of whole columns of a table: the order of day and month, and the decimal separator."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from engine.logs.tables.cells import is_text
from engine.logs.tables.columns import IDS, MOMENTS, ColumnsError
from engine.logs.tables.rows import TableRows
from engine.logs.text.clock_times import look_at_orders
from engine.logs.text.written_dates import DateOrders
from engine.words import clip

LENGTHS = ("wait", "runtime", "walltime")
COUNTS = ("procs", "allocated", "nodes", "tasks", "gpus")

_WITH_COMMA = rb"^\s*[+-]?[0-9][0-9.,]*,[0-9.,]*[0-9]\s*[A-Za-z]*\s*$"
_WITH_POINT = rb"^\s*[+-]?[0-9]+\.(?:[0-9]{1,2}|[0-9]{4,30})\s*[A-Za-z]*\s*$"
_NUMBER = re.compile(r"[0-9][0-9.,]*[0-9]")
_THOUSANDS = re.compile(r"[1-9][0-9]{0,2}(,[0-9]{3})+")
_DECIMALS = re.compile(r"[0-9]+,[0-9]+|[1-9][0-9]{0,2}(\.[0-9]{3})+,[0-9]+")


def date_order(tables: Sequence[TableRows]) -> str:
    """The order of day and month in the dates of all times; empty if no date is ambiguous.

    Raises ColumnsError if their columns do not determine it, or contradict each other.
    """
    given = next((table.columns.dates for table in tables if table.columns.dates), "")
    if given:
        return given
    orders = DateOrders()
    where = ""
    # A date such as 31.01. in any column tells the order for all.
    for table in tables:
        for role in MOMENTS:
            for column in _texts(table, role):
                look_at_orders(column, orders)
                if not where and (orders.example or orders.against):
                    where = f"{table.where}: dates of {clip(table.columns.columns[role], 40)!r}"
    if orders.trouble:
        raise ColumnsError(f"{where} {orders.trouble}")
    return orders.found


def _evidence(table: TableRows) -> tuple[str, str, str]:
    """A number whose comma marks decimals, one whose comma marks thousands, one that may be either.

    Each is told with its column; empty where there is none.
    """
    commas, points, unclear = "", "", ""
    # Each number with a comma is evidence for the decimal mark, for the mark of thousands, or for neither.
    for role in (*MOMENTS, *LENGTHS, *COUNTS, "ram"):
        if table.columns.units.get(role) == IDS:  # commas in it part ids
            continue
        for text in _with_commas(table, role):
            number = _number(text)
            shown = f"{clip(text, 40)!r} in {clip(table.columns.columns[role], 40)!r}"
            if _DECIMALS.fullmatch(number) and not _THOUSANDS.fullmatch(number):
                commas = commas or shown
            elif number.count(",") > 1 or "." in number:
                points = points or shown
            elif role not in COUNTS:  # counts have no decimals
                unclear = unclear or shown
    return commas, points, unclear


def decimal_mark(table: TableRows) -> str:
    """The mark of decimals in the numbers of a table, `.` or `,`. Raises ColumnsError where it stays open."""
    if table.columns.decimal:
        return table.columns.decimal
    commas, points, unclear = _evidence(table)
    if not commas and not unclear:
        return "."
    # Numbers such as 1,234 may be either: other evidence decides.
    if not commas and (points or table.header.delimiter == "," or _has_points(table)):
        return "."
    if commas and not points:
        return ","
    wrong = f"{commas} and {points} have different marks" if commas else f"{unclear} may have either mark"
    raise ColumnsError(
        f"{table.where}: {wrong} of decimals and thousands; say that of decimals with a line "
        "decimal = ',' or decimal = '.' in --columns FILE.toml"
    )


def _number(text: str) -> str:
    match = _NUMBER.search(text)
    return "" if match is None else match[0]


def _texts(table: TableRows, role: str) -> Iterator[Any]:
    """The texts in a column, as arrays of bytes; texts of a dictionary occur once."""
    import pyarrow as pa

    for column in table.cells.get(role, ()):
        if is_text(column):
            yield (column.dictionary if pa.types.is_dictionary(column.type) else column).cast(pa.binary())


def _with_commas(table: TableRows, role: str) -> Iterator[str]:
    """The different texts in a column that are numbers with a comma, maybe with a unit."""
    import pyarrow.compute as pc

    for column in _texts(table, role):
        some = column.filter(pc.match_substring_regex(column, _WITH_COMMA))
        yield from (text.decode("ascii", "replace").strip() for text in some.unique().to_pylist())


def _has_points(table: TableRows) -> bool:
    """True if any number has decimals after a point."""
    import pyarrow.compute as pc

    return any(
        pc.any(pc.match_substring_regex(column, _WITH_POINT)).as_py()
        for role in (*LENGTHS, "ram")
        for column in _texts(table, role)
    )
