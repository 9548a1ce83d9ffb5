"""Fields of sacct that are derived from others, or are in another unit than Slurm prints."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.arrays import Ints, Mask
from engine.limits import MAX_TASK_RAM
from engine.logs.text.lengths import seconds_of
from engine.trace.sentinels import NO_VALUE, NO_VALUES
from engine.trace.trace import MISSING

if TYPE_CHECKING:
    import pyarrow as pa

Columns = dict[str, Any]

CPU_TIMES = ("CPUTimeRAW", "CPUTime")
"""Elapsed time times the processors of a job; the first that there is counts."""

_ALLOCATED = ("AllocCPUS", "NCPUS", "AllocTRES", "tres_alloc")
_BYTES = re.compile(r"(\d{10,18})(?:\.0*)?", re.ASCII)
_TEN_YEARS = 10 * 365 * 86_400  # s
_TWO_DAYS = 2 * 86_400  # s
_LAST_32_BITS = (1 << 32) - _TWO_DAYS


def cpu_time_field(fields: tuple[str, ...]) -> str | None:
    """The field from which to derive the processors of jobs; None if not needed, or if there is none."""
    if set(_ALLOCATED) & set(fields) or "Elapsed" not in fields:
        return None
    return next((name for name in CPU_TIMES if name in fields), None)


def with_processors(columns: Mapping[str, pa.Array]) -> Columns:
    """The columns with AllocCPUS derived from CPU times and elapsed times, if nothing else has it."""
    found = dict(columns)
    cpu = next((found.pop(name) for name in CPU_TIMES if name in found), None)
    if cpu is None or "Elapsed" not in found:
        return found
    total, elapsed = _seconds(cpu), _seconds(found["Elapsed"])
    count = np.where((total > 0) & (elapsed > 0), (total + elapsed // 2) // np.maximum(elapsed, 1), 0)
    found["AllocCPUS"] = _coded([b"%d" % value if value else b"" for value in count.tolist()])
    return found


def with_memory_units(columns: Mapping[str, pa.Array]) -> tuple[Columns, Mask]:
    """The columns with a unit to amounts of ReqMem that have none and are larger than any in MiB: bytes.

    Also which rows had such, shape (n,).
    """
    import pyarrow as pa

    column = columns.get("ReqMem")
    n = len(columns["JobID"])
    if column is None:
        return dict(columns), np.zeros(n, np.bool_)
    # The column is a dictionary: each different text is read once.
    values = column.dictionary.to_pylist()
    sizes = [_bytes_of(value) for value in values]
    if not any(sizes):
        return dict(columns), np.zeros(n, np.bool_)
    # Rounded up to KiB, a unit that all readers know.
    texts = [
        b"%dK" % (-(-size // 1024)) if size else value for size, value in zip(sizes, values, strict=True)
    ]
    codes = np.asarray(column.indices.to_numpy(zero_copy_only=False))
    coded = pa.array(texts, pa.binary()).dictionary_encode()
    indices = np.asarray(coded.indices.to_numpy(zero_copy_only=False))[codes]
    memory = pa.DictionaryArray.from_arrays(pa.array(indices), coded.dictionary)
    return {**columns, "ReqMem": memory}, np.array([size > 0 for size in sizes], np.bool_)[codes]


def real_times(times: Mapping[str, Ints]) -> dict[str, Ints]:
    """Times without placeholders: the beginning of 1970 in a log of later years, and about 2^32 s.

    Databases and tables write 0 for a job that has not started, which appears as a time of 1970 in some time
    zone; Slurm writes 2^32 - 1 and 2^32 - 2 for no value. Shape (n,) each.
    """
    submit = times.get("Submit")
    late = None if submit is None else submit > _TEN_YEARS
    found = {}
    for name, column in times.items():
        none = column >= _LAST_32_BITS
        if name == "Submit":
            none &= column < NO_VALUE  # such submissions have a note and a rule of cleaning
        if submit is not None and late is not None and name != "Submit":
            none &= submit < _LAST_32_BITS - _TEN_YEARS
            none |= late & (column >= 0) & (column < _TWO_DAYS)
        found[name] = np.where(none, MISSING, column) if none.any() else column
    return found


def _bytes_of(value: bytes) -> int:
    """The bytes of an amount that has no unit and is too large for MiB; otherwise 0."""
    match = _BYTES.fullmatch(value.decode("ascii", "replace").strip())
    size = int(match[1]) if match else 0
    return size if size > MAX_TASK_RAM and size not in NO_VALUES else 0


def _seconds(column: pa.DictionaryArray) -> Ints:
    """Seconds of a column of durations, shape (n,); MISSING for other texts."""
    values = (
        seconds_of(value.decode("ascii", "replace"), alone=1) for value in column.dictionary.to_pylist()
    )
    found = np.array([MISSING if value is None else value for value in values] or [MISSING], np.int64)
    codes = np.asarray(column.indices.to_numpy(zero_copy_only=False))
    return np.asarray(found[codes], np.int64)


def _coded(values: list[bytes]) -> pa.DictionaryArray:
    import pyarrow as pa

    return pa.array(values, pa.binary()).dictionary_encode()
