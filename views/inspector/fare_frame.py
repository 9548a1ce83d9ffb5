"""Where the parts of the chart of fares lie."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import ceil

import numpy as np
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QFont, QFontMetricsF

from views.data.scales import LogScale
from views.inspector.fares import Fare, most_at_once
from views.raster.time_scale import TimeScale
from views.timechart.axis import AXIS_HEIGHT

MARGIN = 10.0
ROW = 24.0
"""Height of a curve, and of the box beside it."""

_BETWEEN = 16.0
_CURVES = 0.56
"""The part of the width that curves take; boxes have the rest."""


@dataclass(frozen=True, eq=False)
class FareFrame:
    """A lane for each run: its name, and below it a curve over `window` (s) and a box of waits."""

    fares: Sequence[Fare]
    window: tuple[float, float]
    width: float
    font: QFont

    @cached_property
    def line(self) -> float:
        """Height of a line of text, in whole pixels."""
        return float(ceil(QFontMetricsF(self.font).height()) + 2)

    @cached_property
    def time(self) -> TimeScale:
        """The axis of the curves."""
        width = max((self.width - 2 * MARGIN - _BETWEEN) * _CURVES, 1.0)
        return TimeScale(*self.window, MARGIN, float(int(width)))

    @cached_property
    def waits(self) -> LogScale:
        """The scale of all boxes, in seconds."""
        boxes = [fare.waits for fare in self.fares if fare.waits is not None]
        drawn = [(b.minimum, b.low, b.q1, b.median, b.q3, b.high, b.maximum) for b in boxes]
        return LogScale.of(np.array(drawn, np.float64).ravel(), durations=True)

    @cached_property
    def most(self) -> int:
        """The top of all curves."""
        return most_at_once(self.fares)

    @property
    def boxes(self) -> QRectF:
        """Room of the boxes, over all lanes."""
        left = self.time.left + self.time.width + _BETWEEN
        return QRectF(left, self.line, self.width - MARGIN - left, self.axis.top() - self.line)

    @property
    def axis(self) -> QRectF:
        """Room of the axes below the lanes."""
        return QRectF(0, self._top(len(self.fares)) + 2, self.width, AXIS_HEIGHT)

    @property
    def height(self) -> float:
        """Height of the whole chart, in pixels."""
        return self.axis.bottom() + 2

    def name_box(self, lane: int) -> QRectF:
        """Room for the run's name."""
        return QRectF(MARGIN, self._top(lane), self.width - 2 * MARGIN, self.line)

    def curve(self, lane: int) -> QRectF:
        """Room for the violated jobs over time."""
        return QRectF(self.time.left, self.name_box(lane).bottom(), self.time.width, ROW)

    def box(self, lane: int) -> QRectF:
        """Room for the box of waits."""
        room = self.boxes
        return QRectF(room.left(), self.curve(lane).top(), room.width(), ROW)

    def x_of_wait(self, height: float) -> float:
        """Where a height of the scale of waits lies across the boxes' room."""
        low, high = self.waits.span
        return self.boxes.left() + (height - low) / (high - low) * self.boxes.width()

    def lane_at(self, position: QPointF) -> int | None:
        """The lane at a position; None between and beside lanes."""
        for lane in range(len(self.fares)):
            if self.name_box(lane).top() <= position.y() <= self.curve(lane).bottom():
                return lane
        return None

    def _top(self, lane: int) -> float:
        return self.line + lane * (self.line + ROW + 4)
