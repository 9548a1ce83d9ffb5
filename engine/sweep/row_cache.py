"""The cached rows of a study, a small file for each run, and the table of all its rows.

A stopped study continues with the runs without a file. Files are untrusted input: a file without exactly the
expected numbers counts as absent, and its run is repeated.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from engine.atomic import check_own_name, write_atomically
from engine.errors import InputError
from engine.input import read_text

Row = dict[str, str | float | int | None]
"""A run as a row of the table: trace, its conditions, policy, keys, metrics, seconds, and why it failed."""

WITHHELD = "not shown: "
"""How the error of a run begins that is not made, since it would mislead."""

_LONGEST_ROW = 1 << 20  # bytes of a file: some hundred metrics take 4 KB
_LARGEST_INTEGER = 1 << 62


def read_row(folder: Path, name: str, blank: Row, metrics: Sequence[str]) -> Row | None:
    """The cached row of a run; None where there is no valid one.

    `blank` is the row of the same run without its numbers: only numbers are taken from the file, which are
    finite or absent for each of the `metrics`.
    """
    try:
        row = json.loads(read_text(folder / f"{name}.json", _LONGEST_ROW))
    except (InputError, OSError, ValueError, RecursionError):
        return None
    # A row of another version has other columns: it is computed again.
    if not isinstance(row, dict) or set(row) != set(blank) or row["error"] != "":
        return None
    values = {metric: row[metric] for metric in metrics}
    seconds = row["seconds"]
    if not all(value is None or _is_number(value) for value in values.values()):
        return None
    if not _is_number(seconds) or seconds < 0:
        return None
    return {**blank, **values, "seconds": seconds}


def refuse_no_row(folder: Path, name: str) -> None:
    """Raise OSError where a link or anything but a regular file is in the place of a row."""
    check_own_name(folder / f"{name}.json")


def _is_number(value: object) -> bool:
    """True for a finite number of a JSON document that fits a 64-bit column."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return abs(value) < _LARGEST_INTEGER if isinstance(value, int) else math.isfinite(value)


def write_row(folder: Path, name: str, row: Row) -> None:
    """Store the row of a run in the cache. Raises OSError."""
    text = json.dumps(row)
    path = folder / f"{name}.json"
    write_atomically(path, lambda part: part.write_text(text, encoding="utf-8"), flush=False, own_name=True)


def forget_rows(folder: Path, older_than: float) -> None:
    """Remove rows that were written before a time, in seconds since 1970; what cannot be removed stays."""
    for path in folder.glob("*.json"):
        with suppress(OSError):
            if path.stat().st_mtime < older_than:
                path.unlink()


def write_results(rows: Sequence[Mapping[str, object]], path: Path) -> None:
    """The table of all runs, as Parquet, whole or not at all. Raises OSError."""
    import pyarrow as pa
    from pyarrow import parquet

    table = pa.Table.from_pylist([dict(row) for row in rows])
    write_atomically(path, lambda part: parquet.write_table(table, part), own_name=True)
