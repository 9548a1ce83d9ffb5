"""Changes of counts as pixels: orange for more, blue for fewer, grey for as many, nothing for none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from views.data.signed_counts import SignedScale, signed_counts
from views.data.user_rows import UserRows
from views.data.violation_counts import Aggregate, line_counts
from views.raster.request import RenderRequest
from views.text.counts import format_count
from views.theme.palette import Pixels
from views.theme.theme import Theme
from views.timechart.legend import Bar

if TYPE_CHECKING:
    from engine.fairness.violations import Steps


def paint_signed_counts(
    request: RenderRequest,
    steps: Steps,
    before: Steps,
    rows: UserRows,
    aggregate: Aggregate,
    scale: SignedScale,
    bright: frozenset[int] | None,
    theme: Theme,
) -> Pixels:
    """Pixels of the heatmap, shape (height, width); users that are not `bright` are faded, None: no user is.

    `steps` are changes of the counts `before`: where nothing changes and there was something, it is grey.
    """
    of_user, of_pixel = rows.lines(request.height, request.ratio)
    lines = int(of_pixel.max(initial=0)) + 1

    def paint(line: np.ndarray, stands_back: bool) -> Pixels:
        counts = signed_counts(steps, line, lines, request.window, request.width, aggregate)
        there = line_counts(before, line, lines, request.window, request.width, "max") > 0
        return scale.paint(counts, there, theme.dark, theme.chart, stands_back)

    painted = paint(of_user, bright is not None)
    if bright is not None:
        own = np.where(np.isin(np.arange(len(of_user)), list(bright)), of_user, -1)
        lit = np.unique(own[own >= 0])
        painted[lit] = paint(own, stands_back=False)[lit]
    return np.ascontiguousarray(painted[of_pixel])


def count_legend(scale: SignedScale, dark: bool) -> Bar:
    """The colours with their counts: powers of ten are marked between the ends."""
    inner = [10.0**k for k in range(-1, 10) if scale.least < 10.0**k < scale.most]
    shares = scale.shares_of(np.array([scale.least, *inner])).tolist() if scale.most > scale.least else []
    few, many = ([((1 + sign * share) / 2, "") for share in shares] for sign in (-1, 1))
    most = format_count(scale.most)
    marks = ((0.0, f"{most} fewer"), *reversed(few), *many, (1.0, f"{most} more"))
    return Bar(scale.bar(dark), marks, "violated jobs, grey: as many", ("grey: as many",))
