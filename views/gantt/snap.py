"""Edges of jobs that a range snaps to while it is drawn."""

from __future__ import annotations

import numpy as np

from engine.schedule.schedule import Schedule
from views.data.gantt.data import GanttData
from views.raster.time_scale import TimeScale

PIXELS = 6.0
"""How near an edge must be."""


def snapped(time: float, schedule: Schedule | None, data: GanttData | None, scale: TimeScale) -> float:
    """The start or end, s, of a drawn job that is nearest to a time, s, if it is near; else that time."""
    if schedule is None or data is None or not len(data.job):
        return time
    jobs = np.array(data.job)
    edges = np.concatenate((schedule.start[jobs], schedule.end[jobs]))
    nearest = float(edges[np.abs(edges - time).argmin()])
    return nearest if abs(nearest - time) <= PIXELS * scale.seconds_per_pixel else time
