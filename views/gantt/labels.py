"""Sharp outlines and labels of boxes, painted over the pixels where few boxes are visible."""

from __future__ import annotations

from collections import defaultdict
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPainter, QPen

from views.gantt.data import GanttData, VisibleBoxes
from views.palette import FIRST, Pixels, mix, text_on
from views.picture import Want

FEW = 2000
"""Up to this many visible boxes are outlined and labelled."""

_OUTLINED = 3.0  # least size of an outlined box, in pixels
_PAD = 3.0


def visible_boxes(data: GanttData, window: tuple[float, float]) -> VisibleBoxes | None:
    """The boxes of the window, if they are few."""
    places = data.between(*window)
    if len(places) > FEW:
        return None
    boxes = data.boxes(places)
    return boxes if len(boxes.place) <= FEW else None


def paint_boxes(
    image: QImage,
    want: Want,
    data: GanttData,
    boxes: VisibleBoxes,
    colours: Pixels,
    marked: frozenset[int],
    accent: str,
    font: QFont,
) -> None:
    """Outline each box and write into it where there is room; `marked` jobs get a strong outline.

    `colours` has a pixel for each job in the order of `data`.
    """
    rectangles = _rectangles(want, data, boxes)
    painter = QPainter(image)
    lines: dict[str, list[QRectF]] = defaultdict(list)
    for k, (x, y, w, h) in enumerate(rectangles):
        if w >= _OUTLINED and h >= _OUTLINED:
            lines[_edge(int(colours[boxes.place[k]]))].append(QRectF(x + 0.5, y + 0.5, w - 1, h - 1))
    for colour, outlines in lines.items():
        painter.setPen(QColor(colour))
        painter.drawRects(outlines)
    _paint_labels(painter, want, data, boxes, rectangles, colours, font)
    if marked:
        painter.setPen(QPen(QColor(accent), 2 * want.ratio))
        chosen = np.isin(data.job[boxes.place], np.array(sorted(marked), np.int64))
        painter.drawRects(
            [QRectF(x + 1, y + 1, max(w - 2, 1), max(h - 2, 1)) for x, y, w, h in rectangles[chosen]]
        )
    painter.end()


def _rectangles(want: Want, data: GanttData, boxes: VisibleBoxes) -> NDArray[np.float64]:
    """Left, top, width and height of each box in whole device pixels, within the picture; shape (k, 4)."""
    left = np.floor(np.clip((boxes.start - want.window[0]) / want.seconds_per_pixel, -1, want.width))
    right = np.ceil(np.clip((boxes.end - want.window[0]) / want.seconds_per_pixel, 0, want.width + 1))
    down = want.height / data.rows.total
    top = np.floor(boxes.first * down + 1e-3)
    bottom = np.ceil((boxes.first + boxes.count) * down - 1e-3)
    return np.stack((left, top, np.maximum(right - left, 1), np.maximum(bottom - top, 1)), axis=1)


def _paint_labels(
    painter: QPainter,
    want: Want,
    data: GanttData,
    boxes: VisibleBoxes,
    rectangles: NDArray[np.float64],
    colours: Pixels,
    font: QFont,
) -> None:
    """The job's id, and its user where that fits too, in the largest box of each job."""
    trace = data.schedule.trace
    large = QFont(font)
    _scale(large, want.ratio)
    painter.setFont(large)
    metrics = QFontMetricsF(large)
    for k in _largest(boxes.place, rectangles):
        x, y, w, h = (float(v) for v in rectangles[k])
        left, right = max(x, 0.0) + _PAD * want.ratio, min(x + w, want.width) - _PAD * want.ratio
        if h < metrics.height() or right - left < 2 * metrics.averageCharWidth():
            continue
        place = int(boxes.place[k])
        job = int(data.job[place])
        lines = [str(trace.job_id[job]), trace.user.names[trace.user.codes[job]]]
        one = " · ".join(lines)
        if metrics.horizontalAdvance(one) <= right - left:
            lines = [one]
        elif h < 2 * metrics.height():
            lines = lines[:1]
        painter.setPen(QColor(_text(int(colours[place]))))
        top = y + max((min(h, 3 * metrics.height()) - len(lines) * metrics.height()) / 2, 0.0)
        for line in lines:
            if metrics.horizontalAdvance(line) > right - left:
                break
            room = QRectF(left, top, right - left, metrics.height())
            painter.drawText(room, Qt.TextFlag.TextSingleLine, line)
            top += metrics.height()


def _largest(place: NDArray[np.int64], rectangles: NDArray[np.float64]) -> NDArray[np.int64]:
    """The box with the largest area of each job."""
    area = rectangles[:, 2] * rectangles[:, 3]
    order = np.lexsort((-area, place))
    first = np.append(True, np.diff(place[order]) != 0)[: len(order)]
    return np.asarray(order[first], np.int64)


@lru_cache(maxsize=4096)
def _edge(colour: int) -> str:
    """A line that is seen beside this colour; a fainter one where the job stands back."""
    return mix(_spelled(colour), text_on(_spelled(colour)), 0.4 if colour & FIRST else 0.15)


@lru_cache(maxsize=4096)
def _text(colour: int) -> str:
    text = text_on(_spelled(colour))
    return text if colour & FIRST else mix(text, _spelled(colour), 0.3)


def _spelled(colour: int) -> str:
    return f"#{colour & 0xFFFFFF:06x}"


def _scale(font: QFont, ratio: float) -> None:
    if font.pointSizeF() > 0:
        font.setPointSizeF(font.pointSizeF() * ratio)
    else:
        font.setPixelSize(round(font.pixelSize() * ratio))
