"""Bars that dwarf all others in their plot: they may be cut, so that the others can be told apart."""

from __future__ import annotations

import numpy as np

from engine.arrays import Floats

CUT = "↑"
"""Before the value of a bar that is cut."""

DWARFED = "A bar hides how the others differ: {option} cuts bars over 4 times as high as all others."
"""Offers an option that cuts bars."""

WERE_CUT = f"{CUT}: the bar is cut; it is over 4 times as high as all others."

_TIMES, _ABOVE_OTHERS = 4.0, 1.3
"""Bars so many times as high as all others may be cut, at so many times the highest of these."""

_PART = 3
"""At most one in so many bars is cut, and one bar always may be."""


def dwarfed_top(means: Floats) -> float | None:
    """The highest bar of those that the highest bars dwarf, None where no bars do. NaN: no bar.

    >>> dwarfed_top(np.array([3.0, 2.0, 40.0]))
    3.0
    """
    known = np.sort(means[np.isfinite(means)])[::-1]
    for count in range(1, min(max(len(known) // _PART, 1), len(known) - 1) + 1):
        if 0 < _TIMES * known[count] < known[count - 1]:
            return float(known[count])
    return None


def cut_top(top: float) -> float:
    """The height at which bars are cut that dwarf others up to `top`."""
    return _ABOVE_OTHERS * top
