"""The zoom of the rows of a Gantt chart, and their visible part."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.quantities import Jobs
from views.data.gantt.data import GanttData
from views.data.gantt.rows import Rows
from views.gantt.gantt_selection import chosen_jobs
from views.raster.request import ALL_ROWS
from views.state.clock import Part, Window
from views.state.filter import Filter
from views.state.selection import Selection
from views.timechart.gestures import widened

LEAST_BOXES = 3
"""Maximum zoom of rows: this number of single-processor boxes fills the plot."""

_READABLE = 18.0  # least height of a box with a line of words, in pixels; a lower box is made taller
_MOST_BOXES = 8  # of that height that are shown then, if there is room for so many
_NEIGHBOURHOOD = 5  # nodes that are shown around a searched node


def least_part(rows: Rows) -> float:
    """The smallest part of the rows that is shown."""
    return min(LEAST_BOXES * rows.lowest / rows.total, 1.0)


def rows_around(data: GanttData, job: int, part: Part, height: float) -> Part | None:
    """The part of the rows in which a job can be read; None: it can in this part, of `height` pixels."""
    top, bottom = _box_of(data, job)
    tall = (bottom - top) / (part[1] - part[0]) * height >= _READABLE
    # A job that is tall enough and at least partly visible is left where it is: a jump would only confuse.
    if tall and top < part[1] and bottom > part[0]:
        return None
    boxes = min(max(height / _READABLE, LEAST_BOXES), _MOST_BOXES)
    # A readable job keeps the zoom and only comes into view; a low job is enlarged until a few of its
    # neighbours fill the plot.
    return widened((top, bottom), part[1] - part[0] if tall else boxes * (bottom - top))


def part_of_node(rows: Rows, node: int) -> Part:
    """The part of the rows of a machine around a node, with its neighbours."""
    top, bottom = rows.rows_of(rows.band_first[node : node + 2]) / rows.total
    return widened((top, bottom), _NEIGHBOURHOOD * (bottom - top))


def part_of(data: GanttData, entries: NDArray[np.integer[Any]]) -> Part:
    """The part of the rows that contains these jobs, at least one."""
    boxes = data.boxes(entries)
    top, bottom = float(boxes.first.min()), float((boxes.first + boxes.count).max())
    return widened((top / data.rows.total, bottom / data.rows.total), least_part(data.rows))


def rows_of_picked(data: GanttData, picked: Selection, part: Part, height: float) -> Part | None:
    """The part of the rows that shows what is picked, where this `part` is shown now.

    A single job is made readable in `height` pixels; None: the part that is shown does.
    """
    mask = picked.mask(data.schedule.trace)
    if mask is None:
        return None
    chosen = chosen_jobs(data, picked)
    if len(chosen) == 1:
        return rows_around(data, int(chosen[0]), part, height)
    entries = np.flatnonzero(mask[data.job])
    return part_of(data, entries) if len(entries) and part != ALL_ROWS else None


def range_of_picked(jobs: Jobs | None, picked: Selection, filter: Filter) -> Window | None:
    """The time of the picked jobs, in s, and the time including their waits; None if none of them ran.

    If nothing is picked, the jobs that match a filter are used. `jobs` have a schedule, or are None.
    """
    schedule = jobs.schedule if jobs is not None else None
    if jobs is None or schedule is None:
        return None
    mask = picked.mask(schedule.trace)
    # What is picked comes first; without it, what the filter matches.
    mask = filter.mask(jobs) if mask is None else mask
    if mask is None or not (mask & schedule.ran).any():
        return None
    mask = mask & schedule.ran
    # A single job is understood with its wait; of a user or a range the wait of the first job would push all
    # others together.
    begin = schedule.submit if picked.jobs else schedule.start
    return float(begin[mask].min()), float(schedule.end[mask].max())


def moved_to(data: GanttData, job: int, window: Window, rows: Part) -> tuple[Window, Part]:
    """Window and rows moved so that the whole job is seen; longer or taller only where they must be."""
    start, end, span = float(data.schedule.start[job]), float(data.schedule.end[job]), window[1] - window[0]
    # Only what must change does: the span stays unless the job is longer than it.
    if end - start > span:
        window = start - 0.05 * (end - start), end + 0.05 * (end - start)
    elif start < window[0] or end > window[1]:
        middle = (start + end) / 2
        window = middle - span / 2, middle + span / 2
    top, bottom = _box_of(data, job)
    if top < rows[0] or bottom > rows[1]:
        rows = widened((top, bottom), rows[1] - rows[0])
    return window, rows


def _box_of(data: GanttData, job: int) -> Part:
    """The job's tallest box, as a part of the rows."""
    top, bottom = data.largest_box(job)
    return top / data.rows.total, bottom / data.rows.total
