"""Lists of nodes as Slurm writes them: `c[001-096],fat01,r[0-1]n[03,05]`."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

from engine.errors import InputError
from engine.limits import MAX_NODES
from engine.words import clip

_PART = re.compile(r"[^,\[\]]*(?:\[[^\[\]]*\][^,\[\]]*)*")
_PIECE = re.compile(r"\[([^\[\]]*)\]")
_RANGE = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?", re.ASCII)
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
        room = most - len(names)
        for piece in pieces:
            choices.append(_numbers(piece, text, room))
            room //= len(choices[-1])
        if not room:
            raise InputError(f"{clip(text)!r} names over {most:,} nodes")
        literals = _PIECE.split(part)[::2]
        for chosen in itertools.product(*choices):
            names.append("".join(a + b for a, b in zip(literals, (*chosen, ""), strict=True)))
    return names


def _parts(text: str) -> Iterator[str]:
    """The parts between the commas outside of brackets."""
    at = 0
    while at < len(text):
        match = _PART.match(text, at)
        end = match.end() if match else at
        if end < len(text) and text[end] != ",":
            raise _unreadable(text, "a bracket is left open, or not opened")
        part = text[at:end].strip()
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
            raise _unreadable(text, f"{clip(word)!r} is no range of numbers")
        first, last = match[1], match[2] or match[1]
        count = int(last) - int(first) + 1
        if count < 1 or len(numbers) + count > most:
            raise _unreadable(text, f"{clip(word)!r} has no numbers, or too many")
        numbers += [str(number).zfill(len(first)) for number in range(int(first), int(last) + 1)]
    return numbers


def _unreadable(text: str, why: str) -> InputError:
    return InputError(f"cannot read the node list {clip(text)!r}: {why}")
