"""Waits as thin lines that lead to the jobs' boxes."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF
from PySide6.QtGui import QColor, QImage, QPainter, QPen

from views.data.gantt.data import GanttData
from views.gantt.labels import FEW
from views.raster.request import RenderRequest
from views.state.clock import Window
from views.text.counts import format_seconds, plural
from views.text.ticks import TimeAxis
from views.theme.palette import Pixels, hex_colour

_TICK = 3.0
_LINE = 2.0
_REACH = 2.5  # pixels from a line that mean it


def paint_waits(
    image: QImage,
    request: RenderRequest,
    data: GanttData,
    colours: Pixels,
    marked: frozenset[int],
    accent: str,
) -> str:
    """Paint a line from each submission to the start, at the height of the job's tallest box.

    `colours` has a pixel for each job in the order of `data`. If too many jobs wait, only the `marked` jobs
    have lines, in the accent's colour. Returns a note about the jobs without lines.
    """
    entries, chosen, without = _lined(data, request.window, marked)
    text = f"{plural(without, 'wait')}: zoom in to see them" if without else ""
    if not len(entries):
        return text
    lines: dict[str, list[QLineF]] = defaultdict(list)
    for line, entry, is_chosen in zip(_lines(request, data, entries), entries, chosen, strict=True):
        x0, x1, y = (float(value) for value in line)
        lines[accent if is_chosen else hex_colour(int(colours[entry]))] += [
            QLineF(x0, y, x1, y),
            QLineF(x0, y - _TICK * request.ratio, x0, y + _TICK * request.ratio),
        ]
    painter = QPainter(image)
    # The selected jobs are painted last, over all other lines.
    for colour in sorted(lines, key=lambda colour: colour == accent):
        painter.setPen(QPen(QColor(colour), _LINE * request.ratio))
        painter.drawLines(lines[colour])
    painter.end()
    return text


def describe_wait(
    data: GanttData,
    window: Window,
    marked: frozenset[int],
    area: tuple[float, float, float, float],
    axis: TimeAxis,
) -> list[str]:
    """The job whose line runs through an area of time (s) and rows, or close by, and its wait."""
    entries, _, _ = _lined(data, window, marked)
    submit = data.schedule.submit[data.job[entries]]
    # Submission and start may be outside: a line runs through the whole area as well.
    passing = np.flatnonzero((submit < area[1]) & (data.start[entries] > area[0]))
    row, tall = (area[2] + area[3]) / 2, area[3] - area[2]
    away = np.abs(data.middles(entries[passing]) - row)
    # Lines are as thin as a pixel, so that a mouse near a line means it.
    if not len(away) or away.min() > _REACH * tall:
        return []
    job = int(data.job[entries[passing[away.argmin()]]])
    trace, wait = data.schedule.trace, format_seconds(int(data.schedule.wait[job]))
    return [
        f"job {trace.shown_id(job)} · user {trace.user.shown[trace.user.codes[job]]} waits {wait}",
        f"from {axis.format(float(trace.submit[job]))}",
        f"to {axis.format(float(data.schedule.start[job]))}",
    ]


def _lined(
    data: GanttData, window: Window, marked: frozenset[int]
) -> tuple[NDArray[np.int64], NDArray[np.bool_], int]:
    """Indices of the jobs that have lines, which are marked: of too many only these. How many have none."""
    entries = data.waiting(*window)
    waiting = len(entries)
    chosen = np.isin(data.job[entries], np.fromiter(marked, np.int64, len(marked)))
    # Too many lines would be a grey area. Those of selected jobs remain, and if even they are too many, none.
    if len(entries) > FEW:
        entries, chosen = entries[chosen], chosen[chosen]
    drawn = slice(None) if len(entries) <= FEW else slice(0)
    return entries[drawn], chosen[drawn], waiting - len(entries[drawn])


def _lines(request: RenderRequest, data: GanttData, entries: NDArray[np.int64]) -> NDArray[np.float64]:
    """Left and right end and height of each line, in device pixels of the picture, shape (k, 3)."""
    low, high = (share * data.rows.total for share in request.rows)
    middle = (data.middles(entries) - low) / (high - low) * request.height
    submit = data.schedule.submit[data.job[entries]]
    # Ends far outside are pulled to just beyond the edge, where the tick of the submission is out of sight.
    ends = [(time - request.window[0]) / request.seconds_per_pixel for time in (submit, data.start[entries])]
    left, right = (np.clip(end, -2.0, request.width + 2.0) for end in ends)
    return np.stack((left, right, np.floor(middle) + 0.5), axis=1)
