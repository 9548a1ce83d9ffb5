"""Capacity that is lost: the hatch over processors that idle while jobs wait for processors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from engine.schedule import Schedule
from views.palette import Pixels, gradient, mix, pixel
from views.want import Want

if TYPE_CHECKING:
    from engine.metrics.loss import Idle

_PLAIN, _STRIPED = 0.12, 0.6
"""Shares of the warning colour in the hatch and in its stripes where all that idles is asked for."""


def idle_of(schedule: Schedule) -> Idle:
    """What of the machine idles over time, and how much of that is asked for."""
    from engine.metrics.loss import idle_over_time

    return idle_over_time(schedule)


def hatch_idle(pixels: Pixels, want: Want, idle: Idle, ground: str, warning: str) -> None:
    """Hatch what has the ground's colour: the stronger, the more of what idles there is asked for."""
    from views.columns import column_statistics
    from views.raster import hatch

    means = [
        column_statistics(series.time, series.value.astype(np.float64), want.window, want.width)[1]
        for series in idle
    ]
    share = np.clip(means[1] / np.maximum(means[0], 1e-9), 0.0, 1.0)
    level = (share * 255 + 0.5).astype(np.int64)
    plain, striped = (gradient((ground, mix(ground, warning, most))) for most in (_PLAIN, _STRIPED))
    hatch(pixels, pixel(ground), plain[level], striped[level])
