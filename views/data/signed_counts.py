"""Counts that may be negative: the count that a pixel shows, and its colour. No Qt here."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Ints, Mask
from views.data.violation_counts import LEAST, Aggregate, line_counts, user_counts
from views.theme.palette import Pixels, change_colours, hex_colour, mix, pixel

if TYPE_CHECKING:
    from engine.fairness.violations import UserSteps


_STEPS = 256
_FAINTEST = 0.25
"""Position of the least change on the scale, 0 to 1: it must differ visibly from no change."""

NO_CHANGE = 1e-9
"""Means nearer to 0 are roundings of it."""

_DIMMED = 0.8  # share of the background in faded colours


@dataclass(frozen=True)
class SignedScale:
    """Blue for what is below 0 and orange for what is above, from `least` to `most` either way, logarithmic.

    0 is grey where there is anything at all, else it has the colour of the background.
    """

    least: float
    most: float

    def shares_of(self, size: NDArray[Any]) -> NDArray[np.float64]:
        """The position on the colour scale, from `_FAINTEST` to 1, of the size of a positive change."""
        if self.most <= self.least:
            return np.ones(len(size))
        share = np.log(np.maximum(size, self.least) / self.least) / np.log(self.most / self.least)
        return np.asarray(_FAINTEST + (1 - _FAINTEST) * np.minimum(share, 1.0))

    def paint(
        self, values: NDArray[Any], there: Mask, dark: bool, background: str, stands_back: bool = False
    ) -> Pixels:
        """A pixel for each value, same shape; `there`, same shape, marks the zeros to paint grey."""
        colours = _colours(dark, background, stands_back)
        painted = np.where(there, colours[_STEPS], np.uint32(pixel(background)))
        changed = values != 0
        counts = values[changed]
        level = np.sign(counts) * np.ceil(self.shares_of(np.abs(counts)) * _STEPS)
        painted[changed] = colours[level.astype(np.int64) + _STEPS]
        return painted

    def bar(self, dark: bool) -> Pixels:
        """The colours from the most negative to the most positive count, grey around 0."""
        colours, unused = change_colours(dark, _STEPS).copy(), int(_FAINTEST * _STEPS)
        colours[_STEPS - unused : _STEPS + unused + 1] = colours[_STEPS]
        return colours


def signed_scale(steps: UserSteps, aggregate: Aggregate = "max") -> SignedScale:
    """The scale of all counts; means below 0.1 have the colour of 0.1."""
    return SignedScale(LEAST[aggregate], max(int(np.abs(steps.count).max(initial=1)), 1))


def signed_counts(
    steps: UserSteps,
    line: Ints,
    lines: int,
    window: tuple[float, float],
    width: int,
    aggregate: Aggregate = "max",
) -> NDArray[Any]:
    """The value of each line in each column, shape (lines, width): by `max` the count furthest from 0.

    Of a rise and a fall as large it is the rise; by `mean` it is the mean of all users of the line. Users
    are drawn into line[user], none where that is negative; `window` is in seconds.
    """
    up, down = (replace(steps, count=np.maximum(sign * steps.count, 0)) for sign in (1, -1))
    more, fewer = (line_counts(counted, line, lines, window, width, aggregate) for counted in (up, down))
    if aggregate == "max":
        return np.asarray(np.where(more >= fewer, more, -fewer))
    means = np.asarray(more - fewer)
    means[np.abs(means) < NO_CHANGE] = 0
    return means


def signed_extreme(steps: UserSteps, user: int, start: float, end: float) -> int:
    """The user's count furthest from 0 at any time from `start` to `end`, in minutes."""
    count, _ = user_counts(steps, user, start, end)
    more, fewer = int(count.max(initial=0)), int(count.min(initial=0))
    return more if more >= -fewer else fewer


def signed_totals(steps: UserSteps) -> Ints:
    """Violated jobs more or fewer times minutes of each user, shape (users,)."""
    return replace(steps, count=np.abs(steps.count)).totals


@lru_cache(maxsize=4)
def _colours(dark: bool, background: str, stands_back: bool) -> Pixels:
    """The colours of `change_colours`, with the grey of no change; perhaps drawn back."""
    colours = change_colours(dark, _STEPS)
    if not stands_back:
        return colours
    back = [pixel(mix(hex_colour(int(colour)), background, _DIMMED)) for colour in colours]
    return np.array(back, np.uint32)
