"""Limits and priorities of queues, spelled or in a file of the Alea simulator."""

from __future__ import annotations

import re
from pathlib import Path

from engine.errors import InputError
from engine.input import read_text
from engine.limits import MAX_SHARES_BYTES
from engine.spelling import spell_number
from engine.words import clip

_LIMIT = re.compile(r"([^@;,\"\s]+)@(\d{1,9})", re.ASCII)
_PRIORITY = re.compile(r"([^@;,\"\s]+)@(\d{1,9}(?:\.\d{1,6})?)", re.ASCII)


def limits_of(text: str) -> dict[str, int]:
    """The limit of each queue that has one; no queue for `none`."""
    return {queue: int(most) for queue, most in _LIMIT.findall(text)}


def priorities_of(text: str) -> dict[str, float]:
    """The priority of each queue that has one; no queue for `walltime`."""
    return {queue: float(number) for queue, number in _PRIORITY.findall(text)}


def canonical_limits(text: str) -> str:
    """Limits sorted by queue; a text that ends in `.queues` is a file of Alea's. Raises InputError."""
    if text == "none":
        return text
    if text.lower().endswith(".queues"):
        limits = {queue: limit for queue, (limit, _) in read_alea_queues(Path(text)).items()}
        return ";".join(f"{queue}@{limit}" for queue, limit in sorted(limits.items())) or "none"
    found = _spelled("queue_limits", text, _LIMIT, "short@64;long@128, none")
    if "0" in {str(int(number)) for number in found.values()}:
        raise InputError(f"queue_limits cannot be {text!r}: a limit is at least 1")
    return ";".join(f"{queue}@{int(found[queue])}" for queue in sorted(found))


def canonical_priorities(text: str) -> str:
    """Priorities sorted by queue; a text that ends in `.queues` is a file of Alea's. Raises InputError."""
    if text == "walltime":
        return text
    if text.lower().endswith(".queues"):
        found = {queue: priority for queue, (_, priority) in read_alea_queues(Path(text)).items()}
        if missing := [queue for queue, priority in found.items() if not priority]:
            raise InputError(f"{text}: queue {clip(missing[0])} has no priority")
    else:
        found = _spelled("queue_priority", text, _PRIORITY, "short@100;long@10, walltime")
    if not any(map(float, found.values())):
        raise InputError("queue_priority needs at least one that is above 0")
    return ";".join(f"{queue}@{spell_number(float(found[queue]))}" for queue in sorted(found))


def read_alea_queues(path: Path) -> dict[str, tuple[int, str]]:
    """The limit and the priority of each queue in a file of the Alea simulator. Raises InputError.

    One line each, its fields apart by tabs: the queue's name, the processors that its jobs may hold, and a
    priority, the higher the sooner, empty where there is none; lines with a `;` at first are comments.
    """
    queues: dict[str, tuple[int, str]] = {}
    for line, text in enumerate(read_text(path, MAX_SHARES_BYTES).split("\n"), 1):
        words = text.split()
        if not words or words[0].startswith(";"):
            continue
        name, limit, priority = (*words, "", "")[:3]
        known = _LIMIT.fullmatch(f"{name}@{limit}") and int(limit) > 0
        if not known or (priority and not _PRIORITY.fullmatch(f"{name}@{priority}")):
            raise InputError(f"{path}:{line}: expected a queue, its processors and a priority: {clip(text)}")
        if name in queues:
            raise InputError(f"{path}:{line}: queue {clip(name)} is listed twice")
        queues[name] = (int(limit), priority)
    return queues


def _spelled(key: str, text: str, pattern: re.Pattern[str], like: str) -> dict[str, str]:
    """The number of each queue in a spelling. Raises InputError."""
    found: dict[str, str] = {}
    for part in text.split(";"):
        match = pattern.fullmatch(part.strip())
        if match is None:
            raise InputError(
                f"{key} cannot be {text!r}; spell it like {like}, or a file that ends in .queues"
            )
        if match[1] in found:
            raise InputError(f"{key} gives queue {match[1]} twice")
        found[match[1]] = match[2]
    return found
