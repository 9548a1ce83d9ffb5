"""Capacity that is lost: the hatch over processors that idle while jobs wait for them, and its words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from engine.schedule.schedule import Schedule
from views.raster.request import RenderRequest
from views.text.counts import format_count, plural
from views.text.ticks import TimeAxis
from views.theme.palette import Pixels, gradient, mix, pixel

if TYPE_CHECKING:
    from engine.metrics.loss import Idle

_PLAIN, _STRIPED = 0.12, 0.6
"""Shares of the warning colour in the hatch and in its stripes where all that idles is asked for."""


def idle_of(schedule: Schedule) -> Idle:
    """Idle resources of the machine over time, and the part of them that waiting jobs request."""
    from engine.metrics.loss import idle_over_time

    return idle_over_time(schedule)


def hatch_idle(pixels: Pixels, request: RenderRequest, idle: Idle, ground: str, warning: str) -> None:
    """Hatch what has the ground's colour: the stronger, the more of what idles there is asked for."""
    from views.raster.columns import column_statistics
    from views.raster.jobs import hatch

    means = [
        column_statistics(series.wide[0], series.value.astype(np.float64), request.window, request.width)[1]
        for series in (idle.idle, idle.wanted)
    ]
    # Where nothing is idle nothing is asked for in vain; the tiny number keeps the quotient finite.
    share = np.clip(means[1] / np.maximum(means[0], 1e-9), 0.0, 1.0)
    # A table of 256 mixtures of both colours serves all columns.
    level = (share * 255 + 0.5).astype(np.int64)
    plain, striped = (gradient((ground, mix(ground, warning, most))) for most in (_PLAIN, _STRIPED))
    hatch(pixels, pixel(ground), plain[level], striped[level])


def describe_idle(idle: Idle, start: float, end: float, axis: TimeAxis) -> list[str]:
    """Describe idle and requested processors at the moment between two times (s) at which most of the idle
    ones are requested.
    """
    time, wanted = idle.wanted.time, idle.wanted.value
    # From the step before the range on, whose value reaches into it.
    low, high = max(int(np.searchsorted(time, start, "right")) - 1, 0), int(np.searchsorted(time, end))
    if low >= high or not wanted[low:high].any():
        return []
    at = low + int(wanted[low:high].argmax())
    # The stretch began behind the last moment at which nothing was asked for.
    before = np.flatnonzero(wanted[:at] == 0)
    since = time[before[-1] + 1 if len(before) else 0]
    free, jobs, asked = (int(series.value[at]) for series in (idle.idle, idle.waiting, idle.wanted))
    amount = "as many" if asked == free else format_count(asked)
    return [
        f"{_do(free, 'processor', 'idle')} while {_do(jobs, 'job', 'wait')} for {amount}",
        f"since {axis.format(float(since))}",
    ]


def _do(count: int, noun: str, verb: str) -> str:
    return f"{plural(count, noun)} {verb}{'s' if count == 1 else ''}"
