"""Scales from values to coordinates in a chart: linear, or logarithmic with a coordinate of its own for 0."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from engine.arrays import Floats
from views.text.counts import format_count
from views.text.ticks import TimeAxis
from views.text.values import DAY, HOUR, MINUTE, compact, duration, number

_MARGIN = 0.05
"""Room above the largest and below the smallest value, as a share of the range."""

_ABOVE = 0.08
"""Room above the highest count, as a share of the range."""

_DECADES = [10.0**k for k in range(-3, 16)]
_ROUND_NUMBERS = [*_DECADES, *(m * decade for m in (2.0, 5.0) for decade in _DECADES)]
_ROUND_DURATIONS = [
    *(1.0, MINUTE, HOUR, DAY),
    *(10.0**k * DAY for k in range(1, 8)),
    *(10.0, 10.0 * MINUTE, 0.1, 0.01),
    *(m * unit for m in (5.0, 2.0) for unit in (HOUR, MINUTE, 1.0, DAY)),
    *(12.0 * HOUR, 30.0 * MINUTE, 20.0, 50.0 * DAY, 20.0 * DAY),
]


_PERCENT_STEPS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 25.0, 50.0, 100.0]
_PLAIN_STEPS = [m * 10.0**k for k in range(-6, 16) for m in (1.0, 2.0, 2.5, 5.0)]
_DURATION_STEPS = [
    *(m * unit for unit in (1.0, MINUTE) for m in (1.0, 2.0, 5.0, 10.0, 15.0, 30.0)),
    *(m * HOUR for m in (1.0, 2.0, 3.0, 6.0, 12.0)),
    *(m * 10.0**k * DAY for k in range(8) for m in (1.0, 2.0, 5.0)),
]
_ROUND_HOURS = [HOUR * value for value in _ROUND_NUMBERS]
_HOUR_STEPS = [HOUR * step for step in _PLAIN_STEPS]

AxisRange = tuple[float, float]

_WIDEST = "1 000 000 d"

_FEW, _BRIEFER = 7, 2.2
"""So few names are written by their first letters, where they take so many steps as a whole."""


class Scale(Protocol):
    """Scale of an axis: the coordinates of values, and ticks at some of them."""

    @property
    def full_range(self) -> AxisRange:
        """Lowest and highest coordinate that a chart shows."""

    @property
    def gap(self) -> float | None:
        """Coordinate of the break between 0, which has a coordinate of its own, and the values above it."""

    @property
    def widest(self) -> str:
        """A text as wide as the widest tick label."""

    def coordinates_of(self, values: Floats) -> Floats:
        """The coordinate of each value, same shape."""

    def value(self, coordinate: float) -> float:
        """The value at a coordinate."""

    def ticks(self, apart: float, seen: AxisRange | None = None) -> list[tuple[float, str]]:
        """Coordinates at least `apart` from each other, each with its text; only those in the `seen`
        range.
        """


def _in_hours(seconds: float) -> str:
    """Hours as a number without a unit, which the axis names."""
    value = float(f"{seconds / HOUR:.9g}")
    return compact(value) if abs(value) >= 1000 else f"{value:g}".replace("-", "−")


@dataclass(frozen=True)
class LinearScale:
    """The coordinate is the value; by default a percentage, from 0 to 100."""

    low: float = 0.0
    high: float = 100.0
    durations: bool = False  # ticks at whole seconds, minutes, hours and days
    hours: bool = False  # ticks at round numbers of hours, for values in processor-seconds
    parts: bool = False  # ticks in %, for values that are parts of a whole
    gap = None
    widest = _WIDEST

    @classmethod
    def of(cls, values: Floats, durations: bool = False, hours: bool = False) -> LinearScale:
        """The scale from 0 (or the least value, where that is below) to the largest of these values."""
        finite = values[np.isfinite(values)]
        low, high = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 1.0)
        return cls(min(low, 0.0), high if high > min(low, 0.0) else 1.0, durations, hours)

    @property
    def full_range(self) -> AxisRange:
        """Lowest and highest coordinate that a chart shows."""
        room = _MARGIN * (self.high - self.low)
        if room == 0:  # a range without an extent has no place for a line
            room = max(_MARGIN * abs(self.low), 0.5)
        return self.low - room, self.high + room

    def coordinates_of(self, values: Floats) -> Floats:
        """The coordinate of each value, same shape."""
        return np.asarray(values, np.float64)

    def value(self, coordinate: float) -> float:
        """The value at a coordinate."""
        return min(max(coordinate, self.low), self.high)

    def ticks(self, apart: float, seen: AxisRange | None = None) -> list[tuple[float, str]]:
        """Coordinates at least `apart` from each other, each with its text."""
        # Ticks are of what is seen: zoomed in, they get finer.
        low, high = max(self.low, (seen or self.full_range)[0]), min(self.high, (seen or self.full_range)[1])
        steps = _DURATION_STEPS if self.durations else _HOUR_STEPS if self.hours else _PLAIN_STEPS
        # Percentages have steps of their own; labels as close as is possible would be too many.
        if (self.low, self.high) == (0.0, 100.0):
            steps, apart = _PERCENT_STEPS, max(apart, 0.1 * (high - low))
        step = next((s for s in steps if s >= apart), steps[-1])
        # The small numbers take rounding back: a tick at the very end belongs to the axis.
        first, last = int(np.ceil(low / step - 1e-9)), int(np.floor(high / step + 1e-9))
        return [(k * step, self._text(k * step)) for k in range(first, last + 1)]

    def _text(self, value: float) -> str:
        if self.hours:
            return _in_hours(value)
        if self.parts:
            return f"{100 * value:.4g}"
        if not self.durations:
            return number(value) if abs(value) >= 1000 else f"{value:g}"
        if value < DAY:
            return "0" if value == 0 else duration(value)
        return f"{number(value / DAY)} d" if value % DAY == 0 else duration(value)


@dataclass(frozen=True)
class LogScale:
    """Values that span decades: the coordinate is the decimal logarithm.

    A value of 0 has no logarithm: it has its own line below the smallest positive value, separated by a break
    at the coordinate `gap`.
    """

    smallest: float  # positive value
    largest: float
    has_zero: bool
    durations: bool  # ticks at seconds, minutes, hours and days instead of powers of ten
    hours: bool = False  # ticks at powers of ten of hours, for values in processor-seconds
    widest = _WIDEST

    @classmethod
    def of(cls, values: Floats, durations: bool, hours: bool = False) -> LogScale:
        """The scale for all of these values; values that are not finite are ignored."""
        finite = values[np.isfinite(values)]
        # What is not positive has no logarithm; zero gets a line of its own, below the gap.
        positive = finite[finite > 0]
        if not len(positive):
            # Nothing is positive: any decade does, with the line of zero below it.
            return cls(1.0, 10.0, True, durations, hours)
        has_zero = bool((finite <= 0).any())
        return cls(float(positive.min()), float(positive.max()), has_zero, durations, hours)

    @property
    def _decades(self) -> float:
        return max(float(np.log10(self.largest / self.smallest)), 0.3)

    @property
    def zero(self) -> float:
        """Coordinate of the values of 0."""
        return float(np.log10(self.smallest)) - max(0.12 * self._decades, 0.05)

    @property
    def gap(self) -> float | None:
        """Coordinate of the break between 0 and the smallest positive value; None without a 0."""
        return (self.zero + float(np.log10(self.smallest))) / 2 if self.has_zero else None

    @property
    def full_range(self) -> AxisRange:
        """Lowest and highest coordinate that a chart shows."""
        room = _MARGIN * self._decades
        low = self.zero if self.has_zero else float(np.log10(self.smallest))
        return low - room, max(float(np.log10(self.largest)), low + self._decades) + room

    def coordinates_of(self, values: Floats) -> Floats:
        """The coordinate of each value, same shape; NaN stays NaN."""
        array = np.asarray(values, np.float64)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(array <= 0, self.zero, np.log10(array))

    def value(self, coordinate: float) -> float:
        """The value at a coordinate."""
        floor = -np.inf if self.gap is None else self.gap
        return 0.0 if coordinate < floor else float(min(max(10.0**coordinate, self.smallest), self.largest))

    def ticks(self, apart: float, seen: AxisRange | None = None) -> list[tuple[float, str]]:
        """Coordinates in the range `seen`, at least `apart` from each other, each with its text.

        The roundest values have priority, after 0, which has a place of its own below the `gap`.
        """
        low, high = seen or self.full_range
        chosen = [(self.zero, "0")] if self.has_zero and low <= self.zero <= high else []
        # Positive values are shown above the gap alone, also where less of the axis is seen.
        floor = low if self.gap is None else max(low, self.gap)
        # Candidates come roundest first, so a rounder value is never crowded out.
        for value in self._candidates(max(10.0**low, self.smallest), min(10.0**high, self.largest)):
            coordinate = float(np.log10(value))
            if floor <= coordinate <= high and all(abs(coordinate - c) >= apart for c, _ in chosen):
                chosen.append((coordinate, self._text(value)))
        return sorted(chosen)

    def _candidates(self, least: float, most: float) -> Iterator[float]:
        """Values that may carry a tick where these are the ends, in order of preference."""
        yield from _ROUND_DURATIONS if self.durations else _ROUND_HOURS if self.hours else _ROUND_NUMBERS
        # Over more than a decade the round values are enough; below it multiples of smaller steps fill in.
        if most > 20 * least:
            return
        # The largest unit in which the values are still several.
        units = [unit for unit in (1.0, MINUTE, HOUR, DAY) if unit <= least]
        unit = units[-1] if units and self.durations else HOUR if self.hours else 1.0
        step = unit * 10.0 ** np.floor(np.log10(max(most - least, 1e-6) / unit))
        for size in (step, step / 2, step / 5, step / 10):
            first = np.ceil(least / size) * size
            yield from (float(v) for v in first + size * np.arange(20) if 0 < v <= most)

    def _text(self, value: float) -> str:
        if self.hours:
            return _in_hours(value)
        if self.durations and (value < DAY or value % DAY):
            return duration(value)
        plain = value / DAY if self.durations else value
        return (number(plain) if plain >= 1000 else f"{plain:g}") + (" d" if self.durations else "")


@dataclass(frozen=True)
class CountScale:
    """Counts from 0 to `most` on the scale log(1 + count), so that a count of 1 is visible beside
    thousands.
    """

    most: int
    gap = None
    widest = "1 000 000"

    @property
    def full_range(self) -> AxisRange:
        """From 0 to a little over the most."""
        return 0.0, float(np.log1p(max(self.most, 1))) / (1 - _ABOVE)

    def coordinates_of(self, values: Floats) -> Floats:
        """The coordinate of each count, same shape."""
        return np.log1p(values)

    def value(self, coordinate: float) -> float:
        """The count at a coordinate, rarely a whole number."""
        return float(np.expm1(coordinate))

    def ticks(self, apart: float, seen: AxisRange | None = None) -> list[tuple[float, str]]:
        """Powers of ten, as far as they are `apart`."""
        low, high = seen or self.full_range
        chosen: list[tuple[float, str]] = []
        for count in (10**k for k in range(10) if 10**k <= self.most):
            coordinate = float(np.log1p(count))
            if low <= coordinate <= high and (not chosen or coordinate - chosen[-1][0] >= apart):
                chosen.append((coordinate, format_count(count)))
        return chosen


@dataclass(frozen=True)
class Categories:
    """Coordinates 0, 1, 2, ... for categories side by side, without ticks."""

    count: int
    gap = None
    widest = ""

    @property
    def full_range(self) -> AxisRange:
        """Half a step before the first coordinate to half a step after the last."""
        return -0.5, max(self.count, 1) - 0.5

    def coordinates_of(self, values: Floats) -> Floats:
        """The value itself."""
        return np.asarray(values, np.float64)

    def value(self, coordinate: float) -> float:
        """The coordinate itself."""
        return coordinate

    def ticks(self, apart: float, seen: AxisRange | None = None) -> list[tuple[float, str]]:
        """No ticks: each thing has a name of its own."""
        return []


@dataclass(frozen=True)
class LaneScale(Categories):
    """Lanes above each other, each a unit high; `most` seconds have the height `tall`, from the lower edge of
    a lane.
    """

    most: float = 1.0
    tall: float = 1.0
    widest = _WIDEST

    def ticks(self, apart: float, seen: AxisRange | None = None) -> list[tuple[float, str]]:
        """0 and the largest round duration in each lane, where there is room for both."""
        unit = self.tall / self.most
        # The last tick of a scale from 0 is the largest round duration that finds room.
        round_ones = LinearScale(0.0, self.most, durations=True).ticks(max(apart, 0.3) / unit)
        value, text = round_ones[-1]
        if value <= 0:
            return []
        feet = [lane - 0.5 for lane in range(self.count)]
        return [tick for foot in feet for tick in ((foot, "0"), (foot + value * unit, text))]


@dataclass(frozen=True)
class NamedSteps:
    """Coordinates 0, 1, 2, ... with ticks that name some of them: hours, days of the week."""

    names: tuple[str, ...]
    gap = None

    @property
    def widest(self) -> str:
        """The longest name."""
        return max(self.names, key=len)

    @property
    def full_range(self) -> AxisRange:
        """Half a step before the first coordinate to half a step after the last."""
        return -0.5, len(self.names) - 0.5

    def coordinates_of(self, values: Floats) -> Floats:
        """The value itself."""
        return np.asarray(values, np.float64)

    def value(self, coordinate: float) -> float:
        """The coordinate itself."""
        return coordinate

    def ticks(self, apart: float, seen: AxisRange | None = None) -> list[tuple[float, str]]:
        """Names at every first, second, third, sixth or twelfth coordinate; a few are shortened instead."""
        if 1 < apart <= _BRIEFER and len(self.names) <= _FEW:
            return [(k, name[:3]) for k, name in enumerate(self.names)]
        every = next((step for step in (1, 2, 3, 6) if step >= apart), 12)
        low, high = seen or self.full_range
        return [(k, self.names[k]) for k in range(0, len(self.names), every) if low <= k <= high]


@dataclass(frozen=True)
class ClockScale:
    """Times in seconds, and so are coordinates; `axis` gives the ticks and the larger units below them."""

    start: float
    end: float
    axis: TimeAxis
    gap = None
    widest = ""

    @property
    def full_range(self) -> AxisRange:
        """First and last time."""
        return self.start, self.end

    def coordinates_of(self, values: Floats) -> Floats:
        """The times themselves."""
        return np.asarray(values, np.float64)

    def value(self, coordinate: float) -> float:
        """The time at a coordinate, within the range."""
        return min(max(coordinate, self.start), self.end)

    def ticks(self, apart: float, seen: AxisRange | None = None) -> list[tuple[float, str]]:
        """No ticks: `axis` gives those of dates, which have two lines."""
        return []
