"""From counts to pixels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from views.heatmap.rows import UserRows
from views.palette import Pixels, heat_colours, mix, pixel
from views.picture import Want
from views.style import Theme
from views.words import spell_count

if TYPE_CHECKING:
    from engine.fairness.violations import Steps

MINUTE = 60
MOST_COLOURS = 1 << 16
_DIMMED = 0.75  # share of the background in rows that are not selected


def paint_counts(
    want: Want, steps: Steps, rows: UserRows, most: int, picked: frozenset[int], theme: Theme
) -> Pixels:
    """Pixels of the heatmap, shape (height, width); users that are not `picked`, if any are, stand back."""
    from views.columns import row_maxima

    line, lines = rows.lines(want.height)
    window = want.window[0] / MINUTE, want.window[1] / MINUTE
    columns = (steps.offset, steps.minute, steps.count)

    def counts(of: NDArray[np.int64]) -> NDArray[np.int32]:
        offset, minute, count = (np.require(column, np.int64, ["C", "W"]) for column in columns)
        return row_maxima(offset, minute, count, of, lines, window, want.width)

    table = count_colours(most, theme)
    if not picked:
        painted = table[np.minimum(counts(line), len(table) - 1)]
    else:
        painted = _stand_back(table, theme)[np.minimum(counts(line), len(table) - 1)]
        chosen = np.zeros(len(line), bool)
        chosen[[user for user in picked if user < len(line)]] = True
        chosen &= line >= 0
        lit = np.unique(line[chosen])
        own = counts(np.where(chosen, line, -1))
        painted[lit] = table[np.minimum(own[lit], len(table) - 1)]
    return np.ascontiguousarray(painted[rows.stretch(lines, want.height)])


def count_colours(most: int, theme: Theme) -> Pixels:
    """A pixel for each count from 0 (the background) to `most`, on a log scale; shape (at most 65,537,)."""
    size = min(most, MOST_COLOURS)
    scale = heat_colours(theme.dark)
    place = np.round(_share(np.arange(1, size + 1), size) * (len(scale) - 1)).astype(int)
    return np.concatenate((np.array([pixel(theme.chart)], np.uint32), scale[place]))


def count_marks(most: int) -> tuple[tuple[float, str], ...]:
    """Places (0..1) of 1, 10, 100 and so on, and of `most`, on the scale of colours."""
    decades = [10**k for k in range(10) if 10**k < most]
    return tuple((float(_share(np.array([c]), most)[0]), spell_count(c)) for c in (*(decades or [1]), most))


def _share(count: NDArray[np.int64], most: int) -> NDArray[np.float64]:
    """Where a count lies between 1 and `most`, on a log scale."""
    return np.log(count) / np.log(most) if most > 1 else np.ones(len(count))


def _stand_back(table: Pixels, theme: Theme) -> Pixels:
    spelled = (f"#{int(value) & 0xFFFFFF:06x}" for value in table)
    if len(table) <= 4096:
        return np.array([pixel(mix(colour, theme.chart, _DIMMED)) for colour in spelled], np.uint32)
    places = np.linspace(0, len(table) - 1, 4096).astype(int)
    few = _stand_back(table[places], theme)
    return few[np.searchsorted(places, np.arange(len(table)), "right") - 1]
