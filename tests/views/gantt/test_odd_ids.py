"""Ids of jobs that cannot be shown as they are, in what a Gantt chart says of jobs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from engine.schedule.processors import assign_processors
from engine.schedule.schedule import Schedule
from tests.views.context import ViewContext
from tests.views.gantt.ten_hours import HOUR, at, chart_of
from tests.views.gantt.test_backfilled import one_goes_past
from tests.views.gantt.test_layers import one_waits
from views.data.gantt.backfills import backfills_of
from views.data.gantt.data import gantt_data
from views.data.gantt.links import overtaken
from views.data.gantt.shown_layers import GanttLayers

ODD = "7\x1b[2J\u202e\n8"
SHOWN = r"7\x1b[2J\u202e\n8"


def with_odd_ids(schedule: Schedule) -> Schedule:
    """The schedule, in which the second job has an id of control characters."""
    return replace(schedule, trace=replace(schedule.trace, job_id=np.array(["1", ODD, "3"])))


def test_of_jobs_that_were_overtaken(context: ViewContext) -> None:
    schedule = with_odd_ids(one_goes_past())
    data = gantt_data(schedule, assign_processors(schedule), "processors")
    assert overtaken(data, backfills_of(schedule), 2)[1].endswith(f"went past job {SHOWN}")
    chart = chart_of(context, schedule)
    chart.set_layers(GanttLayers(backfilled=True))
    context.settle(chart)
    assert chart.tooltip_at(at(chart, 2, 7)).splitlines()[-1] == f"backfilled past job {SHOWN}"


def test_of_planned_starts(context: ViewContext) -> None:
    chart = chart_of(context, with_odd_ids(one_waits()))
    context.selection.select_instant(2.5 * HOUR)
    chart.set_layers(GanttLayers(reservations=True))
    context.settle(chart)
    assert chart.tooltip_at(at(chart, 7.5, 4)).startswith(f"job {SHOWN}: planned at 2:30:00 h")
