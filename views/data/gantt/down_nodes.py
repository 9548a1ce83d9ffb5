"""Nodes that are down: a hatch over their rows, and the description of an outage; why a run was cut short."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.schedule.names import name_job
from engine.schedule.schedule import Schedule
from views.data.gantt.data import GanttData
from views.raster.request import RenderRequest
from views.text.counts import format_seconds, plural
from views.text.processors import format_nodes
from views.text.ticks import TimeAxis
from views.theme.palette import Pixels, pixel

_PLAIN, _STRIPED = 56, 154
"""Parts of the hatch's colour between its stripes and in them, of 256."""

_MOST_LISTED = 5
"""Stopped jobs that are named."""


def hatch_outages(pixels: Pixels, request: RenderRequest, down: GanttData, ground: str, colour: str) -> None:
    """Hatch what has the ground's colour, as far as nodes are `down` there (`GanttData.down`)."""
    if not len(down.between(*request.window)):
        return
    from views.raster.jobs import hatch_where

    # Outages are painted like jobs, white on black: how white a pixel is says how much of it is down.
    white = np.full(len(down.job), pixel("#ffffff"), np.uint32)
    cover = down.paint(request, white, "#000000")
    hatch_where(pixels, cover, pixel(ground), pixel(colour), _PLAIN, _STRIPED)


def describe_failures(
    data: GanttData, area: tuple[float, float, float, float], down: bool, axis: TimeAxis
) -> list[str]:
    """Describe in an area of time (s) and rows what is no whole job of the log: a run that was cut short, an
    added job, or a node that is down.

    Nodes are described only if `down` nodes are shown.
    """
    entry = data.entry_at(*area)
    if entry is not None:
        if data.added[entry]:
            name = name_job(data.schedule, int(data.job[entry]))
            return [f"a job like {name}, which this run's workload adds"]
        return [_describe_lost_run(data, entry)] if data.lost[entry] else []
    outage = data.down.job_at(*area) if down else None
    return [] if outage is None else [describe_outage(data.schedule, outage, axis)]


def _describe_lost_run(data: GanttData, entry: int) -> str:
    """Why the run of an entry did not complete."""
    schedule, job = data.schedule, int(data.job[entry])
    ran = format_seconds(int(data.end[entry] - data.start[entry]))
    # A completed entry that was lost has been cancelled: no run of it follows.
    if not data.extra[entry]:
        assert schedule.cancelled_for is not None
        return (
            f"cancelled after {ran} for {name_job(schedule, int(schedule.cancelled_for[job]))} (preemption)"
        )
    stopped = schedule.stopped
    # The run is known by its job and its start, since a job may have been stopped several times.
    run = np.flatnonzero((stopped.job == job) & (stopped.start == data.start[entry]))[0]
    if stopped.by[run] >= 0:
        return f"this run was preempted after {ran} by {name_job(schedule, int(stopped.by[run]))}"
    return f"this run was cut short after {ran}: a node failed"


def describe_outage(schedule: Schedule, outage: int, axis: TimeAxis) -> str:
    """Lines about an outage, by its index: which node, from when to when, and the jobs that it stopped."""
    table = schedule.outages
    node, start, end = (int(column[outage]) for column in (table.node, table.start, table.end))
    name = format_nodes(schedule.cluster, np.array([node]))
    lines = [
        f"{name} is down for {format_seconds(end - start)}",
        f"from {axis.format(float(start))}",
        f"to {axis.format(float(end))}",
    ]
    stopped = stopped_by(schedule, node, start)
    if len(stopped):
        named = ", ".join(schedule.trace.shown_id(job) for job in stopped[:_MOST_LISTED])
        more = f" and {len(stopped) - _MOST_LISTED} more" if len(stopped) > _MOST_LISTED else ""
        lines.append(f"stopped {plural(len(stopped), 'job')}: {named}{more}")
    return "\n".join(lines)


def stopped_by(schedule: Schedule, node: int, time: int) -> NDArray[np.int64]:
    """The jobs that ran on a node when it failed, ascending; indices into the trace."""
    stopped = schedule.stopped
    run = np.flatnonzero(stopped.end == time)
    pieces = stopped.pieces.take(run)
    owner = np.repeat(run, np.diff(pieces.offset))
    return np.unique(stopped.job[owner[pieces["node"] == node]])
