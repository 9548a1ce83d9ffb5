"""Counts that may be below 0: which one a pixel shows, and in which colour. No Qt here."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from views.palette import Pixels, change_colours

if TYPE_CHECKING:
    from engine.fairness.violations import Steps

Ints = NDArray[np.int64]

MINUTE = 60
_STEPS = 256
_FAINTEST = 0.25
"""A change of one job has this place on the scale: it must be told from none."""


def signed_counts(steps: Steps, line: Ints, lines: int, window: tuple[float, float], width: int) -> Ints:
    """The count furthest from 0 of each line in each column, shape (lines, width); rises before falls.

    Users are drawn into line[user], none where that is negative; `window` is in seconds.
    """
    from views.columns import row_maxima

    minutes = window[0] / MINUTE, window[1] / MINUTE

    def greatest(count: Ints) -> Ints:
        offset, minute = np.array(steps.offset), np.array(steps.minute)
        return row_maxima(offset, minute, count, line, lines, minutes, width).astype(np.int64)

    more, fewer = greatest(np.maximum(steps.count, 0)), greatest(np.maximum(-steps.count, 0))
    return np.where(more >= fewer, more, -fewer)


def signed_extreme(steps: Steps, user: int, start: float, end: float) -> int:
    """The user's count furthest from 0 at any time from `start` to `end`, in minutes."""
    minute, count = steps.of_user(user)
    first = max(bisect_right(minute, start) - 1, 0)
    held = count[first : bisect_left(minute, end)]
    more, fewer = int(held.max(initial=0)), int(held.min(initial=0))
    return more if more >= -fewer else fewer


def signed_most(steps: Steps) -> int:
    """The end of the scale, upwards and downwards; at least 1."""
    return max(int(np.abs(steps.count).max(initial=1)), 1)


def signed_colours(most: int, dark: bool, blank: int) -> Pixels:
    """A pixel for each count from -most to `most`, `blank` for 0, on a log scale; shape (2 most + 1,)."""
    colours = change_colours(dark, _STEPS)
    count = np.arange(-most, most + 1)
    place = np.sign(count) * np.ceil(signed_place(np.abs(count), most) * _STEPS)
    table = colours[place.astype(np.int64) + _STEPS]
    table[most] = blank
    return np.asarray(table, np.uint32)


def signed_place(count: Ints, most: int) -> NDArray[np.float64]:
    """Where a count from 0 to `most` lies between 0 and 1."""
    if most <= 1:
        return np.minimum(count, 1).astype(np.float64)
    share = np.log(np.maximum(count, 1)) / np.log(most)
    return np.where(count > 0, _FAINTEST + (1 - _FAINTEST) * share, 0.0)


def changed_most(steps: Steps) -> Ints:
    """Codes of the users with any change, those with the most violated minutes more or fewer first."""
    totals = replace(steps, count=np.abs(steps.count)).totals
    users = np.flatnonzero(totals > 0)
    return np.asarray(users[np.argsort(-totals[users], kind="stable")], np.int64)
