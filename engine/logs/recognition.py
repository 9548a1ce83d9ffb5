"""What a log was taken for, and how sure that is, in words."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from engine.logs.readers import format_of
from engine.logs.sacct.prints.dump import read_slurm
from engine.logs.sacct.prints.fields import first_lines, guess_head
from engine.logs.sacct.prints.head_places import find_head
from engine.logs.sacct.prints.heads import Head
from engine.logs.tables.columns import guess_columns
from engine.logs.tables.header import header_in, split_header
from engine.logs.tables.parquet import parquet_header
from engine.logs.tables.table import is_odd_table, read_csv
from engine.words import plural

_CERTAIN, _LIKELY, _GUESS = "certain", "likely", "a guess"
_NEEDED = 4
"""Roles of columns with usual names, from which on a table is likely to be read right."""


def recognised(head: bytes, *, mapped: bool, fields: str) -> str:
    """What a log that begins like this is taken for: its format, how it is laid out, and how sure that is.

    `mapped`: the user named the columns of a table; `fields`: those of sacct.
    """
    # What the user said is certain; else the order is that in which formats are tried.
    known = format_of(head)
    if fields:
        return f"sacct, with the fields that were given: {_CERTAIN}"
    if known is not None and known.read is read_slurm and not mapped:
        return _of_sacct(head)
    if mapped:
        return f"a table, with the columns that were given: {_CERTAIN}"
    if known is None:
        if is_odd_table(head):
            names = split_header(head.decode("utf-8", "replace"))
            return f"a table, {plural(len(names), 'column')}, none of which is known as submissions: {_GUESS}"
        # A header is a strong mark of the format; eighteen numbers alone may be something else.
        if head.lstrip().startswith(b";"):
            return f"Standard Workload Format, with its header: {_CERTAIN}"
        return f"Standard Workload Format, by its columns of numbers alone: {_LIKELY}"
    return _of_table(head) if known.read is read_csv else f"{known.name}: {_CERTAIN}"


def recognised_parquet(path: Path, *, sacct: bool, mapped: bool) -> str:
    """What a Parquet file is taken for, likewise. Raises InputError."""
    names = parquet_header(path)
    if sacct:
        return f"sacct, {plural(len(names), 'field')}, Parquet: {_CERTAIN}"
    if mapped:
        return f"a table, Parquet, with the columns that were given: {_CERTAIN}"
    return _by_columns(names, "Parquet")


def _of_sacct(head: bytes) -> str:
    place = find_head(head)
    if place is not None:
        return f"sacct, {_layout(place.head)}: {_CERTAIN}"
    guess = guess_head(first_lines(head))
    if guess is None:
        return f"sacct: {_LIKELY}"
    return f"sacct, {_layout(guess)}, without a line that names them, by their number: {_GUESS}"


def _layout(head: Head) -> str:
    """How many fields there are, and what is between them."""
    count = plural(len([name for name in head.fields if name]), "field")
    if head.spans:
        return f"{count}, in columns of fixed width"
    mark = {"\t": "tab", " ": "blank"}.get(head.delimiter, head.delimiter)
    return f"{count}, delimiter {mark}" + (", with quotes" if head.quoted else "")


def _of_table(head: bytes) -> str:
    """A table by the names of its columns: each that has a usual name may still hold something else."""
    header = header_in(head.decode("utf-8", "replace"))
    mark = {"\t": "tab"}.get(header.delimiter, header.delimiter)
    return _by_columns(header.names, f"delimiter {mark}")


def _by_columns(names: Sequence[str], kind: str) -> str:
    roles = len(guess_columns(names).columns)
    sure = _LIKELY if roles >= _NEEDED else _GUESS
    return f"a table, {plural(len(names), 'column')}, {kind}, {roles} of them known by name: {sure}"
