"""A spot of a Gantt chart: a job, its user and queue, and the owner of the row."""

from __future__ import annotations

from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QWidget

from engine.schedule.schedule import Schedule
from views.data.gantt.rows import NODE_ROWS, Rows, RowScale
from views.state.spot import Spot
from views.timechart.frame import Frame


def spot_at(
    chart: QWidget,
    position: QPointF,
    frame: Frame,
    schedule: Schedule,
    rows: Rows,
    scale: RowScale,
    job: int | None,
) -> Spot:
    """The spot at a position, with or without a `job`; rows have names beside the plot, too."""
    trace = schedule.trace
    time = frame.scale.time(position.x()) if position.x() >= frame.plot.left() else None
    user = int(trace.user.codes[job]) if job is not None else None
    queue = int(trace.queue.codes[job]) if job is not None else None
    band = group = None
    if frame.plot.top() <= position.y() < frame.plot.bottom():
        band = rows.band_at(scale.row(position.y()))
        group = rows.group_at(scale.row(position.y())) if rows.can_fold else None
    if band is not None and rows.kind == "users":
        user = rows.codes[band]
    elif band is not None and rows.kind == "queues":
        queue = rows.codes[band]
    of_machine = rows.kind in NODE_ROWS and not schedule.cluster.pooled
    node, name = band if of_machine else None, group.name if group is not None else None
    return Spot(chart, time, job, user, queue, node, schedule, group=name)


def pixel_at(frame: Frame, scale: RowScale, position: QPointF) -> tuple[float, float, float, float]:
    """The range of a pixel: from and to a time (s), from and to a row."""
    left = frame.plot.left() + int(position.x() - frame.plot.left())
    y = frame.plot.top() + int(position.y() - frame.plot.top())
    return frame.scale.time(left), frame.scale.time(left + 1), scale.row(y), scale.row(y + 1)
