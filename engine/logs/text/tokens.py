"""The numbers of a trace in the Standard Workload Format, line by line, in one compiled pass."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Ints
from engine.compiler.kernels import kernel
from engine.logs.files.content import Progress

Bytes = NDArray[np.uint8]

FIELDS = 18
MIN_FIELDS = 11
"""A line needs the fields up to the status; further missing fields are -1."""

MAX_DIGITS = 15
"""Before the decimal point: whatever a log counts is shorter, and sums stay far from overflow."""

KEPT_BAD = 100
KEPT_HEADER = 10_000

_UNSET_DIGITS, _UNSET_VALUE, _UNSET_REST = 20, 184_467_440_737_095, 51_614
"""2^64 - 2, which like 2^64 - 1 means no value: its digits, the first MAX_DIGITS of them, and the others."""
_FINE, _NO_NUMBER, _TOO_LONG, _TOO_FEW = range(4)
_PROBLEMS = ("", "is not a number", f"has more than {MAX_DIGITS} digits", "is missing")

_BLOCK = 1 << 22  # bytes a call, about 20 ms: how long a cancel waits
_NEWLINE, _RETURN, _SPACE, _TAB, _SEMICOLON = 10, 13, 32, 9, 59
_PLUS, _MINUS, _POINT, _ZERO = 43, 45, 46, 48


@dataclass(frozen=True)
class BadLine:
    """A line that could not be read: its number from 1, its text, and why."""

    number: int
    text: str
    problem: str


@dataclass(frozen=True, eq=False)
class Tokens:
    """The contents of the lines of a file; n of them could be read.

    Numbers are rounded down; bit k of `fractions` is set if field k + 1 was not whole.
    """

    fields: Ints  # (18, n); -1 where the line ends before the field
    fractions: Ints  # (n,)
    line: Ints  # (n,) line number, from 1
    width: Ints  # (n,) fields read, at most 18
    extra: Ints  # (2, n) offset of the rest after field 18, or -1; offset of the line's end
    header: tuple[str, ...]  # the lines that begin with a semicolon, without it
    bad: int  # lines that could not be read
    bad_lines: tuple[BadLine, ...]  # the first of them

    def __len__(self) -> int:
        return len(self.line)

    def field(self, number: int) -> Ints:
        """Field 1 to 18 as the format numbers them, shape (n,)."""
        column: Ints = self.fields[number - 1]
        return column

    def fraction(self, number: int) -> Ints:
        """1 where a field was not a whole number, otherwise 0, shape (n,)."""
        return (self.fractions >> (number - 1)) & 1


def tokenize(text: Bytes, progress: Progress | None = None) -> Tokens:
    """Read all lines of a text that ends in a newline.

    Fields are whole or decimal numbers between blanks. Empty lines are skipped; a line
    with any other field among the first 18, or with fewer than 11 fields, is a bad line.
    """
    rows = min(int(_count_lines(text)), len(text) // (2 * MIN_FIELDS) + 1)
    out = _Out(
        fields=np.empty((FIELDS, rows), np.int64),
        fractions=np.empty(rows, np.int64),
        line=np.empty(rows, np.int64),
        width=np.empty(rows, np.int64),
        extra=np.empty((2, rows), np.int64),
        header=np.empty(KEPT_HEADER, np.int64),
        bad=np.empty((4, KEPT_BAD), np.int64),
        counts=np.zeros(4, np.int64),
    )
    at = 0
    while at < len(text):
        at = int(_scan(text, at, min(at + _BLOCK, len(text)), out))
        if progress is not None:
            progress(at / len(text))
    _, n, headers, bad = out.counts.tolist()
    return Tokens(
        out.fields[:, :n],
        out.fractions[:n],
        out.line[:n],
        out.width[:n],
        out.extra[:, :n],
        tuple(_text_of(text, at)[1:] for at in out.header[:headers].tolist()),
        bad,
        tuple(_bad_line(text, *column) for column in out.bad[:, :bad].T.tolist()),
    )


def _text_of(text: Bytes, start: int) -> str:
    """The line that begins there, as a single line of printable characters."""
    line = text[start : start + 1000].tobytes().split(b"\n", 1)[0].decode("utf-8", "replace")
    return "".join(c if c.isprintable() else " " for c in line).rstrip()


def _bad_line(text: Bytes, number: int, start: int, problem: int, field: int) -> BadLine:
    return BadLine(number, _text_of(text, start).strip(), f"field {field} {_PROBLEMS[problem]}")


class _Out(NamedTuple):
    """The output of the kernel: the arrays of Tokens, and the places of header and bad lines."""

    fields: Ints  # as `Tokens.fields`
    fractions: Ints  # as `Tokens.fractions`
    line: Ints  # as `Tokens.line`
    width: Ints  # as `Tokens.width`
    extra: Ints  # as `Tokens.extra`
    header: Ints  # where each begins
    bad: Ints  # (4, kept) line number, where it begins, problem, field
    counts: Ints  # lines, lines that could be read, header lines, bad lines


@kernel
def _count_lines(text: Bytes) -> int:
    lines = 0
    for i in range(len(text)):
        lines += text[i] == _NEWLINE
    return lines


@kernel
def _scan(text: Bytes, start: int, stop: int, out: _Out) -> int:
    """Read the lines that begin before `stop`; returns the start of the next line.

    The newline at the end of the text ends every search.
    """
    i = start
    while i < stop:
        begin = i
        out.counts[0] += 1
        i = _skip_blanks(text, i)
        # A line that begins with a semicolon belongs to the header, of which only so many lines are kept.
        if text[i] == _SEMICOLON:
            if out.counts[2] < len(out.header):
                out.header[out.counts[2]] = i
                out.counts[2] += 1
        elif text[i] != _NEWLINE:
            i = _read_line(text, begin, i, out)
        i = _line_end(text, i) + 1
    return i


@kernel
def _read_line(text: Bytes, begin: int, i: int, out: _Out) -> int:
    """Read a line's fields from byte i into the next row; returns the position after them."""
    row = out.counts[1]
    count = 0
    fractions = 0
    problem = _FINE
    while text[i] != _NEWLINE and count < FIELDS:
        i, value, fraction, problem = _read_number(text, i)
        if problem != _FINE:
            break
        out.fields[count, row] = value
        fractions |= fraction << count
        count += 1
        i = _skip_blanks(text, i)
    if problem == _FINE and count < MIN_FIELDS:
        problem = _TOO_FEW
    if problem != _FINE:
        bad = out.counts[3]
        if bad < out.bad.shape[1]:
            out.bad[0, bad] = out.counts[0]
            out.bad[1, bad] = begin
            out.bad[2, bad] = problem
            out.bad[3, bad] = count + 1
        out.counts[3] += 1
        return i
    # Fields that a short line lacks are unknown, as the standard format writes it.
    for k in range(count, FIELDS):
        out.fields[k, row] = -1
    out.fractions[row] = fractions
    out.line[row] = out.counts[0]
    out.width[row] = count
    out.extra[0, row] = -1 if text[i] == _NEWLINE else i
    out.extra[1, row] = _line_end(text, i)
    out.counts[1] += 1
    return i


@kernel
def _read_number(text: Bytes, i: int) -> tuple[int, int | np.int64, int, int]:
    """The end of the field that begins at byte i, its floor, True if it has a fraction, and its error."""
    negative = text[i] == _MINUS
    if negative or text[i] == _PLUS:
        i += 1
    first = i
    value: int | np.int64 = 0
    rest: int | np.int64 = 0
    # Digits beyond what an integer holds are kept apart: they only decide whether this is the number that
    # writers print for "not set".
    while _is_digit(text[i]):
        if i - first < MAX_DIGITS:
            value = value * 10 + (np.int64(text[i]) - _ZERO)
        elif i - first < _UNSET_DIGITS:
            rest = rest * 10 + (np.int64(text[i]) - _ZERO)
        i += 1
    whole = i - first
    decimals = 0
    fraction = 0
    if text[i] == _POINT:
        i += 1
        after = i
        while _is_digit(text[i]):
            if text[i] != _ZERO:
                fraction = 1
            i += 1
        decimals = i - after
    # A sign or a point alone, or letters after the digits, are no number.
    if whole + decimals == 0 or not (_is_blank(text[i]) or text[i] == _NEWLINE):
        return i, 0, 0, _NO_NUMBER
    # The largest unsigned number, or the one before it, stands for a missing value.
    if whole == _UNSET_DIGITS and value == _UNSET_VALUE and _UNSET_REST <= rest <= _UNSET_REST + 1:
        return i, -1, 0, _FINE
    if whole > MAX_DIGITS:
        return i, 0, 0, _TOO_LONG
    # The floor: of a negative number with a fraction it is the next integer below.
    return i, (-value - fraction if negative else value), fraction, _FINE


@kernel
def _skip_blanks(text: Bytes, i: int) -> int:
    while _is_blank(text[i]):
        i += 1
    return i


@kernel
def _line_end(text: Bytes, i: int) -> int:
    while text[i] != _NEWLINE:
        i += 1
    return i


@kernel
def _is_blank(c: int) -> bool:
    return c in (_SPACE, _TAB, _RETURN)


@kernel
def _is_digit(c: int) -> bool:
    return _ZERO <= c < _ZERO + 10
