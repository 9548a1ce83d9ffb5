"""A line that compares the start of a job with other runs: each run by name, or as many as fit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from views.data.changes import format_change
from views.text.counts import format_count, plural
from views.text.values import duration

_THAN = {-1: "earlier than", 0: "as", 1: "later than"}


class Shift(NamedTuple):
    """By how much a job starts later (s; negative: earlier) than in another run, and what that is called."""

    change: int
    name: str


def shift_words(job: str, shifts: Sequence[Shift]) -> Iterator[str]:
    """Wordings for a job, from the most detailed to plain counts; each with its name first, then without it.

    `Job 7: 2 h later than fcfs, 3 min later than easy`, `Job 7: later than fcfs (2 h), easy (3 min)`, `Job 7:
    later than fcfs (2 h) and 1 more`, `Later than 2 runs`. All of them separate earlier, equal and later
    runs.
    """
    whole = [f"{format_change(shift.change)} than" if shift.change else "as" for shift in shifts]
    wordings = [", ".join(f"{message} {shift.name}" for message, shift in zip(whole, shifts, strict=True))]
    wordings += [_grouped(shifts, named) for named in range(len(shifts), -1, -1)]
    for words in wordings:
        yield f"Job {job}: {words}"
        yield words[0].upper() + words[1:]


def _way(change: int) -> int:
    return int(np.sign(change))


def _grouped(shifts: Sequence[Shift], named: int) -> str:
    """The first runs by name, the others counted; earlier, equal and later runs are separate."""
    lines: list[str] = []
    for way in dict.fromkeys(_way(shift.change) for shift in shifts):
        names = [_named(shift) for shift in shifts[:named] if _way(shift.change) == way]
        more = sum(_way(shift.change) == way for shift in shifts) - len(names)
        if names and more:
            names[-1] += f" and {format_count(more)} more"
        counted = format_count(more) if lines and not named else plural(more, "run")  # runs are named once
        lines.append(f"{_THAN[way]} {', '.join(names) or counted}")
    return ", ".join(lines)


def _named(shift: Shift) -> str:
    return f"{shift.name} ({duration(abs(shift.change))})" if shift.change else shift.name
