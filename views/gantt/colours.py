"""What the colours of a Gantt chart say: user, queue, wait, or lateness."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from engine.schedule import Schedule
from engine.trace import Names, Trace
from views.legend import Bar, Legend, Swatches
from views.palette import (
    ON_TIME,
    OTHER_USERS,
    Pixels,
    late_colours,
    pixel,
    user_colours,
    wait_colours,
)

ColourMode = Literal["user", "queue", "wait", "late"]

SHORTEST, LONGEST = 60.0, 7 * 86_400.0
"""Waits and lateness beyond these, in seconds, have the first and the last colour: the same in all runs."""

_MARKS = ((60.0, "1 min"), (3600.0, "1 h"), (86_400.0, "1 d"), (LONGEST, "7 d"))
_DIMMED = 0.84  # share of the background in what is not selected


@dataclass(frozen=True)
class NamedColours:
    """A colour for each user, or queue, by code; `order` has the codes, the largest first."""

    names: tuple[str, ...]
    colours: tuple[str, ...]
    order: tuple[int, ...]


def named_colours(trace: Trace, names: Names) -> NamedColours:
    """The largest users, or queues, by the processor-seconds of their jobs, are told apart."""
    area = (trace.procs * trace.runtime).astype(np.float64)
    total = np.zeros(len(names.names))
    np.add.at(total, names.codes, area)
    order = np.argsort(-total, kind="stable")
    return NamedColours(names.names, tuple(user_colours(names.names, total)), tuple(map(int, order)))


def job_colours(
    schedule: Schedule, mode: ColourMode, tardiness: NDArray[np.int64] | None, named: NamedColours
) -> Pixels:
    """An opaque pixel for each job of the trace, shape (n,).

    `tardiness` in seconds, shape (n,), None where nobody has judged the schedule; `named` are
    the colours of users or queues.
    """
    trace = schedule.trace
    if mode == "wait":
        return wait_colours()[_level(schedule.wait)]
    if mode == "late":
        colours = np.full(len(trace), pixel(ON_TIME), np.uint32)
        if tardiness is not None:
            late = tardiness > 0
            colours[late] = late_colours()[_level(tardiness[late])]
        return colours
    codes = trace.user.codes if mode == "user" else trace.queue.codes
    return np.array([pixel(colour) for colour in named.colours], np.uint32)[codes]


def dimmed(colours: Pixels, picked: NDArray[np.bool_], background: str) -> Pixels:
    """The colours with those that are not picked drawn back, behind those that are (see `FIRST`)."""
    under = np.uint32(pixel(background))
    result = np.zeros_like(colours)
    for shift in (16, 8, 0):
        high = (colours >> np.uint32(shift)) & np.uint32(0xFF)
        low = (under >> np.uint32(shift)) & np.uint32(0xFF)
        part = (high * (1 - _DIMMED) + low * _DIMMED + 0.5).astype(np.uint32)
        result |= part << np.uint32(shift)
    return np.where(picked, colours, result | np.uint32(0x7F000000))


def legend_of(mode: ColourMode, named: NamedColours) -> Legend:
    """The legend of a mode; `named` are the colours of users or queues."""
    if mode == "wait":
        marks = tuple((_place(seconds) / 255, text) for seconds, text in _MARKS)
        return Bar(wait_colours(), marks, "waited")
    if mode == "late":
        scale = late_colours()
        late = ((f"#{int(scale[_place(s)]) & 0xFFFFFF:06x}", f"late {text}") for s, text in _MARKS)
        return Swatches(((ON_TIME, "on time"), *late))
    entries = [(named.colours[code], named.names[code]) for code in named.order]
    known = [entry for entry in entries if entry[0] != OTHER_USERS]
    rest = len(entries) - len(known)
    return Swatches((*known, *(((OTHER_USERS, f"{rest} others"),) if rest else ())))


def _level(seconds: NDArray[np.int64]) -> NDArray[np.int64]:
    """The place of each length of time among 256 colours, on a log scale."""
    spread = np.log(np.clip(seconds, SHORTEST, LONGEST) / SHORTEST) / np.log(LONGEST / SHORTEST)
    return np.asarray((spread * 255 + 0.5).astype(np.int64))


def _place(seconds: float) -> int:
    return int(_level(np.array([seconds]))[0])
