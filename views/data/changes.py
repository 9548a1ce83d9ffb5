"""Changes of a start or of a wait: their scale of colours, and how they are written."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from views.text.counts import format_count
from views.text.values import DAY, HOUR, MINUTE, duration
from views.theme.palette import Pixels, change_colours, hex_colour

LINEAR = float(MINUTE)
"""Seconds up to which the scale is nearly linear; beyond it is logarithmic."""

LONGEST = 7.0 * DAY
"""Changes beyond this, in seconds, have the last colour: the same scale for all pairs of runs."""

_STEPS = 256


CHANGE_BOUNDS = (-DAY - 1, -6 * HOUR - 1, -HOUR - 1, -1.0, 0.0, 1.0 * HOUR, 6.0 * HOUR, 1.0 * DAY)
CHANGE_NAMES = (
    "> 1 d earlier", "≤ 1 d", "≤ 6 h", "≤ 1 h", "same start", "≤ 1 h", "≤ 6 h", "≤ 1 d", "> 1 d later"
)  # fmt: skip
"""Classes of changes: class k holds whole seconds up to CHANGE_BOUNDS[k], the last class all above."""

_WITHIN = (-3 * DAY, -DAY / 2, -2 * HOUR, -HOUR / 4, 0.0, HOUR / 4, 2 * HOUR, DAY / 2, 3 * DAY)


def class_colours(dark: bool) -> tuple[str, ...]:
    """The colour of each class."""
    return tuple(hex_colour(int(value)) for value in change_pixels(np.array(_WITHIN).astype(np.int64), dark))


def change_position(seconds: NDArray[np.int64] | NDArray[np.float64]) -> NDArray[np.float64]:
    """The position of each change from -1 (earliest) through 0 to 1: sign times log(1 + |s| / 1 min),
    scaled.
    """
    size = np.minimum(np.abs(seconds), LONGEST)
    return np.asarray(np.sign(seconds) * np.log1p(size / LINEAR) / np.log1p(LONGEST / LINEAR))


def change_pixels(seconds: NDArray[np.int64], dark: bool) -> Pixels:
    """A pixel for each change in seconds, same shape: grey for none at all."""
    position = change_position(seconds)
    level = np.sign(position) * np.ceil(np.abs(position) * _STEPS)
    return np.asarray(change_colours(dark, _STEPS)[level.astype(np.int64) + _STEPS], np.uint32)


def format_change(seconds: float) -> str:
    """`2 h 5 min earlier`, `3 min later`, `at the same time`."""
    if not seconds:
        return "at the same time"
    return f"{duration(abs(seconds))} {'later' if seconds > 0 else 'earlier'}"


def format_offset(seconds: float) -> str:
    """Format the offset of charts that are shown later than others: `+2 h 10 min`, `−3 d`."""
    return f"{'+' if seconds > 0 else '−'}{duration(abs(seconds))}"


def describe_outcomes(changes: NDArray[np.int64]) -> str:
    """Describe starts against planned starts, in seconds: `3 came earlier, 1 in time, 2 later`."""
    counts = ((changes < 0).sum(), (changes == 0).sum(), (changes > 0).sum())
    lines = [
        f"{format_count(int(n))} {word}"
        for n, word in zip(counts, ("earlier", "in time", "later"), strict=True)
        if n
    ]
    return ", ".join(lines)
