"""The places that lines from the selected job lead to: jobs that it overtook by backfilling, jobs that
overtook it, and its own places in other runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from engine.schedule.backfills import NOBODY
from views.data.changes import format_change
from views.data.gantt.backfills import Backfills
from views.data.gantt.data import GanttData
from views.data.other_run import OtherRun
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


MOST = 50
"""Maximum number of lines to jobs that overtook the selected job."""

Point = tuple[float, float]
"""A time in s, and a row."""


class Arrow(NamedTuple):
    """An arrow from a job to a job that it overtook; `own` if the selected job is the first of them."""

    begin: Point
    end: Point
    own: bool


class MovedJob(NamedTuple):
    """The place of a job in another run, on the rows `top` to `bottom` that it has in the shown run.

    The job ran from `begin` to `end` there (s); the arrow to its start `here` is on the row `row`.
    """

    begin: float
    end: float
    here: float
    top: float
    bottom: float
    row: float
    colour: str


def overtaken(data: GanttData, backfills: Backfills, job: int) -> tuple[list[Arrow], str]:
    """Arrows from a backfilled job to the job that it overtook, and to the job from those that overtook it.

    The text describes them; empty if there are none.
    """
    name, first, others = data.schedule.trace.shown_id, int(backfills.first[job]), backfills.past(job)
    links = [(job, first)] if first != NOBODY else []
    links += [(other, job) for other in others[:MOST].tolist()]
    # A filter may hide either end of a line.
    shown = [link for link in links if min(data.entry[list(link)]) >= 0]
    arrows = [
        Arrow(_start(data, backfilled), _start(data, passed), backfilled == job)
        for backfilled, passed in shown
    ]
    lines = []
    if first != NOBODY:
        more = int(backfills.many[job]) - 1
        lines.append(f"went past job {name(first)}{f' and {format_count(more)} more' if more else ''}")
    if len(others):
        # All that went past it are told, though only the first have lines.
        drawn = f" (lines from the first {MOST})" if len(others) > MOST else ""
        lines.append(f"{plural(len(others), 'job')} went past it{drawn}")
    return arrows, f"Job {name(job)}: {', '.join(lines)}" if lines else ""


def moves(data: GanttData, others: Sequence[OtherRun], job: int) -> tuple[list[MovedJob], Iterator[str]]:
    """The places of a job in other runs, in which it started at another time, and wordings of its shifts.

    Wordings go from the most detailed to the shortest; none if no other run ran the job. Runs that refused
    the job are left out.
    """
    schedule = data.schedule
    others = [other for other in others if other.schedule is not schedule and other.schedule.ran[job]]
    if not others or not schedule.ran[job] or data.entry[job] < 0:
        return [], iter(())
    here, (top, bottom) = int(schedule.start[job]), data.largest_box(job)
    changes = [here - int(other.schedule.start[job]) for other in others]
    moved = [
        MovedJob(
            float(other.schedule.start[job]),
            float(other.schedule.end[job]),
            float(here),
            top,
            bottom,
            # Each run has a line of its own within the box, so that arrows of several runs do not cover each
            # other.
            top + (index + 0.5) / len(others) * (bottom - top),
            other.colour,
        )
        for index, (other, change) in enumerate(zip(others, changes, strict=True))
        if change
    ]
    shifts = [Shift(change, other.name) for change, other in zip(changes, others, strict=True)]
    return moved, shift_words(schedule.trace.shown_id(job), shifts)


def _start(data: GanttData, job: int) -> Point:
    """The point at which a job starts, in the middle of its tallest box."""
    return float(data.schedule.start[job]), float(data.middles(np.array([data.entry[job]]))[0])
