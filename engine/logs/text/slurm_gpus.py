"""GPUs of Slurm's jobs, by the names that sites give them, and parts of GPUs that are no resource here."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.limits import MAX_EXTRA
from engine.slurm.values.gres import gres_parts
from engine.trace.names import Names
from engine.trace.records import note_lines
from engine.trace.trace import Note
from engine.words import clip

_SLICE = re.compile(r"(?<![0-9a-z])\d{1,2}g[._-]?\d{1,4}gb(?![0-9a-z])", re.ASCII)

_MOST_KINDS = 20  # that a note lists
_SHARED = ("shard", "mps")
"""Resources that are parts of a GPU which several jobs share."""


def gpus_of(text: str) -> int:
    """GPUs in TRES (`gres/gpu=4,gres/gpu:nvidia:a100=4`) or GRES (`gpu:a100:4(IDX:0-3)`).

    Where both the GPUs of each kind and all of them are named, they are counted once. A slice of a
    GPU (MIG) counts as a GPU.
    """
    kinds = gpu_kinds(text)
    plain = kinds.pop("", 0)
    return min(max(plain, sum(kinds.values())), MAX_EXTRA)


def gpu_kinds(text: str) -> dict[str, int]:
    """GPUs by kind, in lower case, such as `nvidia:a100` or `1g.10gb`; the empty name has the total.

    A name without a number (`gpu`, `gpu:a100`) means 1.
    """
    kinds: dict[str, int] = {}
    if "gpu" not in text.lower():
        return kinds
    for _, gres in gres_parts(text):
        if gres is not None and gres.name == "gpu":
            kinds[gres.type] = kinds.get(gres.type, 0) + gres.count
    return kinds


def is_slice(kind: str) -> bool:
    """True if a kind of GPUs is a slice of a GPU (MIG), such as `1g.10gb` or `a100_3g.20gb`."""
    return _SLICE.search(kind) is not None


def slices_note(columns: Sequence[Names], line: NDArray[np.int64]) -> Note:
    """A note on the slices of GPUs (MIG), by kind, that are counted as GPUs, and their jobs.

    For each job the first of these `columns` (of n jobs, like `line`) with any GPUs is used.
    """
    total: dict[str, int] = {}
    marked, known = np.zeros(len(line), np.bool_), np.zeros(len(line), np.bool_)
    for column in columns:
        kinds = [gpu_kinds(text) for text in column.names]
        here = ~known & np.array([bool(found) for found in kinds], np.bool_)[column.codes]
        sliced = np.array([any(map(is_slice, found)) for found in kinds], np.bool_)
        known |= here
        marked |= here & sliced[column.codes]
        times = np.bincount(column.codes[here], minlength=len(kinds))
        for k in np.flatnonzero(sliced & (times > 0)).tolist():
            for kind, count in kinds[k].items():
                if is_slice(kind):
                    total[kind] = total.get(kind, 0) + count * int(times[k])
    shown = ", ".join(f"{count:,} {clip(kind, 40)}" for kind, count in sorted(total.items())[:_MOST_KINDS])
    return note_lines("gpu_slices", f"slices of GPUs (MIG), each counted as a GPU: {shown}", marked, line)


def shared_gpus_note(columns: Sequence[Names], line: NDArray[np.int64]) -> Note:
    """A note on the parts of GPUs (shards, percentages of MPS) that n jobs shared with others, by their name.

    They are left out: a job with such a part has no GPU for itself, and the log does not say which of them
    lay on the same GPU. `columns` and `line` are as in `slices_note`.
    """
    total: dict[str, int] = {}
    marked, known = np.zeros(len(line), np.bool_), np.zeros(len(line), np.bool_)
    for column in columns:
        parts = [_shared_parts(text) for text in column.names]
        # The first column that names any counts: what was asked for is in a further column once more.
        here = ~known & np.array([bool(shared) for shared in parts], np.bool_)[column.codes]
        known |= here
        marked |= here
        times = np.bincount(column.codes[here], minlength=len(parts))
        for k in np.flatnonzero(times > 0).tolist():
            for name, count in parts[k].items():
                total[name] = total.get(name, 0) + count * int(times[k])
    amounts = ", ".join(f"{count:,} {name}" for name, count in sorted(total.items()))
    text = f"parts of GPUs that jobs share, left out: no job is held back ({amounts})"
    return note_lines("gpu_parts", text, marked, line)


def _shared_parts(text: str) -> dict[str, int]:
    """Amounts of shards and MPS in TRES or GRES, without those of a single type beside their total."""
    amounts: dict[str, dict[str, int]] = {}
    if not any(name in text for name in _SHARED):
        return {}
    for _, gres in gres_parts(text):
        if gres is not None and gres.name in _SHARED:
            kinds = amounts.setdefault(gres.name, {})
            kinds[gres.type] = kinds.get(gres.type, 0) + gres.count
    # As of GPUs: either the amount of all types is named, or each type's, or both.
    return {
        name: max(kinds.get("", 0), sum(count for kind, count in kinds.items() if kind))
        for name, kinds in amounts.items()
    }
