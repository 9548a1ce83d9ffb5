"""Rows of slurmdbd's job table (`CLUSTER_job_table` of its database) in the fields of sacct."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.arrays import Mask
from engine.logs.text.clock_times import unix_times
from engine.logs.text.slurm_words import format_tasks
from engine.trace.sentinels import NO_VALUE_TEXTS, NO_VALUES

if TYPE_CHECKING:
    import pyarrow as pa

Columns = dict[str, Any]

STANDING: Mapping[str, tuple[str, ...]] = {
    "JobID": ("id_job",),
    "Submit": ("time_submit",),
    "Eligible": ("time_eligible",),
    "Start": ("time_start",),
    "End": ("time_end",),
    "User": ("user_name", "id_user"),
    "Group": ("id_group",),
    "QOS": ("id_qos",),
    "JobName": ("job_name",),
    "ReqCPUS": ("cpus_req",),
    "AllocCPUS": ("cpus_alloc",),
    "NNodes": ("nodes_alloc",),
    "Reservation": ("id_resv",),
    "SubmitLine": ("submit_line",),
    "AdminComment": ("admin_comment",),
    "SystemComment": ("system_comment",),
    "WorkDir": ("work_dir",),
}
"""Fields of sacct, and the columns of the table that hold them as they are, but for NULL; the first counts.

Columns of the same name in both, as `account` and `nodelist`, are known without this.
"""

OWN = (
    *("id_array_job", "id_array_task", "array_task_str", "het_job_id", "het_job_offset", "pack_job_id"),
    *("pack_job_offset", "mem_req", "tres_alloc", "tres_req", "time_suspended"),
)
"""Further columns of the table that are read."""

_NULL = frozenset((b"NULL", b"\\N", b"None", b"nan", b"<NA>"))
_NO_NUMBER = frozenset((b"", b"0", *NO_VALUE_TEXTS, *_NULL))
_NO_TASK = _NO_NUMBER - {b"0"}
_STATES = (
    *("PENDING", "RUNNING", "SUSPENDED", "COMPLETED", "CANCELLED", "FAILED", "TIMEOUT", "NODE_FAIL"),
    *("PREEMPTED", "BOOT_FAIL", "DEADLINE", "OUT_OF_MEMORY"),
)
_BASE, _REQUEUED, _RESIZING = 0xFF, 0x400, 0x2000  # of a state: its number, and flags
_RESOURCES = {1: "cpu", 2: "mem", 3: "energy", 4: "node", 5: "billing", 6: "fs/disk", 7: "vmem", 8: "pages"}
_RESOURCE = re.compile(r"(\d{1,9}|[a-z]\w{0,20}(?:/[\w:.-]{1,80})?)=(\d{1,20})", re.ASCII)
_PER_CPU_64, _PER_CPU_32 = 1 << 63, 1 << 31
_EXACT = 1 << 53
_SPECIAL = 16  # the largest numbers below a power of 2, some of which mean "no value"


def is_job_table(names: tuple[str, ...]) -> bool:
    """True if columns with these names, in lower case, are those of the job table."""
    return {"id_job", "time_submit"} <= set(names) and bool({"time_start", "time_end"} & set(names))


def sacct_columns(columns: Mapping[str, pa.Array]) -> Columns:
    """Columns of the table converted to the fields and words of sacct, shape (n,).

    The input are columns of bytes, named as in `STANDING` and `OWN`; names and words are dictionaries, JobID,
    and times as seconds since 1970, are binary arrays.
    """
    found: Columns = {}
    # First the columns that only have another name, then those that are written otherwise.
    for name, column in columns.items():
        if name not in OWN:
            found[name] = _each(column, _READERS.get(name, _or_nothing)) if _is_coded(column) else column
    for name, own in (("AllocTRES", "tres_alloc"), ("ReqTRES", "tres_req")):
        if own in columns:
            found[name] = _each(columns[own], _tres)
    if "mem_req" in columns:
        found["ReqMem"] = _each(columns["mem_req"], _memory)
    if "time_suspended" in columns:
        found["Suspended"] = _each(columns["time_suspended"], _suspended)
        # sacct's elapsed time is without the time in which the job was suspended.
        if {"Start", "End"} <= set(columns) and "Elapsed" not in columns:
            found["Elapsed"] = _elapsed(columns["Start"], columns["End"], found["Suspended"])
    found["JobID"] = _ids(columns)
    return found


def with_unnamed(columns: Mapping[str, pa.Array]) -> Mask:
    """The rows with resources (`1001=2`) whose names are the site's own, shape (n,)."""
    marked = np.zeros(len(columns["JobID"]), np.bool_)
    for name in ("tres_alloc", "tres_req"):
        if name in columns:
            odd = [_has_unnamed(value) for value in columns[name].dictionary.to_pylist()]
            codes = np.asarray(columns[name].indices.to_numpy(zero_copy_only=False))
            marked |= np.array(odd or [False], np.bool_)[codes]
    return marked


def _has_unnamed(value: bytes) -> bool:
    pairs = (_RESOURCE.fullmatch(part) for part in value.decode("ascii", "replace").split(","))
    return any(
        pair and pair[1].isdigit() and int(pair[1]) not in _RESOURCES and pair[2] != "0" for pair in pairs
    )


def _is_coded(column: pa.Array) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_dictionary(column.type))


def _each(column: pa.DictionaryArray, read: Callable[[bytes], bytes]) -> pa.DictionaryArray:
    """A dictionary with what `read` makes of its values."""
    import pyarrow as pa

    values = [read(value) for value in column.dictionary.to_pylist()]
    place: dict[bytes, int] = {}
    codes = np.array([place.setdefault(value, len(place)) for value in values] or [0], np.int32)
    indices = np.asarray(column.indices.to_numpy(zero_copy_only=False))
    return pa.DictionaryArray.from_arrays(pa.array(codes[indices]), pa.array(list(place), pa.binary()))


def _or_nothing(value: bytes) -> bytes:
    return b"" if value in _NULL else value


def _state(value: bytes) -> bytes:
    """The word for a number: `COMPLETED` of 3; words stay."""
    number = _number(value)
    if number is None:
        return _or_nothing(value)
    # Flags stand in the bits above the state.
    if number & _REQUEUED:
        return b"REQUEUED"
    base = number & _BASE
    if number & _RESIZING and not base:
        return b"RESIZING"
    return _STATES[base].encode() if base < len(_STATES) else value


def _limit(value: bytes) -> bytes:
    """A limit in minutes, or a word for "no limit"."""
    return b"UNLIMITED" if value in _NO_NUMBER else value


def _some(value: bytes) -> bytes:
    """The number; empty for 0, which means "no value"."""
    return b"" if value in _NO_NUMBER else value


def _memory(value: bytes) -> bytes:
    """`4000Mn` per node or `1000Mc` per CPU, which the highest bit marks; empty for all of a node.

    A number that was converted to floating point has lost the bits besides that bit.
    """
    number = _number(value)
    if number is None or (abs(number) > _EXACT and b"e" in value):
        return b""
    # A negative number is stored with the same bits as a large number without a sign.
    number %= 1 << 64
    per = b"n"
    # Newer versions of Slurm mark the amount of a CPU in the highest of 64 bits, older versions of 32.
    if number >= _PER_CPU_64:
        number, per = number - _PER_CPU_64, b"c"
    elif _PER_CPU_32 <= number < 2 * _PER_CPU_32:
        number, per = number - _PER_CPU_32, b"c"
    return b"%dM%b" % (number, per) if 0 < number < _PER_CPU_32 - _SPECIAL else b""


def _tres(value: bytes) -> bytes:
    return tres_words(value.decode("ascii", "replace")).encode()


def tres_words(text: str) -> str:
    """`cpu=4,mem=4000M` for `1=4,2=4000`; the site's own keep their numbers, named ones their names."""
    parts = []
    for part in text.split(","):
        pair = _RESOURCE.fullmatch(part.strip())
        if pair is None:
            continue
        name = _RESOURCES.get(int(pair[1]), pair[1]) if pair[1].isdigit() else pair[1]
        amount = int(pair[2])
        if amount < (1 << 63) and amount not in NO_VALUES:  # larger numbers mean "no value"
            parts.append(f"{name}={amount}{'M' if name in ('mem', 'vmem') else ''}")
    return ",".join(parts)


def _suspended(value: bytes) -> bytes:
    """Seconds of suspension; none for a job still suspended, whose column holds the time of suspension."""
    number = _number(value)
    return b"" if number is None or not 0 < number < 100_000_000 else f"0:0:{number}".encode()


def _elapsed(start: pa.BinaryArray, end: pa.BinaryArray, suspended: pa.DictionaryArray) -> pa.DictionaryArray:
    """Seconds from start to end without suspensions, for suspended jobs; empty for others."""
    import pyarrow as pa

    values = [int(value.rpartition(b":")[2] or 0) for value in suspended.dictionary.to_pylist()]
    codes = np.asarray(suspended.indices.to_numpy(zero_copy_only=False))
    # Only jobs that were suspended need it: for all others the times are enough.
    paused = np.array(values or [0], np.int64)[codes]
    begin = unix_times(start)
    ran = np.where((paused > 0) & (begin > 0), unix_times(end) - begin - paused, 0)
    return pa.array(
        [b"%d" % max(value, 0) if value > 0 else b"" for value in ran.tolist()]
    ).dictionary_encode()


def _number(value: bytes) -> int | None:
    """The integer in a text as databases or pandas write it; None for other texts."""
    text = value.decode("ascii", "replace").strip()
    text = text.removesuffix(".0")
    if not re.fullmatch(r"-?\d{1,20}", text, re.ASCII):
        try:
            return int(float(text)) if re.fullmatch(r"[\d.]{1,20}e\+?\d{1,2}", text, re.ASCII) else None
        except ValueError:
            return None
    return int(text)


_READERS: Mapping[str, Callable[[bytes], bytes]] = {
    "State": _state,
    "Timelimit": _limit,
    "Reservation": _some,
    "NNodes": _some,
    "ReqCPUS": _some,
    "AllocCPUS": _some,
    "Priority": _some,
}


def _ids(columns: Mapping[str, pa.Array]) -> pa.BinaryArray:
    """Ids in sacct's format: `12`, `12_7` of an array, `12_[8-9]` for the rest of an array, `12+1`."""
    import pyarrow as pa

    own = columns["JobID"]
    n = len(own)

    def texts(*names: str) -> list[bytes]:
        name = next((name for name in names if name in columns), None)
        if name is None:
            return [b""] * n
        # Whole numbers of a column with gaps may stand there as 12.0.
        values = [value.removesuffix(b".0") for value in columns[name].dictionary.to_pylist()]
        return [values[code] for code in columns[name].indices.to_pylist()]

    array, task, rest = texts("id_array_job"), texts("id_array_task"), texts("array_task_str")
    het, offset = texts("het_job_id", "pack_job_id"), texts("het_job_offset", "pack_job_offset")
    found = [_id(*cells) for cells in zip(own.to_pylist(), array, task, rest, het, offset, strict=True)]
    return pa.array(found, pa.binary())


def _id(own: bytes, array: bytes, task: bytes, rest: bytes, het: bytes, offset: bytes) -> bytes:
    if array not in _NO_NUMBER and task not in _NO_TASK:
        return array + b"_" + task
    if array not in _NO_NUMBER and rest not in _NULL and rest:
        return array + b"_" + format_tasks(rest.decode("utf-8", "replace")).encode()
    if het not in _NO_NUMBER and offset not in _NO_TASK:
        return het + b"+" + offset
    return own.removesuffix(b".0")
