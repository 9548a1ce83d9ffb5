"""Limits of queues: processors that the jobs of each hold at once, spelled or in a file of Alea's."""

from __future__ import annotations

import re
from pathlib import Path

from engine.errors import InputError
from engine.input import read_text
from engine.limits import MAX_SHARES_BYTES
from engine.words import clip

_LIMIT = re.compile(r"([^@;,\"\s]+)@(\d{1,9})", re.ASCII)


def limits_of(text: str) -> dict[str, int]:
    """The limit of each queue that has one; no queue for `none`."""
    return {queue: int(most) for queue, most in _LIMIT.findall(text)}


def canonical_limits(text: str) -> str:
    """Limits sorted by queue; a text that ends in `.queues` is a file of Alea's. Raises InputError."""
    if text == "none":
        return text
    if text.lower().endswith(".queues"):
        limits = read_alea_queues(Path(text))
    else:
        limits = {}
        for part in text.split(";"):
            match = _LIMIT.fullmatch(part.strip())
            if match is None or int(match[2]) == 0:
                raise InputError(
                    f"queue_limits cannot be {text!r}; spell it like short@64;long@128, none, or a file that "
                    "ends in .queues"
                )
            if match[1] in limits:
                raise InputError(f"queue_limits gives queue {match[1]} twice")
            limits[match[1]] = int(match[2])
    return ";".join(f"{queue}@{most}" for queue, most in sorted(limits.items())) or "none"


def read_alea_queues(path: Path) -> dict[str, int]:
    """The limits of queues in a file of the Alea simulator. Raises InputError.

    One line each, its fields apart by tabs: the queue's name, the processors that its jobs may hold, and a
    priority, which is not read; lines with a `;` at first are comments.
    """
    limits: dict[str, int] = {}
    for line, text in enumerate(read_text(path, MAX_SHARES_BYTES).split("\n"), 1):
        words = text.split()
        if not words or words[0].startswith(";"):
            continue
        if len(words) < 2 or not _LIMIT.fullmatch(f"{words[0]}@{words[1]}") or int(words[1]) == 0:
            raise InputError(f"{path}:{line}: expected a queue, its processors and a priority: {clip(text)}")
        if words[0] in limits:
            raise InputError(f"{path}:{line}: queue {clip(words[0])} is listed twice")
        limits[words[0]] = int(words[1])
    return limits
