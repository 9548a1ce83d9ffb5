"""The places where a text names the fields of sacct: its first line, and the beginning of each further
dump.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from engine.logs.sacct.prints.heads import LOOKED_AT, MAX_LINE, Head, head_of

_NAMES = (b"JobID", b"jobid", b"JOBID", b"JobId", b"Jobid", b"id_job", b"ID_JOB")


@dataclass(frozen=True)
class HeadPlace:
    """A place where a text names its fields: a range of bytes, whole lines."""

    head: Head
    begin: int
    end: int


def find_head(text: bytes) -> HeadPlace | None:
    """The lines that name fields of sacct where a text begins with such; None where it does not."""
    begin = text.rfind(b"\n", 0, len(text) - len(text.lstrip())) + 1
    head = head_of(_lines(text, begin))
    return None if head is None else _place(text, begin, head)


def heads_in(text: bytes, known: dict[bytes, Head]) -> Iterator[HeadPlace]:
    """The lines in the middle of a text that name fields of sacct, as at the beginning of a further file.

    `known` are the heads of lines found so far; new heads are added.
    """
    found: list[int] = []
    # Searching for bytes is far faster than splitting the text into lines: only lines with such a name are
    # looked at.
    for name in _NAMES:
        at = text.find(name)
        while at >= 0:
            found.append(at)
            at = text.find(name, at + 1)
    behind = 0
    for at in sorted(found):
        # Several names on the same line are a single place.
        if at < behind:
            continue
        begin = text.rfind(b"\n", 0, at) + 1
        end = text.find(b"\n", at)
        line = text[begin : end if end >= 0 else len(text)]
        behind = begin + len(line)
        head = known.get(line)
        # Names alone may stand in a job's own name: without a submission it is no head.
        if head is None and b"submit" in line.lower() and (head := head_of(_lines(text, begin))) is not None:
            known[line] = head
        if head is not None:
            yield _place(text, begin, head)


def _lines(text: bytes, begin: int) -> list[str]:
    """The line that begins there, and some lines after it."""
    end = begin
    for _ in range(LOOKED_AT + 2):
        found = text.find(b"\n", end, begin + MAX_LINE)
        if found < 0:
            break
        end = found + 1
    piece = text[begin : end if end > begin else begin + MAX_LINE]
    return [line.rstrip("\r") for line in piece.decode("utf-8", "replace").rstrip("\n").split("\n")]


def _place(text: bytes, begin: int, head: Head) -> HeadPlace:
    end = begin
    for _ in range(head.lines):
        found = text.find(b"\n", end)
        end = found + 1 if found >= 0 else len(text)
    return HeadPlace(head, begin, end)
