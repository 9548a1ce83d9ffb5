"""The painting of users' counts as pixels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from views.data.user_rows import UserRows
from views.data.violation_counts import Aggregate, CountColors, line_counts
from views.raster.request import RenderRequest
from views.theme.palette import Pixels
from views.theme.theme import Theme

if TYPE_CHECKING:
    from engine.fairness.violations import Steps


def paint_counts(
    request: RenderRequest,
    steps: Steps,
    rows: UserRows,
    aggregate: Aggregate,
    scale: CountColors,
    bright: frozenset[int] | None,
    theme: Theme,
) -> Pixels:
    """Pixels of the heatmap, shape (height, width); users that are not `bright` are faded, None: no
    user is.
    """
    of_user, of_pixel = rows.lines(request.height, request.ratio)
    lines = int(of_pixel.max(initial=0)) + 1
    counts = line_counts(steps, of_user, lines, request.window, request.width, aggregate)
    painted = scale.paint(counts, theme.dark, theme.chart, stands_back=bright is not None)
    if bright is not None:
        chosen = np.zeros(len(of_user), bool)
        chosen[[user for user in bright if user < len(of_user)]] = True
        own = np.where(chosen, of_user, -1)
        lit = np.unique(own[own >= 0])
        counts = line_counts(steps, own, lines, request.window, request.width, aggregate)
        painted[lit] = scale.paint(counts[lit], theme.dark, theme.chart)
    return np.ascontiguousarray(painted[of_pixel])
