"""From changes of counts to pixels: orange for more, blue for fewer, nothing for none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from views.heatmap.rows import UserRows
from views.legend import Bar
from views.palette import Pixels, change_colours, pixel
from views.picture import Want
from views.style import Theme
from views.words import spell_count

if TYPE_CHECKING:
    from engine.fairness.violations import Steps

MINUTE = 60
_STEPS = 256
_FAINTEST = 0.25
"""A change of one job has this place on the scale: it must be told from none."""

_DIMMED = 0.8  # share of the background in rows that are not selected


def paint_signed_counts(
    want: Want, steps: Steps, rows: UserRows, most: int, picked: frozenset[int], theme: Theme
) -> Pixels:
    """Pixels of the heatmap, shape (height, width); users that are not `picked`, if any are, stand back.

    A pixel shows the count furthest from 0; of a rise and a fall as large the rise.
    """
    line, lines = rows.lines(want.height)
    table = colour_table(most, theme)
    counts = _extremes(want, steps, line, lines)
    painted = table[np.clip(counts, -most, most) + most]
    if picked:
        painted = _stand_back(table, theme)[np.clip(counts, -most, most) + most]
        chosen = np.isin(np.arange(len(line)), np.array(sorted(picked), np.int64)) & (line >= 0)
        lit = np.unique(line[chosen])
        own = _extremes(want, steps, np.where(chosen, line, -1), lines)
        painted[lit] = table[np.clip(own[lit], -most, most) + most]
    return np.ascontiguousarray(painted[rows.stretch(lines, want.height)])


def _extremes(want: Want, steps: Steps, line: NDArray[np.int64], lines: int) -> NDArray[np.int64]:
    """The count furthest from 0 of each line in each column, shape (lines, width)."""
    from views.columns import row_maxima

    window = want.window[0] / MINUTE, want.window[1] / MINUTE

    def greatest(count: NDArray[np.int64]) -> NDArray[np.int64]:
        offset, minute = np.array(steps.offset), np.array(steps.minute)
        return row_maxima(offset, minute, count, line, lines, window, want.width).astype(np.int64)

    more, fewer = greatest(np.maximum(steps.count, 0)), greatest(np.maximum(-steps.count, 0))
    return np.where(more >= fewer, more, -fewer)


def signed_extreme(steps: Steps, user: int, start: float, end: float) -> int:
    """The user's count furthest from 0 at any time from `start` to `end`, in minutes."""
    minute, count = steps.of_user(user)
    first = max(int(np.searchsorted(minute, start, "right")) - 1, 0)
    held = count[first : int(np.searchsorted(minute, end, "left"))]
    more, fewer = int(held.max(initial=0)), int(held.min(initial=0))
    return more if more >= -fewer else fewer


def colour_table(most: int, theme: Theme) -> Pixels:
    """A pixel for each count from -most to `most`, the background for 0; log scale; shape (2 most + 1,)."""
    colours = change_colours(theme.dark, _STEPS)
    count = np.arange(-most, most + 1)
    place = np.sign(count) * np.ceil(_place(np.abs(count), most) * _STEPS)
    table = colours[place.astype(np.int64) + _STEPS]
    table[most] = pixel(theme.chart)
    return np.asarray(table, np.uint32)


def count_legend(most: int, dark: bool) -> Bar:
    """The colours with their counts."""
    counts = [10**k for k in range(10) if 10**k < most] + [most]
    places = [float(_place(np.array([count]), most)[0]) for count in counts]
    few = [((1 - place) / 2, spell_count(count)) for count, place in zip(counts, places, strict=True)]
    many = [((1 + place) / 2, spell_count(count)) for count, place in zip(counts, places, strict=True)]
    few[-1] = (0.0, f"{spell_count(most)} fewer")
    many[-1] = (1.0, f"{spell_count(most)} more")
    return Bar(change_colours(dark, _STEPS), (*reversed(few), *many), "violated jobs")


def _place(count: NDArray[np.int64], most: int) -> NDArray[np.float64]:
    """Where a count from 0 to `most` lies between 0 and 1; 1 lies at _FAINTEST."""
    if most <= 1:
        return np.minimum(count, 1).astype(np.float64)
    share = np.log(np.maximum(count, 1)) / np.log(most)
    return np.where(count > 0, _FAINTEST + (1 - _FAINTEST) * share, 0.0)


def _stand_back(table: Pixels, theme: Theme) -> Pixels:
    """The colours drawn back towards the background."""
    under = pixel(theme.chart)
    parts = [
        (
            ((table >> shift & 0xFF) * (1 - _DIMMED) + (under >> shift & 0xFF) * _DIMMED).astype(np.uint32)
            << shift
        )
        for shift in (16, 8, 0)
    ]
    return np.asarray(0xFF000000 | parts[0] | parts[1] | parts[2], np.uint32)
