"""From changes of counts to pixels: orange for more, blue for fewer, nothing for none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from views.legend import Bar
from views.palette import Pixels, change_colours, pixel
from views.signed import signed_colours, signed_counts, signed_place
from views.style import Theme
from views.user_rows import UserRows
from views.want import Want
from views.words import spell_count

if TYPE_CHECKING:
    from engine.fairness.violations import Steps

_DIMMED = 0.8  # share of the background in rows that are not selected


def paint_signed_counts(
    want: Want, steps: Steps, rows: UserRows, most: int, bright: frozenset[int] | None, theme: Theme
) -> Pixels:
    """Pixels of the heatmap, shape (height, width); users that are not `bright` stand back, None: nobody."""
    line, line_of_pixel = rows.lines(want.height, want.ratio)
    lines = int(line_of_pixel.max(initial=0)) + 1
    table = signed_colours(most, theme.dark, pixel(theme.chart))
    counts = signed_counts(steps, line, lines, want.window, want.width)
    painted = table[np.clip(counts, -most, most) + most]
    if bright is not None:
        painted = _stand_back(table, theme)[np.clip(counts, -most, most) + most]
        chosen = np.isin(np.arange(len(line)), np.array(sorted(bright), np.int64)) & (line >= 0)
        lit = np.unique(line[chosen])
        own = signed_counts(steps, np.where(chosen, line, -1), lines, want.window, want.width)
        painted[lit] = table[np.clip(own[lit], -most, most) + most]
    return np.ascontiguousarray(painted[line_of_pixel])


def count_legend(most: int, dark: bool) -> Bar:
    """The colours with their counts."""
    counts = [10**k for k in range(10) if 10**k < most] + [most]
    places = [float(signed_place(np.array([count]), most)[0]) for count in counts]
    few = [((1 - place) / 2, spell_count(count)) for count, place in zip(counts, places, strict=True)]
    many = [((1 + place) / 2, spell_count(count)) for count, place in zip(counts, places, strict=True)]
    few[-1] = (0.0, f"{spell_count(most)} fewer")
    many[-1] = (1.0, f"{spell_count(most)} more")
    return Bar(change_colours(dark), (*reversed(few), *many), "violated jobs")


def _stand_back(table: Pixels, theme: Theme) -> Pixels:
    """The colours drawn back towards the background."""
    under = pixel(theme.chart)
    parts = []
    for shift in (16, 8, 0):
        part = (table >> shift & 0xFF) * (1 - _DIMMED) + (under >> shift & 0xFF) * _DIMMED
        parts.append(part.astype(np.uint32) << shift)
    return np.asarray(0xFF000000 | parts[0] | parts[1] | parts[2], np.uint32)
