"""The usage of Slurm's jobs and steps, as columns of numbers: CPU time, memory, GPUs, energy."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from engine.arrays import Floats, Mask
from engine.logs.text.number_scan import scan_amounts, scan_lengths, text_bounds
from engine.trace.sentinels import INFINITE, NO_VALUE

if TYPE_CHECKING:
    import pyarrow as pa


_MOST = 1e15  # larger amounts mean "no value": Slurm writes 2^64 - 2 for a missing value
_UNITS = ("", "K", "M", "G", "T", "P", "E")
_NUMBER = r"(?P<n>[0-9]{1,18}(?:\.[0-9]{1,9})?)(?P<u>[KMGTPE]?)"
_AMOUNT = rf"^\s*{_NUMBER}B?\s*$"
_SECONDS = r"(?P<s>[0-9]{1,12}(?:\.[0-9]{1,9})?)"
_LENGTH = rf"^\s*(?:(?:(?:(?P<d>[0-9]{{1,7}})-)?(?P<h>[0-9]{{1,9}}):)?(?P<m>[0-9]{{1,9}}):)?{_SECONDS}\s*$"
_SCALE = (("d", 86_400.0), ("h", 3600.0), ("m", 60.0), ("s", 1.0))


def seconds(column: pa.Array) -> Floats:
    """Seconds of `1-02:03:04`, `02:03:04`, `03:04.567` or `4.5`, shape (n,); NaN for other texts."""
    letters, begin, end = text_bounds(column)
    found, good = scan_lengths(letters, begin, end)

    def slowly(others: pa.Array) -> Floats:
        import pyarrow.compute as pc

        parts = pc.extract_regex(others, _LENGTH)
        total = np.zeros(len(others))
        for part, scale in _SCALE:
            total += _floats(pc.struct_field(parts, part)) * scale
        return total

    return _with_others(column, found, ~good & (end > begin), slowly)


def bytes_of(column: pa.Array) -> Floats:
    """Bytes of `4408K` or `1.5G`, shape (n,); NaN for other texts. A number without unit is in bytes."""
    return _amounts(column, 1024.0)


def plain(column: pa.Array) -> Floats:
    """Numbers like `54156` or `54.16K`, with units of 1000, shape (n,); NaN for other texts."""
    return _amounts(column, 1000.0)


def of_tres(name: str, base: float) -> Callable[[pa.Array], Floats]:
    """A reader for a resource of TRES (`gres/gpuutil=87,mem=4408K`), with units as powers of `base`."""
    pattern = rf"(?:^|,)\s*(?i:{name})(?::[^=,]*)?={_NUMBER}"
    begins, inside = f"{name}=", f",{name}="

    def read(column: pa.Array) -> Floats:
        import pyarrow.compute as pc

        letters, begin, end = text_bounds(column)
        place = np.asarray(pc.find_substring(column, inside).fill_null(-1).to_numpy(zero_copy_only=False))
        first = np.asarray(pc.starts_with(column, begins).fill_null(False).to_numpy(zero_copy_only=False))
        there = first | (place >= 0)
        skipped = np.where(first, len(begins), place + len(inside))
        found, good = scan_amounts(letters, np.where(there, begin + skipped, end), end, base, listed=True)
        return _with_others(column, found, ~good & (end > begin), partial(_by_pattern, pattern, base))

    return read


def of_gpus(name: str, base: float) -> Callable[[pa.Array], Floats]:
    """A reader of an amount that few clusters have: a column in which its name never occurs is skipped."""
    read = of_tres(f"gres/{name}", base)

    def read_some(column: pa.Array) -> Floats:
        letters, begin, end = text_bounds(column)
        whole = letters[begin[0] : end[-1]].tobytes() if len(column) else b""
        return read(column) if name.encode() in whole.lower() else np.full(len(column), np.nan)

    return read_some


_READ: Mapping[str, Mapping[str, Callable[[pa.Array], Floats]]] = {
    "TotalCPU": {"cpu": seconds},
    "UserCPU": {"user_cpu": seconds},
    "SystemCPU": {"system_cpu": seconds},
    "MaxRSS": {"max_rss": bytes_of},
    "AveRSS": {"mean_rss": bytes_of},
    "NTasks": {"tasks": plain},
    "ConsumedEnergy": {"rounded_energy": plain},
    "ConsumedEnergyRaw": {"energy": plain},
    **{
        f"TRESUsageIn{field}": {
            f"{which}_mem": of_tres("mem", 1024.0),
            f"{which}_gpu": of_gpus("gpuutil", 1000.0),
            f"{which}_gpu_mem": of_gpus("gpumem", 1024.0),
        }
        for field, which in (("Tot", "total"), ("Max", "max"), ("Ave", "mean"))
    },
}

USAGE = tuple(_READ)
"""The fields of sacct for resources that jobs and steps used."""


_SAME = {"max_mem": "MaxRSS", "mean_mem": "AveRSS"}
"""Numbers that equal those of another field, if that is present."""


def read_usage(name: str, column: pa.Array, given: Collection[str] = ()) -> dict[str, Floats]:
    """The numbers in a field of USAGE, by their names, each of shape (n,), NaN if missing.

    `column` has texts or bytes, plain or as a dictionary. CPU times are s, memory is bytes, the use of GPUs %
    of one GPU, energy J. Numbers that other `given` fields have, too, are left out.
    """
    import pyarrow as pa

    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    readers = {key: read for key, read in _READ[name].items() if _SAME.get(key) not in given}
    if not pa.types.is_dictionary(column.type):
        return {key: read(_as_bytes(column)) for key, read in readers.items()}
    codes = np.asarray(column.indices.fill_null(-1).to_numpy(zero_copy_only=False))
    values = _as_bytes(column.dictionary)
    return {key: np.append(read(values), np.nan)[codes] for key, read in readers.items()}


def _as_bytes(column: pa.Array) -> pa.Array:
    import pyarrow as pa

    return column if column.type == pa.binary() else column.cast(pa.binary())


def _with_others(column: pa.Array, found: Floats, others: Mask, read: Callable[[pa.Array], Floats]) -> Floats:
    """The values found, shape (n,), and for the others those that `read` makes of them; NaN for absurd
    values.
    """
    rows = np.flatnonzero(others)
    if len(rows):
        found[rows] = read(column.take(rows))
    found[~(found < _MOST) | np.isin(found, (NO_VALUE, INFINITE))] = np.nan
    return found


def _amounts(column: pa.Array, base: float) -> Floats:
    """Numbers with a unit that is a power of `base`; NaN for other texts."""
    letters, begin, end = text_bounds(column)
    found, good = scan_amounts(letters, begin, end, base, listed=False)
    return _with_others(column, found, ~good & (end > begin), partial(_by_pattern, _AMOUNT, base))


def _by_pattern(pattern: str, base: float, column: pa.Array) -> Floats:
    """Numbers by a pattern with the groups `n` and `u`, a unit that is a power of `base`, or NaN."""
    import pyarrow as pa
    import pyarrow.compute as pc

    found = pc.extract_regex(column, pattern)
    unit = pc.index_in(pc.struct_field(found, "u"), value_set=pa.array(_UNITS).cast(column.type))
    power = np.asarray(unit.fill_null(0).to_numpy(zero_copy_only=False), np.float64)
    return _floats(pc.struct_field(found, "n")) * base**power


def _floats(column: pa.Array) -> Floats:
    """Digits as numbers, shape (n,); 0 for an empty text, NaN for null."""
    import pyarrow as pa
    import pyarrow.compute as pc

    texts = column.cast(pa.string())
    texts = pc.if_else(pc.equal(texts, ""), "0", texts)
    return np.asarray(texts.cast(pa.float64()).to_numpy(zero_copy_only=False), np.float64)
