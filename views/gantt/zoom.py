"""How far the rows of a Gantt chart are zoomed."""

from __future__ import annotations

from views.boxes.data import GanttData
from views.gestures import widened

LEAST_ROWS = 3
"""Fewer rows are not zoomed into."""

_READABLE = 14.0  # least height of a box, in pixels, that is not made taller by a double-click
_TALL = 8  # boxes that it is made so tall that this many find room


def rows_around(
    data: GanttData, job: int, part: tuple[float, float], height: float
) -> tuple[float, float] | None:
    """The part of the rows in which a job can be read; None: it can in this part, of `height` pixels."""
    top, bottom = data.largest_box(job)
    total = data.rows.total
    if (bottom - top) / total / (part[1] - part[0]) * height >= _READABLE:
        return None
    return widened((top / total, bottom / total), max(_TALL * (bottom - top), LEAST_ROWS) / total)
