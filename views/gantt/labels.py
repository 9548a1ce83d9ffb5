"""Sharp outlines and labels of boxes, painted over the pixels where few boxes are visible."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import fields
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPainter, QRegion

from views.data.gantt.data import GanttData, VisibleBoxes
from views.raster.request import RenderRequest
from views.text.counts import plural
from views.theme.palette import FIRST, Pixels, hex_colour, mix, text_on

MANY = 20_000
"""Among more visible jobs a few labels are of no use."""

FEW = 2000
"""Up to this many visible boxes are outlined and labelled."""

MARKED = 50
"""Maximum number of outlined jobs; more are shown by colour alone."""

_CUT = 3.0  # width of the end of a box that was cut short, in pixels
_RING = 10.0  # least size of the outline of a marked box, in pixels
_OUTLINED = 3.0  # least size of an outlined box, in pixels
_PAD = 3.0
_CELL = 2  # labels keep apart on a grid of so many pixels
_GAP = 4.0  # pixels to the right of a label that stay free of others


def visible_boxes(data: GanttData, request: RenderRequest) -> VisibleBoxes | None:
    """The boxes in view, if they are few."""
    # Counting by time is quick even for millions of jobs; only a few of them go on to the check of rows.
    entries = data.between(*request.window)
    if len(entries) > MANY:
        return None
    boxes = data.boxes(entries)
    top, bottom = (share * data.rows.total for share in request.rows)
    seen = np.flatnonzero((boxes.first < bottom) & (boxes.first + boxes.count > top))
    if len(seen) > FEW:
        return None
    return VisibleBoxes(*(getattr(boxes, column.name)[seen] for column in fields(boxes)))


def paint_boxes(
    image: QImage,
    request: RenderRequest,
    data: GanttData,
    boxes: VisibleBoxes,
    colours: Pixels,
    warning: str,
    font: QFont,
) -> QRegion:
    """Outline each box and write into it where there is room; runs that were cut short end in a bold line.

    `colours` has a pixel for each job in the order of `data`; `warning` is the colour of that line.
    Returns where the words are.
    """
    rectangles = _rectangles(request, data, boxes)
    painter = QPainter(image)
    # A single call draws all boxes of a colour: a pen for each box takes most of the time of a picture.
    lines: dict[str, list[QRectF]] = defaultdict(list)
    for k, (x, y, w, h) in enumerate(rectangles):
        if w >= _OUTLINED and h >= _OUTLINED:
            lines[_edge(int(colours[boxes.entry[k]]))].append(QRectF(x + 0.5, y + 0.5, w - 1, h - 1))
    for colour, outlines in lines.items():
        painter.setPen(QColor(colour))
        painter.drawRects(outlines)
    _paint_cuts(painter, rectangles[data.lost[boxes.entry]], warning, request.ratio)
    words = _paint_labels(painter, request, data, boxes, rectangles, colours, font)
    painter.end()
    return words


def _paint_cuts(painter: QPainter, rectangles: NDArray[np.float64], warning: str, ratio: float) -> None:
    """Paint marks where runs were cut short."""
    for x, y, w, h in rectangles:
        wide = min(_CUT * ratio, w)
        painter.fillRect(QRectF(x + w - wide, y, wide, h), QColor(warning))


def paint_marked(
    image: QImage, request: RenderRequest, data: GanttData, marked: frozenset[int], accent: str
) -> None:
    """Paint a bold outline around the boxes of `marked` jobs, if few and not all; around small boxes a ring.

    Of touching outlines only the part outside of all of them is painted; otherwise they would cover the jobs.
    """
    # If all jobs are marked, the outline would emphasise nothing.
    if not 0 < len(marked) <= MARKED or len(marked) >= np.count_nonzero(data.entry >= 0):
        return
    # Jobs that a filter hides have no entry, and the selection may still hold jobs of a longer trace.
    entries = data.entry[[job for job in sorted(marked) if job < len(data.entry)]]
    boxes = data.boxes(entries[entries >= 0])
    pen = round(2 * request.ratio)
    around, inside = QRegion(), QRegion()
    for x, y, w, h in _rectangles(request, data, boxes):
        if x + w > 0 and y + h > 0 and x < request.width and y < request.height:
            # A ring has a least size: a job of a second in a month is less than a pixel wide.
            wide, tall = (round(max(size, _RING * request.ratio)) for size in (w, h))
            ring = QRect(round(x + (w - wide) / 2), round(y + (h - tall) / 2), wide, tall)
            around += ring
            inside += ring.adjusted(pen, pen, -pen, -pen)
    painter = QPainter(image)
    # All rings together minus all insides: where two jobs touch, no line runs through between them.
    painter.setClipRegion(around.subtracted(inside))
    painter.fillRect(image.rect(), QColor(accent))
    painter.end()


def _rectangles(request: RenderRequest, data: GanttData, boxes: VisibleBoxes) -> NDArray[np.float64]:
    """Left, top, width and height of each box in whole device pixels, within the picture; shape (k, 4)."""
    # Left edges are rounded down and right edges up, so that an outline holds every pixel that the raster has
    # coloured. Both are cut just outside of the picture: a box that goes on has no line at its edge.
    left = np.floor(np.clip((boxes.start - request.window[0]) / request.seconds_per_pixel, -1, request.width))
    right = np.ceil(
        np.clip((boxes.end - request.window[0]) / request.seconds_per_pixel, 0, request.width + 1)
    )
    low, high = (share * data.rows.total for share in request.rows)
    down = request.height / (high - low)
    # Computed edges miss the pixel border by rounding: without the thousandth a box would take a line more.
    top = np.floor(np.clip((boxes.first - low) * down + 1e-3, -1, request.height))
    bottom = np.ceil(np.clip((boxes.first + boxes.count - low) * down - 1e-3, 0, request.height + 1))
    return np.stack((left, top, np.maximum(right - left, 1), np.maximum(bottom - top, 1)), axis=1)


def _paint_labels(
    painter: QPainter,
    request: RenderRequest,
    data: GanttData,
    boxes: VisibleBoxes,
    rectangles: NDArray[np.float64],
    colours: Pixels,
    font: QFont,
) -> QRegion:
    """The job's id, and its user and size where they fit too, in the largest box of each job."""
    words_at = QRegion()
    trace = data.schedule.trace
    large = QFont(font)
    _scale(large, request.ratio)
    painter.setFont(large)
    metrics = QFontMetricsF(large)
    # Overlap is checked on a coarse grid: comparing all pairs of labels would be quadratic in the boxes.
    taken = np.zeros((request.height // _CELL + 2, request.width // _CELL + 2), np.bool_)
    for k in _largest(boxes.entry, rectangles):
        x, y, w, h = (float(v) for v in rectangles[k])
        # Of a box that is cut by the edge only the visible part is written into.
        left, right = max(x, 0.0) + _PAD * request.ratio, min(x + w, request.width) - _PAD * request.ratio
        y, h = max(y, 0.0), min(y + h, request.height) - max(y, 0.0)
        if h < metrics.height() or right - left < 2 * metrics.averageCharWidth():
            continue
        entry = int(boxes.entry[k])
        job = int(data.job[entry])
        words = (
            trace.shown_id(job),
            trace.user.shown[trace.user.codes[job]],
            plural(int(data.schedule.procs[job]), "processor"),
        )
        lines = _fitting(words, right - left, int(h / metrics.height()), metrics)
        painter.setPen(QColor(_text(int(colours[entry]))))
        # Up to three lines stand in the middle of a box; in a taller box they stand near its top.
        top = y + max((min(h, 3 * metrics.height()) - len(lines) * metrics.height()) / 2, 0.0)
        wide = max((metrics.horizontalAdvance(line) for line in lines), default=0.0)
        if not _take(taken, QRectF(left, top, wide + _GAP * request.ratio, len(lines) * metrics.height())):
            continue  # boxes of a log may overlap, their labels never
        ground = hex_colour(int(colours[entry]))
        for line in lines:
            room = QRectF(left, top, right - left, metrics.height())
            shown = QRectF(left, top + 1, metrics.horizontalAdvance(line), metrics.height() - 2)
            painter.fillRect(shown, QColor(ground))  # else lines of waits would run through the words
            painter.drawText(room, Qt.TextFlag.TextSingleLine, line)
            words_at += shown.toAlignedRect()
            top += metrics.height()
    return words_at


def _take(taken: NDArray[np.bool_], room: QRectF) -> bool:
    """Mark the cells of a label as taken, unless any of them is; whether none was."""
    # The end of a slice is exclusive, hence the 1: the last cell is touched too.
    rows = slice(int(room.top()) // _CELL, int(room.bottom()) // _CELL + 1)
    columns = slice(int(room.left()) // _CELL, int(room.right()) // _CELL + 1)
    if taken[rows, columns].any():
        return False
    taken[rows, columns] = True
    return True


def _fitting(words: tuple[str, ...], room: float, most: int, metrics: QFontMetricsF) -> list[str]:
    """As many of the leading words as fit: in a single line, otherwise in up to `most` lines."""
    # From all words to fewer: id, user and size first, then without the size, then the id alone.
    for count in range(len(words), 0, -1):
        label = " · ".join(words[:count])
        if metrics.horizontalAdvance(label) <= room:
            return [label]
        if count <= most and all(metrics.horizontalAdvance(word) <= room for word in words[:count]):
            return list(words[:count])
    return []


def _largest(entry: NDArray[np.int64], rectangles: NDArray[np.float64]) -> NDArray[np.int64]:
    """The box with the largest area of each job."""
    area = rectangles[:, 2] * rectangles[:, 3]
    # Sorted by job, then by falling area, so the first box of each job is its largest.
    order = np.lexsort((-area, entry))
    first = np.append(True, np.diff(entry[order]) != 0)[: len(order)]
    return np.asarray(order[first], np.int64)


@lru_cache(maxsize=4096)
def _edge(colour: int) -> str:
    """A line colour that contrasts with this colour; fainter if the job is faded."""
    return mix(hex_colour(colour), text_on(hex_colour(colour)), 0.4 if colour & FIRST else 0.15)


@lru_cache(maxsize=4096)
def _text(colour: int) -> str:
    text = text_on(hex_colour(colour))
    return text if colour & FIRST else mix(text, hex_colour(colour), 0.3)


def _scale(font: QFont, ratio: float) -> None:
    # A font has its size either in points or in pixels, and the other is -1.
    if font.pointSizeF() > 0:
        font.setPointSizeF(font.pointSizeF() * ratio)
    else:
        font.setPixelSize(round(font.pixelSize() * ratio))
