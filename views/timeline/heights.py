"""Scales of line charts: from 0 at the lower edge, linear or logarithmic, and stacked lanes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from engine.arrays import Floats
from views.data.scales import AxisRange

_ROOM = 1.06
"""The upper edge, as a multiple of the largest height."""


@dataclass(frozen=True)
class Heights:
    """Heights are shares of the plot. Logarithmic heights use log(1 + value), so that 0 has a height."""

    most: float
    log: bool = False
    format: Callable[[float], str] = str
    unit: float = 1.0  # ticks are at round multiples of it
    gap = None
    widest = ""
    full_range = (0.0, 1.0)

    def coordinates_of(self, values: Floats) -> Floats:
        """The height of each value, 0 (lower edge) to 1 (upper edge)."""
        most = max(self.most, 1e-9)
        if self.log:
            values, most = np.log1p(np.maximum(values, 0)), float(np.log1p(most))
        return np.asarray(values / (_ROOM * most))

    def value(self, height: float) -> float:
        """The value at a height."""
        most = max(self.most, 1e-9)
        return float(np.expm1(height * _ROOM * np.log1p(most))) if self.log else height * _ROOM * most

    def ticks(self, apart: float, seen: AxisRange | None = None) -> list[tuple[float, str]]:
        """Shares at least `apart` from each other with their texts, from the lower edge."""
        chosen: list[tuple[float, str]] = []
        for value in self._candidates(apart):
            height = float(self.coordinates_of(np.array([value]))[0])
            if height <= 1 and all(abs(height - other) >= apart for other, _ in chosen):
                chosen.append((height, self.format(value)))
        if len(chosen) == 1:  # a low chart has no room for round values; 0 alone is no scale
            chosen.append((1 / _ROOM, self.format(self.most)))
        return sorted(chosen)

    def _candidates(self, apart: float) -> list[float]:
        if self.log:
            decades = [self.unit * 10.0**k for k in range(12) if self.unit * 10.0**k <= self.most]
            return [0.0, *decades[::-1]]
        steps = [self.unit * m * 10.0**k for k in range(-3, 13) for m in (1, 2, 5)]
        step = next((s for s in steps if s / (_ROOM * max(self.most, 1e-9)) >= apart), self.most)
        return [float(v) for v in np.arange(0, self.most + step / 2, step)]


@dataclass(frozen=True)
class Subplot:
    """A lane of stacked plots: its name, and its least and greatest value."""

    name: str
    low: float
    high: float


@dataclass(frozen=True)
class EqualLanes:
    """Lanes of the same height, the first at the top; there is room for marks above the values of each
    lane.
    """

    lanes: tuple[Subplot, ...]
    format: Callable[[float], str] = str
    gap = None
    widest = ""
    full_range = (0.0, 1.0)

    ABOVE, BELOW = 0.2, 0.1
    """Shares of a lane above its greatest value and below its least."""

    def coordinates_of(self, values: Floats) -> Floats:
        """The height itself: its value depends on the lane."""
        return np.asarray(values, np.float64)

    def value(self, height: float) -> float:
        """The height itself."""
        return height

    def lane_at(self, height: float) -> Subplot | None:
        """The lane there; None where there is none at all."""
        index = int((1 - height) * len(self.lanes))
        return self.lanes[min(max(index, 0), len(self.lanes) - 1)] if self.lanes else None

    def ticks(self, apart: float, seen: AxisRange | None = None) -> list[tuple[float, str]]:
        """The ends of each lane, with its name at the upper end; only the name if both do not fit."""
        ticks = []
        tall = 1 / max(len(self.lanes), 1)
        top, low = 1 - self.ABOVE, self.BELOW
        both = (top - low) * tall >= 0.6 * apart  # the height of a text
        for index, lane in enumerate(self.lanes):
            bottom = 1 - (index + 1) * tall
            if both:
                ticks.append((bottom + top * tall, f"{lane.name} {self.format(lane.high)}"))
                ticks.append((bottom + low * tall, self.format(lane.low)))
            else:
                ticks.append((bottom + tall / 2, lane.name))
        return ticks
