"""The data of the layers of a Gantt chart, each computed once in a worker thread."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.schedule.schedule import Schedule
from views.data.gantt.backfills import Backfills, backfills_of
from views.data.gantt.data import GanttData
from views.data.gantt.down_nodes import describe_failures
from views.data.gantt.idle import describe_idle, idle_of
from views.data.gantt.rows import MACHINE_ROWS, RowKind
from views.data.gantt.shown_layers import GanttLayers
from views.gantt.planned_starts import PlanOverlay, describe_plan
from views.gantt.waits import describe_wait
from views.state.clock import Window
from views.state.selection import Selection
from views.text.ticks import TimeAxis
from views.theme.theme import Theme
from views.timechart.legend import Hatched
from views.work.lazy import LazyValue

if TYPE_CHECKING:
    from engine.metrics.loss import Idle

Area = tuple[float, float, float, float]


class LayerOverlay:
    """The layers of one schedule."""

    def __init__(self, schedule: Schedule) -> None:
        self.schedule = schedule
        self.idle: LazyValue[Idle] = LazyValue(lambda: idle_of(schedule))
        self.backfills: LazyValue[Backfills] = LazyValue(lambda: backfills_of(schedule))
        self.plans = PlanOverlay()

    def describe(
        self,
        data: GanttData,
        job: int | None,
        layers: GanttLayers,
        area: Area,
        time: float,
        picked: Selection,
        window: Window,
        axis: TimeAxis,
    ) -> list[str]:
        """Lines that the shown layers add about a `job`, and an area of time (s) and rows."""
        # `value` is None until a thread has computed it. A tooltip does not wait for that: it says less.
        backfills = self.backfills.value if layers.backfilled else None
        lines = backfills.describe(job) if backfills is not None and job is not None else []
        lines += describe_failures(data, area, layers.down, axis)
        planned = self.plans.at(picked.instant) if layers.reservations else None
        if planned is not None:
            lines += describe_plan(planned, data, job, time, area[2], axis)
        if layers.waits:
            lines += describe_wait(data, window, picked.jobs, area, axis)
        idle = self.idle.value if layers.idle else None
        # Idle time is explained only where nothing else is: under a job, a plan or a failure it would
        # confuse.
        if job is None and not lines and idle is not None and data.rows.kind in MACHINE_ROWS:
            lines = describe_idle(idle, area[0], area[1], axis)
        return lines

    def hatched(self, layers: GanttLayers, kind: RowKind, theme: Theme) -> tuple[Hatched, ...]:
        """The hatches in a legend."""
        hatched = []
        if kind in MACHINE_ROWS:
            if layers.down and self.schedule.cluster.failures is not None:
                hatched.append(Hatched(theme.faint, "down"))
            if layers.idle:
                hatched.append(Hatched(theme.bad, "idle, wanted", rises=True))
        if layers.backfilled:
            hatched.append(Hatched(theme.text, "backfilled"))
        return tuple(hatched)
