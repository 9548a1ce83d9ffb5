"""Lines of numbers read block by block, with each field in the narrowest integers that hold it.

A log of millions of jobs takes a few times less memory this way than as 64-bit numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.logs.files.content import Progress
from engine.logs.text.tokens import FIELDS, KEPT_BAD, KEPT_HEADER, BadLine, Bytes, Tokens, tokenize

Numbers = NDArray[Any]
"""Integers of 8, 16, 32 or 64 bits."""

BLOCK = 1 << 24  # bytes of text read at once
_NEWLINE = ord("\n")


@dataclass(frozen=True, eq=False)
class NarrowTokens:
    """The contents of the lines of a file, as in `Tokens`, in narrower integers; n of them could be read."""

    fields: tuple[Numbers, ...]  # 18 columns, (n,) each; -1 where the line ends before the field
    fractions: Numbers  # (n,)
    line: Numbers  # (n,) line number, from 1
    width: Numbers  # (n,) fields read, at most 18
    has_more: NDArray[np.bool_]  # (n,) whether anything follows field 18
    header: tuple[str, ...]
    bad: int
    bad_lines: tuple[BadLine, ...]

    def __len__(self) -> int:
        return len(self.line)

    def field(self, number: int) -> Numbers:
        """Field 1 to 18 as the format numbers them, shape (n,)."""
        return self.fields[number - 1]

    def fraction(self, number: int) -> Numbers:
        """1 where a field was not a whole number, otherwise 0, shape (n,)."""
        return (self.fractions >> (number - 1)) & 1


def tokenize_narrow(text: Bytes, progress: Progress | None = None, block: int = BLOCK) -> NarrowTokens:
    """Read all lines of a text that ends in a newline, as `tokenize` does, a `block` of bytes at a time."""
    columns: list[list[Numbers]] = [[] for _ in range(FIELDS + 4)]
    header: list[str] = []
    bad = 0
    bad_lines: list[BadLine] = []
    begin = lines = 0
    while begin < len(text) or not columns[0]:  # an empty text is a block, too
        end = _line_end(text, begin + block)
        part = text[begin:end]
        tokens = tokenize(part)
        for pieces, column in zip(columns, _columns(tokens, lines), strict=True):
            pieces.append(column)
        header += tokens.header[: KEPT_HEADER - len(header)]
        bad += tokens.bad
        bad_lines += [
            BadLine(line.number + lines, line.text, line.problem)
            for line in tokens.bad_lines[: KEPT_BAD - len(bad_lines)]
        ]
        lines += int(np.count_nonzero(part == _NEWLINE))
        begin = end
        if progress is not None:
            progress(begin / max(len(text), 1))
    *fields, fractions, line, width, has_more = (_joined(pieces) for pieces in columns)
    return NarrowTokens(
        tuple(fields), fractions, line, width, has_more.astype(np.bool_), tuple(header), bad, tuple(bad_lines)
    )


def narrowest(values: Numbers) -> Numbers:
    """A copy in the narrowest signed integers that hold all values, shape (n,)."""
    low, high = int(values.min(initial=0)), int(values.max(initial=0))
    for kind in (np.int8, np.int16, np.int32):
        if np.iinfo(kind).min <= low and high <= np.iinfo(kind).max:
            return values.astype(kind)
    return values.astype(np.int64)


def _columns(tokens: Tokens, lines: int) -> tuple[Numbers, ...]:
    """The columns of a block that begins after so many lines."""
    return (
        *(narrowest(column) for column in tokens.fields),
        narrowest(tokens.fractions),
        narrowest(tokens.line + lines),
        narrowest(tokens.width),
        tokens.extra[0] >= 0,
    )


def _joined(pieces: list[Numbers]) -> Numbers:
    """The pieces in sequence; the list is emptied, so that only one column is held twice."""
    whole = pieces[0] if len(pieces) == 1 else np.concatenate(pieces)
    pieces.clear()
    return whole


def _line_end(text: Bytes, at: int) -> int:
    """The end of the line that holds byte `at`, behind its newline."""
    while at < len(text):
        found = text[at : at + BLOCK // 256].tobytes().find(b"\n")
        if found >= 0:
            return at + found + 1
        at += BLOCK // 256
    return len(text)
