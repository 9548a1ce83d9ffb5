"""Lists of nodes as Slurm writes them: `c[001-096],fat01,r[0-1]n[03,05]`."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from engine.errors import InputError
from engine.limits import MAX_NODES
from engine.words import clip

_PART = re.compile(r"[^,\[\]]*(?:\[[^\[\]]*\][^,\[\]]*)*")
_PIECE = re.compile(r"\[([^\[\]]*)\]")
_RANGE = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?", re.ASCII)
_NUMBERED = re.compile(r"(.*?)(\d{1,9})(\D*)", re.ASCII | re.DOTALL)
_MAX_NAME = 255
_MAX_BRACKETS = 8


def expand_hosts(text: str, most: int = MAX_NODES) -> list[str]:
    """The names of a list, in its order. Raises InputError where it cannot be read or has over `most`."""
    names: list[str] = []
    for part in _parts(text):
        pieces = _PIECE.findall(part)
        if len(pieces) > _MAX_BRACKETS:
            raise _unreadable(text, "too many brackets")
        choices: list[list[str]] = []
        # Brackets multiply: the bound is divided by each of them before names are made.
        room = most - len(names)
        for piece in pieces:
            choices.append(_numbers(piece, text, room))
            room //= len(choices[-1])
        if not room:
            raise InputError(f"{clip(text)!r} names over {most:,} nodes")
        literals = _PIECE.split(part)[::2]
        if len(choices) == 1:  # nearly all lists: a tenth of the time
            before, behind = literals
            names += [f"{before}{number}{behind}" for number in choices[0]]
            continue
        # With several brackets every combination is a name; the last bracket varies fastest.
        for chosen in itertools.product(*choices):
            names.append("".join(a + b for a, b in zip(literals, (*chosen, ""), strict=True)))
    return names


def compress_hosts(names: Sequence[str]) -> str:
    """The list of these names, in their order, with neighbouring numbers as ranges: `c[001-096],fat01`.

    `expand_hosts` reads it back where no name holds a comma, a bracket or a blank.
    """
    return compress_runs((stretch[0], stretch[-1]) for stretch in host_runs(names))


def compress_runs(runs: Iterable[tuple[str, str]]) -> str:
    """The list of the names in `host_runs`, each given by its first and its last name."""
    parts: list[str] = []
    around, ranges = ("", ""), list[str]()
    for first, last in runs:
        # A run of names is written as a range of the number in them, as long as prefix and suffix are the
        # same.
        begin, end = _around_number(first), _around_number(last)
        where = (begin[0], begin[2]) if begin else ("", "")
        # Another prefix or suffix, or none: the bracket is closed first.
        if ranges and (begin is None or where != around):
            parts.append(_with_numbers(around, ranges))
            ranges = []
        if begin is None or end is None:
            parts.append(first)
            continue
        around = where
        ranges.append(begin[1] if first == last else f"{begin[1]}-{end[1]}")
    if ranges:
        parts.append(_with_numbers(around, ranges))
    return ",".join(parts)


def _with_numbers(around: tuple[str, str], ranges: Sequence[str]) -> str:
    """A name with a number, or with several in brackets."""
    text = ",".join(ranges)
    number = text if len(ranges) == 1 and "-" not in text else f"[{text}]"
    return f"{around[0]}{number}{around[1]}"


def host_runs(names: Sequence[str]) -> Iterator[Sequence[str]]:
    """The stretches of names with consecutive numbers."""
    first = 0
    for k in range(1, len(names) + 1):
        if k == len(names) or names[k] != next_name(names[k - 1]):
            yield names[first:k]
            first = k


# The lists of a schedule have the names of a machine's nodes again and again.
@lru_cache(maxsize=1 << 14)
def next_name(name: str) -> str | None:
    """The name with the next number, as wide: `c010` after `c009`; None where it has no number."""
    parts = _around_number(name)
    if parts is None:
        return None
    before, number, behind = parts
    return f"{before}{str(int(number) + 1).zfill(len(number))}{behind}"


@lru_cache(maxsize=1 << 14)
def _around_number(name: str) -> tuple[str, str, str] | None:
    """What stands before a name's last number, the number, and what stands behind it; None without one."""
    match = _NUMBERED.fullmatch(name)
    return match and (match[1], match[2], match[3])


def _parts(text: str) -> Iterator[str]:
    """The parts between the commas outside of brackets."""
    at = 0
    while at < len(text):
        match = _PART.match(text, at)
        end = match.end() if match else at
        # The pattern ends early only at a bracket that does not close or open.
        if end < len(text) and text[end] != ",":
            raise _unreadable(text, "a bracket is left open, or not opened")
        part = text[at:end].strip()
        # The length counts outside of brackets: what is inside names many hosts.
        if len(re.sub(r"\[.*?\]", "", part)) > _MAX_NAME:
            raise _unreadable(text, "a name is too long")
        if part:
            yield part
        at = end + 1


def _numbers(piece: str, text: str, most: int) -> list[str]:
    """The numbers of a bracket, as wide as they are written."""
    numbers: list[str] = []
    for word in piece.split(","):
        match = _RANGE.fullmatch(word.strip())
        if match is None:
            raise _unreadable(text, f"{clip(word)!r} is not a range of numbers")
        first, last = match[1], match[2] or match[1]
        count = int(last) - int(first) + 1
        # The number is bounded before the list is made.
        if count < 1 or len(numbers) + count > most:
            raise _unreadable(text, f"{clip(word)!r} has no numbers, or too many")
        # Slurm keeps leading zeros: n[08-10] is n08, n09, n10.
        numbers += [str(number).zfill(len(first)) for number in range(int(first), int(last) + 1)]
    return numbers


def _unreadable(text: str, why: str) -> InputError:
    return InputError(f"cannot read the node list {clip(text)!r}: {why}")
