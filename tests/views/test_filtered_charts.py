"""Charts under a filter: what does not match stands back, or is not there."""

import numpy as np
import pytest

from engine.fairness.violations import UserSteps, violation_steps
from engine.filter import parse_filter
from engine.quantities import Jobs
from engine.schedule.processors import assign_processors
from tests.traces import make_schedule, make_trace
from tests.views.context import ViewContext, colour_at
from tests.views.results import judge_by_grace, make_result
from views.data.gantt.data import gantt_data
from views.data.gantt.look import GanttLook
from views.figures.gantt import gantt_figure
from views.figures.heatmap import heatmap_figure
from views.gantt.chart import GanttChart
from views.heatmap.chart import HeatmapChart
from views.state.filter import Filter, FilterModel
from views.theme.theme import LIGHT

HOUR = 3600
TRACE = make_trace([0, 0], [10 * HOUR, 10 * HOUR], [4, 4], user=["ann", "bob"])
SCHEDULE = make_schedule(TRACE, [0, 2 * HOUR], cluster=TRACE.cluster)
VIOLATIONS = judge_by_grace(SCHEDULE, -60)  # both are late, bob by more


def under(text: str, hides: bool = False) -> Filter:
    return Filter(parse_filter(text), hides)


@pytest.fixture
def filter(context: ViewContext) -> FilterModel:
    return context.filter


@pytest.fixture
def gantt(context: ViewContext, filter: FilterModel) -> GanttChart:
    context.clock.reset(0, 12 * HOUR)
    chart = GanttChart(context, LIGHT)
    chart.set_data(SCHEDULE, assign_processors(SCHEDULE))
    context.show(chart, 700, 900)
    return chart


def colours(context: ViewContext, chart: GanttChart) -> tuple[str, str]:
    """Of ann's job, and of bob's below it."""
    image, frame = context.settle(chart), chart.frame()
    x, row = frame.scale.x(7.37 * HOUR), frame.plot.height() / 100
    ann, bob = (colour_at(image, x, frame.plot.top() + line * row) for line in (0.7, 4.7))
    return ann, bob


def test_a_gantt_chart_dims_hides_and_shows_again(
    context: ViewContext, gantt: GanttChart, filter: FilterModel
) -> None:
    ann, bob = colours(context, gantt)
    filter.set(under("user = ann"))
    dimmed = colours(context, gantt)
    assert dimmed[0] == ann
    assert dimmed[1] not in (bob, LIGHT.idle)
    filter.set(under("user = ann", hides=True))
    assert colours(context, gantt) == (ann, LIGHT.idle)
    filter.clear()
    assert colours(context, gantt) == (ann, bob)


def test_a_hidden_job_is_not_under_the_mouse(
    context: ViewContext, gantt: GanttChart, filter: FilterModel
) -> None:
    frame = gantt.frame()
    position = frame.plot.topLeft()
    position.setX(frame.scale.x(HOUR))
    assert "ann" in gantt.tooltip_at(position)
    filter.set(under("user = bob", hides=True))
    context.settle(gantt)
    assert gantt.tooltip_at(position) == ""


def test_selection_and_filter_must_both_be_met(
    context: ViewContext, gantt: GanttChart, filter: FilterModel
) -> None:
    whole = colours(context, gantt)
    context.selection.select_user(1)
    filter.set(under("user = ann"))
    both = colours(context, gantt)
    assert both[0] != whole[0]
    assert both[1] != whole[1]


def test_lateness_is_known_as_soon_as_the_run_is_judged(
    context: ViewContext, gantt: GanttChart, filter: FilterModel
) -> None:
    whole = colours(context, gantt)
    filter.set(under("late > 1h"))
    assert colours(context, gantt)[1] != whole[1]
    gantt.set_tardiness(VIOLATIONS.tardiness)
    assert colours(context, gantt)[1] == whole[1]
    filter.set(under("late > 1h", hides=True))
    assert colours(context, gantt) == (LIGHT.idle, whole[1])


def test_data_of_some_jobs_are_those_of_a_schedule_without_the_others() -> None:
    rng = np.random.default_rng(4)
    trace = make_trace(
        np.sort(rng.integers(0, 500, 40)), rng.integers(1, 99, 40), rng.integers(1, 9, 40), cluster=None
    )
    schedule = make_schedule(trace, trace.submit + rng.integers(0, 50, 40))
    boxes = assign_processors(schedule)
    whole = gantt_data(schedule, boxes, "processors")
    mask = rng.random(40) < 0.5
    part = whole.only(mask)
    assert part.job.tolist() == [job for job in whole.job if mask[job]]
    for index, job in enumerate(part.job):
        own = whole.boxes(np.flatnonzero(whole.job == job))
        kept = part.boxes(np.array([index]))
        assert (kept.first.tolist(), kept.count.tolist()) == (own.first.tolist(), own.count.tolist())
        assert (part.start[index], part.end[index]) == (schedule.start[job], schedule.end[job])
    assert [int(job) for job in np.flatnonzero(part.entry >= 0)] == sorted(part.job.tolist())
    assert (part.job[part.entry[part.job]] == part.job).all()
    assert part.latest.tolist() == np.maximum.accumulate(part.end).tolist()


def test_users_without_a_matching_job_stand_back_in_the_heatmap(
    context: ViewContext, filter: FilterModel
) -> None:
    always = np.array([0, 600])
    steps = UserSteps(np.array([0, 2, 4]), np.tile(always, 2), np.array([3, 0, 3, 0]))
    context.clock.reset(0, 12 * HOUR)
    chart = HeatmapChart(context, LIGHT)
    chart.set_data(TRACE, steps)
    chart.set_jobs(Jobs(TRACE, SCHEDULE, VIOLATIONS.tardiness))
    context.show(chart, 700, 200)

    def rows() -> tuple[str, str]:
        image, frame = context.settle(chart), chart.frame()
        x, height = frame.scale.x(3.37 * HOUR), frame.plot.height()
        ann, bob = (colour_at(image, x, frame.plot.top() + share * height) for share in (0.25, 0.75))
        return ann, bob

    lit, other = rows()
    assert lit == other
    filter.set(under("user = ann"))
    ann, faint = rows()
    assert ann == lit
    assert faint not in (lit, LIGHT.chart)
    filter.set(under("user = nobody"))
    assert rows() == (faint, faint)
    context.selection.select_user(0)
    filter.set(under("user = bob"))
    assert rows() == (faint, faint)
    filter.clear()
    assert rows() == (lit, faint)


def test_counts_of_some_jobs() -> None:
    mask = np.array([True, False])
    steps = violation_steps(SCHEDULE, VIOLATIONS, mask)
    whole = violation_steps(SCHEDULE, VIOLATIONS)
    assert steps.totals.tolist() == [whole.totals[0], 0]


def test_figures_draw_the_matching_jobs() -> None:
    result = make_result(TRACE, [0, 2 * HOUR])
    looks = (GanttLook(), GanttLook(hidden=parse_filter("user = ann")))
    whole, part = (gantt_figure([result], look=look) for look in looks)
    pictures = [figure.axes[0].images[0].get_array() for figure in (whole, part)]
    covered = [int((np.asarray(picture) != 255).any(axis=2).sum()) for picture in pictures]
    assert covered[1] == pytest.approx(covered[0] / 2, rel=0.05)
    assert heatmap_figure([result], title="under a filter").texts[0].get_text() == "under a filter"
