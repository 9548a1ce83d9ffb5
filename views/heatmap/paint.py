"""From counts to pixels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from views.counts import CountScale
from views.palette import Pixels
from views.picture import Want
from views.style import Theme
from views.user_rows import UserRows

if TYPE_CHECKING:
    from engine.fairness.violations import Steps

Measure = Literal["max", "mean"]
"""What a pixel shows of the time and of the users that it covers."""

MINUTE = 60

LEAST: dict[Measure, float] = {"max": 1.0, "mean": 0.1}
"""The count with the first colour; a lower mean has it too."""


def paint_counts(
    want: Want,
    steps: Steps,
    rows: UserRows,
    measure: Measure,
    scale: CountScale,
    picked: frozenset[int] | None,
    theme: Theme,
) -> Pixels:
    """Pixels of the heatmap, shape (height, width); who is not `picked` stands back, None: nobody."""
    of_user, of_pixel = rows.lines(want.height, want.ratio)
    painted = scale.paint(
        counts(want, steps, of_user, of_pixel, measure),
        theme.dark,
        theme.chart,
        stands_back=picked is not None,
    )
    if picked is not None:
        chosen = np.zeros(len(of_user), bool)
        chosen[[user for user in picked if user < len(of_user)]] = True
        own = np.where(chosen, of_user, -1)
        lit = np.unique(own[own >= 0])
        painted[lit] = scale.paint(counts(want, steps, own, of_pixel, measure)[lit], theme.dark, theme.chart)
    return np.ascontiguousarray(painted[of_pixel])


def counts(
    want: Want, steps: Steps, line: NDArray[np.int64], of_pixel: NDArray[np.int64], measure: Measure
) -> NDArray[Any]:
    """What each line shows in each pixel column, shape (lines, width); `line` is that of each user, or -1."""
    from views.columns import row_maxima, row_means

    lines = int(of_pixel.max(initial=0)) + 1
    window = want.window[0] / MINUTE, want.window[1] / MINUTE
    offset, minute, count = (
        np.require(column, np.int64, ["C", "W"]) for column in (steps.offset, steps.minute, steps.count)
    )
    kernel = row_maxima if measure == "max" else row_means
    return kernel(offset, minute, count, line, lines, window, want.width)
