"""Counts of violations by user and time: what a pixel shows of them, and its colour. No Qt here."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from views.text.counts import format_count
from views.theme.palette import Pixels, heat_colours, mix, pixel

if TYPE_CHECKING:
    from engine.fairness.violations import UserSteps

Aggregate = Literal["max", "mean"]
"""What a pixel shows of the counts that it covers, of minutes and users: the greatest, or the mean."""

_MINUTE = 60
LEAST: dict[Aggregate, float] = {"max": 1.0, "mean": 0.1}
"""The count with the first colour."""

_DIMMED = 0.75  # share of the background in faded colours


@dataclass(frozen=True)
class CountColors:
    """Colours from `least` to `most`, both above 0; values beyond them get the nearest colour.

    Nothing (0) has the colour of the background, so that the least count can be distinguished from it.
    """

    least: float
    most: float

    def paint(self, values: NDArray[Any], dark: bool, background: str, stands_back: bool = False) -> Pixels:
        """A pixel for each value, same shape."""
        painted = np.full(values.shape, pixel(background), np.uint32)
        there = values > 0
        painted[there] = _colours(dark, background, stands_back)[self._colour_indices(values[there])]
        return painted

    def marks(self) -> tuple[tuple[float, str], ...]:
        """Positions (0..1) of the ends and of the powers of ten between them, with their texts."""
        low, high = int(np.floor(np.log10(self.least))), int(np.ceil(np.log10(self.most)))
        inner = [10.0**k for k in range(low, high) if self.least < 10.0**k < self.most]
        values = np.array([self.least, *inner, self.most])
        return tuple(zip(self._share(values).tolist(), map(_format_value, values.tolist()), strict=True))

    def _colour_indices(self, values: NDArray[Any]) -> NDArray[np.int64]:
        return np.rint(255 * self._share(values)).astype(np.int64)

    def _share(self, values: NDArray[Any]) -> NDArray[np.float32]:
        """The position of values between the ends, 0..1; single precision is several times faster."""
        if self.most <= self.least:
            return np.ones(len(values), np.float32)
        span = np.float32(np.log(self.most / self.least))
        share = np.log(values.astype(np.float32) / np.float32(self.least)) / span
        return np.asarray(np.clip(share, 0, 1), np.float32)


def scale_of(aggregate: Aggregate, most: float) -> CountColors:
    """The scale of colours up to `most` jobs; means below 0.1 have the colour of 0.1."""
    return CountColors(LEAST[aggregate], max(most, 1.0))


def line_counts(
    steps: UserSteps,
    line: NDArray[np.int64],
    lines: int,
    window: tuple[float, float],
    width: int,
    aggregate: Aggregate,
) -> NDArray[Any]:
    """The count that each line shows in each pixel column, shape (lines, width).

    `line`, shape (users,), is the line of each user, -1 for none; `window` is in seconds.
    """
    from views.raster.columns import row_maxima, row_means

    minutes = window[0] / _MINUTE, window[1] / _MINUTE
    offset, minute, count = (
        np.require(column, np.int64, ["C", "W"]) for column in (steps.offset, steps.minute, steps.count)
    )
    kernel = row_maxima if aggregate == "max" else row_means
    return kernel(offset, minute, count, line, lines, minutes, width)


def user_counts(
    steps: UserSteps, user: int, start: float, end: float
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The user's counts from `start` to `end`, in minutes, and how many minutes each of them holds."""
    minute, count = steps.of_user(user)
    first = max(bisect_right(minute, start) - 1, 0)
    last = bisect_left(minute, end)
    edges = np.clip(np.append(minute[first:last], minute[last : last + 1]), start, end)
    held = count[first:last]
    return held, np.diff(edges, append=end)[: len(held)]


@lru_cache(maxsize=4)
def _colours(dark: bool, background: str, stands_back: bool) -> Pixels:
    scale = heat_colours(dark)
    if not stands_back:
        return scale
    hex_colours = (f"#{int(value) & 0xFFFFFF:06x}" for value in scale)
    return np.array([pixel(mix(colour, background, _DIMMED)) for colour in hex_colours], np.uint32)


def _format_value(value: float) -> str:
    return format_count(value) if value >= 1 else f"{value:g}"
