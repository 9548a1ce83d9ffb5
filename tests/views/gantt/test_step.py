"""From job to job: along the row, the user's jobs, and those that delayed one."""

import numpy as np
import pytest

from engine.machine.cluster import Cluster
from engine.schedule.processors import assign_processors
from engine.schedule.schedule import Decision, DecisionLog, Schedule
from tests.traces import make_schedule, make_trace
from tests.views.context import ViewContext
from views.data.gantt.shown_layers import GanttLayers
from views.data.gantt.steps import StepKind
from views.gantt.chart import GanttChart
from views.gantt.step import delaying
from views.state.selection import Selection
from views.theme.theme import LIGHT

HOUR = 3600


def five_jobs() -> Schedule:
    """On four processors; job 3 of bob waits for job 0, for the reserved job 4, and is passed by job 2.

    0: ann 0..1, 0-4 h; 1: bob 2..3, 0-2 h; 2: ann 2..3, 2-3 h; 3: bob 0..1, 7-8 h; 4: bob 0..3, 4-7 h
    """
    trace = make_trace(
        [0, 0, HOUR, HOUR, 2 * HOUR],
        [4 * HOUR, 2 * HOUR, HOUR, HOUR, 3 * HOUR],
        [2, 2, 2, 2, 4],
        user=["ann", "bob", "ann", "bob", "bob"],
        cluster=Cluster.pool(4),
    )
    rows = np.array(
        [
            (2 * HOUR, 2, Decision.BACKFILLED, 3),
            (2 * HOUR, 3, Decision.CPUS, 2),
            (3 * HOUR, 3, Decision.RESERVATION, 4),
        ],
        np.int64,
    ).T
    log = DecisionLog(*(np.ascontiguousarray(column) for column in rows))
    return make_schedule(trace, [0, 0, 2 * HOUR, 7 * HOUR, 4 * HOUR], log=log)


@pytest.fixture
def chart(context: ViewContext) -> GanttChart:
    schedule = five_jobs()
    context.clock.reset(0, 8 * HOUR)
    chart = GanttChart(context, LIGHT)
    chart.set_data(schedule, assign_processors(schedule))
    context.show(chart, 700, 220)
    return chart


def walk(chart: GanttChart, context: ViewContext, kind: StepKind, steps: str) -> list[int]:
    """The jobs that are selected after each step, `>` or `<`."""
    passed = []
    for step in steps:
        chart.step(kind, step == ">")
        (job,) = context.selection.value.jobs
        passed.append(job)
    return passed


def test_the_first_step_selects_the_first_job_in_view(chart: GanttChart, context: ViewContext) -> None:
    context.clock.set_window(2.2 * HOUR, 3.5 * HOUR)
    assert walk(chart, context, "user", ">") == [0]
    context.selection.clear()
    context.clock.set_window(4.5 * HOUR, 5 * HOUR)
    assert walk(chart, context, "row", "<") == [4]


def test_the_first_step_selects_a_job_of_the_selected_user(chart: GanttChart, context: ViewContext) -> None:
    context.selection.select_user(1)
    assert walk(chart, context, "user", ">") == [1]
    assert context.selection.value.users == {1}
    context.clock.set_window(2.2 * HOUR, 3.5 * HOUR)  # no job of bob's is in view
    for step in "><":
        context.selection.select(Selection(users=frozenset({1})))
        assert walk(chart, context, "row", step) == [1]
    assert context.clock.start < 2 * HOUR  # it was brought there
    context.clock.set_window(4.5 * HOUR, 5 * HOUR)
    context.selection.select(Selection(users=frozenset({1})))
    assert walk(chart, context, "row", ">") == [4]


def test_along_a_row_to_its_ends(chart: GanttChart, context: ViewContext) -> None:
    context.selection.select_job(five_jobs().trace, 1)
    assert walk(chart, context, "row", ">>>><<<<") == [2, 4, 4, 4, 2, 1, 1, 1]


def test_along_the_user_s_jobs_in_order_of_start(chart: GanttChart, context: ViewContext) -> None:
    context.selection.select_job(five_jobs().trace, 1)
    assert walk(chart, context, "user", ">>><<") == [4, 3, 3, 4, 1]


def test_along_what_delayed_a_job_and_back_to_it(chart: GanttChart, context: ViewContext) -> None:
    assert delaying(five_jobs(), 3) == [2, 4]
    context.selection.select_job(five_jobs().trace, 3)
    assert walk(chart, context, "delay", ">>><<<") == [2, 4, 4, 2, 3, 3]


def test_where_the_log_names_nobody_those_whose_end_let_it_start() -> None:
    schedule = five_jobs()
    assert delaying(schedule, 4) == [0]
    assert delaying(schedule, 0) == []  # it did not wait


def test_what_is_stepped_to_comes_into_view(chart: GanttChart, context: ViewContext) -> None:
    context.selection.select_job(five_jobs().trace, 1)
    context.clock.set_window(0.5 * HOUR, 1.5 * HOUR, (0.6, 0.9))
    chart.step("row", True)  # to job 2, which lasts as long as the window
    assert context.clock.window == pytest.approx((2 * HOUR, 3 * HOUR))
    chart.step("row", True)  # to job 4, which lasts longer and stands on all rows
    assert context.clock.window == pytest.approx((3.85 * HOUR, 7.15 * HOUR))
    assert context.clock.rows == (0, 1)
    context.clock.back()
    assert context.clock.rows[0] > 0.4


def test_jobs_of_a_trace_that_is_not_here_yet_are_passed_over(
    chart: GanttChart, context: ViewContext
) -> None:
    context.selection.select(Selection(jobs=frozenset({99})))
    chart.set_layers(GanttLayers(reservations=True, waits=True))
    context.settle(chart)
    assert walk(chart, context, "row", ">") == [0]


def test_a_step_without_data_does_nothing(context: ViewContext) -> None:
    chart = GanttChart(context, LIGHT)
    context.show(chart)
    chart.step("row", True)
    assert context.selection.value.empty
