"""Backfilled jobs in a Gantt chart: stripes, arrows to whom they went past, and shifts between runs."""

import pytest

from engine.machine.cluster import Cluster
from engine.schedule.schedule import Decision, Schedule
from tests.traces import make_schedule, make_trace
from tests.views.context import ViewContext
from tests.views.gantt.ten_hours import HOUR, at, chart_of, differs
from tests.views.results import decisions
from views.data.gantt.shown_layers import GanttLayers
from views.data.other_run import OtherRun
from views.gantt.chart import GanttChart

LAYER = GanttLayers(backfilled=True)


def one_goes_past() -> Schedule:
    """On eight processors: 1 runs on six for 4 h, 2 waits for all, 3 is put on the two others before it."""
    trace = make_trace(
        [0, HOUR, HOUR],
        [4 * HOUR, 3 * HOUR, 2 * HOUR],
        [6, 8, 2],
        user=["ann", "bob", "eve"],
        cluster=Cluster.pool(8),
    )
    found = decisions((HOUR, 1, Decision.RESERVED, 4 * HOUR), (HOUR, 2, Decision.BACKFILLED, 1))
    return make_schedule(trace, [0, 4 * HOUR, HOUR], log=found)


@pytest.fixture
def chart(context: ViewContext) -> GanttChart:
    return chart_of(context, one_goes_past())


def test_backfilled_jobs_alone_have_stripes(chart: GanttChart, context: ViewContext) -> None:
    before = context.settle(chart)
    chart.set_layers(LAYER)
    after = context.settle(chart)
    assert 0.1 < differs(before, after, chart, (1.1, 2.9), (6.1, 7.9)) < 0.6
    assert differs(before, after, chart, (0.1, 3.9), (0.1, 5.9)) == 0
    assert differs(before, after, chart, (4.2, 6.8), (2, 7.9)) == 0
    found = chart.tooltip_at(at(chart, 2, 7)).splitlines()
    assert found[-1] == "backfilled past job 2"
    assert chart.tooltip_at(at(chart, 5, 4)).splitlines()[-1] == "1 job went past it"


@pytest.mark.parametrize("job", [1, 2])
def test_an_arrow_leads_to_the_job_that_was_passed(chart: GanttChart, context: ViewContext, job: int) -> None:
    chart.set_layers(LAYER)
    context.selection.select_job(chart.schedule.trace, job)  # type: ignore[union-attr]
    with_arrow = context.settle(chart)
    chart.set_layers(GanttLayers())
    without = context.settle(chart)
    assert differs(with_arrow, without, chart, (3.1, 3.9), (4.2, 6.6)) > 0.01  # from 1 h, 7 to 4 h, 4
    assert differs(with_arrow, without, chart, (0.1, 0.9), (0.1, 5.9)) == 0


def test_another_run_shows_where_the_selected_job_stood(chart: GanttChart, context: ViewContext) -> None:
    schedule = chart.schedule
    assert schedule is not None
    earlier = make_schedule(schedule.trace, [0, 4 * HOUR, 7 * HOUR], policy="fcfs")
    context.selection.select_job(schedule.trace, 2)
    plain = context.settle(chart)
    chart.set_others((OtherRun(earlier, "fcfs", "#d55e00"),))
    shifted = context.settle(chart)
    assert (
        differs(plain, shifted, chart, (4.5, 9.2), (6, 8)) > 0.005
    )  # the arrow from 7 h, and its dashes there
    assert differs(plain, shifted, chart, (0.1, 0.9), (0.1, 7.9)) == 0
    later = OtherRun(make_schedule(schedule.trace, [0, 4 * HOUR, 9 * HOUR]), "mine", "#009e73")
    chart.set_others((OtherRun(earlier, "fcfs", "#d55e00"), OtherRun(schedule, "own", "#000000"), later))
    both = context.settle(chart)
    assert differs(shifted, both, chart, (9.3, 10), (6, 8)) > 0.005  # dashes from 9 h
    chart.set_layers(GanttLayers(shift=False))
    assert context.settle(chart) == plain
