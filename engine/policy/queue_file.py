"""Limits and priorities of queues, given in a text or in a file of the Alea simulator."""

from __future__ import annotations

import re
from pathlib import Path

from engine.errors import InputError
from engine.input import read_text
from engine.limits import MAX_SHARES_BYTES
from engine.policy.key_values import OfQueues, of_queues
from engine.words import clip

_LIMIT = re.compile(r"([^@;,\"\s]+)@(\d{1,9})", re.ASCII)
_PRIORITY = re.compile(r"([^@;,\"\s]+)@(\d{1,9}(?:\.\d{1,6})?)", re.ASCII)


NO_LIMITS: OfQueues[int] = OfQueues((), "none")
"""No queue has a limit."""

BY_WALLTIME: OfQueues[float] = OfQueues((), "walltime")
"""No queue has a priority of its own."""


def read_limits(text: str) -> OfQueues[int]:
    """The limit of each queue; a text that ends in `.queues` is a file of Alea's. Raises InputError."""
    if text == NO_LIMITS.none:
        return NO_LIMITS
    if text.lower().endswith(".queues"):
        in_file = {queue: limit for queue, (limit, _) in read_alea_queues(Path(text)).items()}
        return of_queues(in_file, NO_LIMITS.none)
    limits = {
        queue: int(limit)
        for queue, limit in _pairs("queue_limits", text, _LIMIT, "short@64;long@128, none").items()
    }
    if 0 in limits.values():
        raise InputError(f"queue_limits cannot be {text!r}: a limit is at least 1")
    return of_queues(limits, NO_LIMITS.none)


def read_priorities(text: str) -> OfQueues[float]:
    """The priority of each queue; a text that ends in `.queues` is a file of Alea's. Raises InputError."""
    if text == BY_WALLTIME.none:
        return BY_WALLTIME
    if text.lower().endswith(".queues"):
        queues = {queue: priority for queue, (_, priority) in read_alea_queues(Path(text)).items()}
        if missing := [queue for queue, priority in queues.items() if not priority]:
            raise InputError(f"{text}: queue {clip(missing[0])} has no priority")
    else:
        queues = _pairs("queue_priority", text, _PRIORITY, "short@100;long@10, walltime")
    priorities = {queue: float(priority) for queue, priority in queues.items()}
    if not any(priorities.values()):
        raise InputError("queue_priority needs at least one that is above 0")
    return of_queues(priorities, BY_WALLTIME.none)


def read_alea_queues(path: Path) -> dict[str, tuple[int, str]]:
    """The limit and the priority of each queue in a file of the Alea simulator. Raises InputError.

    Each line has fields separated by tabs: the queue's name, the maximum number of processors of its jobs,
    and a priority, higher goes first, empty if none; lines that begin with `;` are comments.
    """
    queues: dict[str, tuple[int, str]] = {}
    for line, text in enumerate(read_text(path, MAX_SHARES_BYTES).split("\n"), 1):
        words = text.split()
        if not words or words[0].startswith(";"):
            continue
        # The priority may be missing.
        name, limit, priority = (*words, "", "")[:3]
        known = _LIMIT.fullmatch(f"{name}@{limit}") and int(limit) > 0
        if not known or (priority and not _PRIORITY.fullmatch(f"{name}@{priority}")):
            raise InputError(f"{path}:{line}: expected a queue, its processors and a priority: {clip(text)}")
        if name in queues:
            raise InputError(f"{path}:{line}: queue {clip(name)} is listed twice")
        queues[name] = (int(limit), priority)
    return queues


def _pairs(key: str, text: str, pattern: re.Pattern[str], like: str) -> dict[str, str]:
    """The number of each queue in a spelling. Raises InputError."""
    pairs: dict[str, str] = {}
    for part in text.split(";"):
        match = pattern.fullmatch(part.strip())
        if match is None:
            raise InputError(
                f"{key} cannot be {text!r}; spell it like {like}, or a file that ends in .queues"
            )
        if match[1] in pairs:
            raise InputError(f"{key} gives queue {match[1]} twice")
        pairs[match[1]] = match[2]
    return pairs
