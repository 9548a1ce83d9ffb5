"""Detection of shifted columns of sacct: values that a field cannot contain."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.arrays import Mask
from engine.logs.sacct.prints.grammar import ID, TIME, FieldKind, kind_of
from engine.logs.sacct.usage import USAGE

if TYPE_CHECKING:
    import pyarrow as pa


_ISO = len("2015-06-26T13:57:00")
_MARKS = ((4, ord("-")), (7, ord("-")), (13, ord(":")), (16, ord(":")))
_FEW = 20  # the most values of a block that may be of another kind
_SHARE = 0.05  # of a block's values: if more are of another kind, the field does not match its name


class Watch:
    """Checks the values of columns, block by block, and learns which fields are reliable."""

    def __init__(self) -> None:
        self._off: set[str] = set()

    def is_on(self, name: str) -> bool:
        """True if values of this field were as expected in all blocks so far."""
        return name not in self._off

    def odd(self, columns: Mapping[str, pa.Array]) -> Mask:
        """True for rows with a value that its field cannot contain, shape (n,).

        `columns` have sacct's field names; usage is not checked. A field with many such values is ignored,
        also in later blocks: the site writes it in another format.
        """
        odd = np.zeros(len(columns["JobID"]), np.bool_)
        for name, column in columns.items():
            if name in self._off or name in USAGE or not kind_of(name).distinctive:
                continue
            bad = self._bad(kind_of(name), column)
            count = int(np.count_nonzero(bad))
            # So many odd values are not shifted lines but another way of writing.
            if count > max(_FEW, _SHARE * len(bad)):
                self._off.add(name)
            elif count:
                odd |= bad
        return odd

    def _bad(self, kind: FieldKind, column: pa.Array) -> Mask:
        if kind is TIME:
            return _no_times(column)
        if kind is ID:
            return ~_matches(column, kind)
        # Each different value is tested once.
        fine = _matches(column.dictionary, kind)
        if fine.all():
            return np.zeros(len(column), np.bool_)
        codes = np.asarray(column.indices.to_numpy(zero_copy_only=False))
        return np.asarray(~fine[codes], np.bool_)


def _no_times(column: pa.BinaryArray) -> Mask:
    """True for values that are not times, shape (n,)."""
    n = len(column)
    bad = np.zeros(n, np.bool_)
    buffers: list[Any] = column.buffers()
    if not n or buffers[2] is None:
        return bad
    offsets = np.frombuffer(buffers[1], np.int32)[column.offset : column.offset + n + 1]
    lengths = np.diff(offsets)
    # Texts of the usual length are tested by their marks alone, all rows at once.
    usual = lengths == _ISO
    data = np.frombuffer(buffers[2], np.uint8)
    begins = offsets[:-1][usual]
    for position, mark in _MARKS:
        bad[usual] |= data[begins + position] != mark
    others = np.flatnonzero(~usual & (lengths > 0))
    if len(others):
        bad[others] = ~_matches(column.take(others), TIME)
    return bad


def _matches(column: pa.BinaryArray, kind: FieldKind) -> Mask:
    """True for values of a kind, as Slurm prints them, shape (n,)."""
    import pyarrow.compute as pc

    found = pc.match_substring_regex(column, f"^(?:{kind.strict.pattern})$")
    return np.asarray(found.to_numpy(zero_copy_only=False), np.bool_)
