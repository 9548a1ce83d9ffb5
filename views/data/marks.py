"""Marks: named places in time, with notes, that a reader sets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

Room = tuple[float, float]


@dataclass(frozen=True)
class TimeMark:
    """A mark from `start` to `end`, s from the trace's zero, the same for an instant.

    Jobs, users and queues that it is on are named as the log names them.
    """

    name: str = ""
    note: str = ""
    start: float = 0.0
    end: float = 0.0
    jobs: tuple[int | str, ...] = ()
    users: tuple[str, ...] = ()
    queues: tuple[str, ...] = ()


def numbered(name: str, marks: Sequence[TimeMark]) -> str:
    """The name, with a number where there is such a mark already."""
    names = {mark.name for mark in marks}
    return next(
        candidate
        for k in range(1, len(marks) + 2)
        if (candidate := f"{name} ({k})" if k > 1 else name) not in names
    )


def gap(first: TimeMark, second: TimeMark) -> float:
    """The time, s, from the end of the earlier mark to the start of the later; 0 where they overlap."""
    return max(first.start - second.end, second.start - first.end, 0.0)


def flags(
    marks: Sequence[TimeMark], xs: Sequence[float], widths: Sequence[float], taken: Sequence[Room], room: Room
) -> Iterator[tuple[TimeMark, float, float | None]]:
    """Lay out marks in `room` (from, to), in pixels: the position of each mark, and of its name if it fits.

    `xs` are the positions of the marks, `widths` the widths of their names; `taken` stretches hold other
    text.
    """
    occupied = list(taken)
    for mark, x, width in zip(marks, xs, widths, strict=True):
        if not room[0] <= x <= room[1]:
            continue
        places = (x - width / 2, x + 4, x - 4 - width)
        free = (left for left in places if room[0] <= left and left + width <= room[1])
        begin = next((left for left in free if not _meets(left, left + width, occupied)), None)
        if begin is not None:
            occupied.append((begin, begin + width))
        yield mark, x, begin


def _meets(left: float, right: float, occupied: Sequence[Room]) -> bool:
    return any(left < end + 2 and right > begin - 2 for begin, end in occupied)
