"""A run over the whole trace, in pixels: use of processors as an area, violations as a band below it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from views.data.violation_counts import CountColors
from views.raster.areas import column_levels, fill_columns
from views.raster.request import RenderRequest
from views.theme.palette import Pixels, mix, pixel
from views.theme.theme import Theme

if TYPE_CHECKING:
    from engine.fairness.violations import UserSteps
    from engine.metrics.series import StepSeries

BAND = 6
"""Height of the band of violations, in pixels."""

_MEAN = 0.3  # share of the background in the colour of the use


def late_jobs(steps: UserSteps) -> StepSeries:
    """The violated jobs of all users over time."""
    from engine.metrics.series import StepSeries

    minute, count = steps.of_all
    return StepSeries(60 * minute, count)


def paint_overview(
    request: RenderRequest, used: StepSeries, capacity: int, late: StepSeries, theme: Theme
) -> Pixels:
    """Pixels, shape (height, width): the mean use of each column, below it its most violated jobs.

    `late` counts the violated jobs of all users.
    """
    band = min(round(BAND * request.ratio), request.height)
    pixels = np.full((request.height, request.width), pixel(theme.chart), np.uint32)
    area = pixels[: request.height - band]
    mean, _ = column_levels(used, request)
    fill_columns(area, mean / max(capacity, 1) * len(area), mix(theme.cpu, theme.chart, _MEAN))
    _, most = column_levels(late, request)
    scale = CountColors(1, max(float(late.value.max(initial=1)), 1))
    pixels[request.height - band :] = scale.paint(most, theme.dark, theme.chart)
    return pixels
