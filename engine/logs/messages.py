"""Messages of commands before a log, as written by `sacct ... > log 2>&1`."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from engine.logs.files.other_files import not_a_log
from engine.logs.files.parts import LogPart
from engine.trace.records import KEPT_LINES
from engine.trace.trace import Note

_HEAD = 1 << 14  # first bytes of a file that are examined
_MOST = 20  # lines before a log
_LEVEL = rb"(?:error|warning|warn|info|note|notice|fatal|debug\d?|verbose)"
_MESSAGE = re.compile(
    rb"\s*(?:%b:|[\w./-]{1,60}(?:\[\d{1,9}\])?(?:: %b:?| %b:)) " % (_LEVEL, _LEVEL, _LEVEL), re.IGNORECASE
)
_PROMPT = re.compile(
    rb"\s*(?:\[[\w.-]{1,40}@[^\]\n]{1,80}\]|[\w.-]{1,40}@[\w.-]{1,60}:[^$#\n]{0,80})[$#%>] ?"
)
_NUMBERS = re.compile(rb"\s*(?:[;#{\[]|-?[\d.]+\s)")  # how logs begin that no first line names


def blank_messages(
    text: NDArray[np.uint8], parts: Sequence[LogPart], recognises: Callable[[bytes], bool]
) -> Note:
    """Overwrite the text before the log in each file with blanks, so that line numbers stay.

    `recognises` returns True for the beginning of a log. Lines before such a beginning are messages, and so
    are lines of their usual form (`sacct: warning: ...`) at the very beginning. The note counts them.
    """
    lines: list[int] = []
    ends = [*(part.begin for part in parts[1:]), len(text)]
    for part, end in zip(parts, ends, strict=True):
        head = text[part.begin : min(end, part.begin + _HEAD)].tobytes()
        size = size_of_messages(head, recognises)
        before = head[:size].split(b"\n")
        lines += [part.line + k for k, line in enumerate(before) if line.strip()]
        found = text[part.begin : part.begin + size]
        found[found != ord("\n")] = ord(" ")
    words = "lines left out before the log begins: messages of a command, not jobs"
    return Note("messages", words, len(lines), tuple(lines[:KEPT_LINES]))


def size_of_messages(head: bytes, recognises: Callable[[bytes], bool]) -> int:
    """The number of bytes before the log in a text that begins like this."""
    starts = [0]
    while len(starts) <= _MOST and (end := head.find(b"\n", starts[-1])) >= 0:
        starts.append(end + 1)
    first = 0
    while first < len(starts) - 1 and _is_message(head[starts[first] : starts[first + 1]]):
        first += 1
    rest = head[starts[first] :]
    if not (_NUMBERS.match(rest) or not_a_log(rest) or recognises(rest) or _is_odd_table(rest)):
        for at in starts[first + 1 :]:
            if not head[at : at + 1].isspace() and recognises(head[at:]):
                return at
    return starts[first]


def _is_message(line: bytes) -> bool:
    return not line.strip() or any(kind.match(line) is not None for kind in (_MESSAGE, _PROMPT))


def _is_odd_table(head: bytes) -> bool:
    from engine.logs.tables.table import is_odd_table  # which loads what reads tables

    return is_odd_table(head)
