"""What a Gantt chart shows besides the jobs: waits, planned starts, idle processors that are asked for."""

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QRectF, Qt
from PySide6.QtGui import QImage, QPainter, QRegion

from engine.filter import parse_filter
from engine.machine.cluster import Cluster
from engine.schedule.processors import assign_processors
from engine.schedule.schedule import Decision, DecisionLog, Schedule
from engine.schedule.track_record import track_record_of
from tests.traces import make_schedule, make_trace
from tests.views.context import ViewContext, colour_at, mouse
from tests.views.gantt.ten_hours import HOUR, at, chart_of, differs
from views.data.changes import describe_outcomes
from views.data.gantt.data import gantt_data
from views.data.gantt.planned_starts import planned_of
from views.data.gantt.rows import RowScale
from views.data.gantt.shown_layers import LAYER_NAMES, GanttLayers
from views.gantt.chart import GanttChart
from views.gantt.labels import FEW
from views.gantt.planned_starts import MOST, paint_planned
from views.raster.time_scale import TimeScale
from views.state.filter import Filter
from views.theme.theme import LIGHT


def log(*rows: tuple[int, int, Decision, int]) -> DecisionLog:
    """Rows of time, job, kind and value."""
    columns = np.array(rows, np.int64).reshape(-1, 4).T
    return DecisionLog(*(np.ascontiguousarray(column) for column in columns))


def one_waits() -> Schedule:
    """On eight processors: ann 0..5 for 4 h; bob comes at 1 h, is promised 6 h, then 5 h, starts at 4 h."""
    trace = make_trace(
        [0, HOUR, 9 * HOUR],
        [4 * HOUR, 3 * HOUR, HOUR],
        [6, 8, 1],
        user=["ann", "bob", "ann"],
        cluster=Cluster.pool(8),
    )
    found = log(
        (HOUR, 1, Decision.RESERVED, 6 * HOUR),
        (HOUR, 1, Decision.CPUS, 6),
        (2 * HOUR, 1, Decision.RESERVED, 5 * HOUR),
    )
    return make_schedule(trace, [0, 4 * HOUR, 9 * HOUR], log=found)


@pytest.fixture
def chart(context: ViewContext) -> GanttChart:
    return chart_of(context, one_waits())


def test_idle_processors_are_hatched_while_a_job_waits_for_them(
    chart: GanttChart, context: ViewContext
) -> None:
    before = context.settle(chart)
    chart.set_layers(GanttLayers(idle=True))
    after = context.settle(chart)
    assert differs(before, after, chart, (1.1, 3.9), (6.3, 7.7)) == 1
    assert differs(before, after, chart, (0.1, 0.9), (6.3, 7.7)) == 0  # nobody waits
    assert differs(before, after, chart, (7.2, 8.9), (0, 8)) == 0
    assert differs(before, after, chart, (0.1, 3.9), (0, 5.7)) == 0  # not idle
    chart.set_rows("users")
    bare = context.settle(chart)
    chart.set_layers(GanttLayers())
    assert context.settle(chart) == bare  # what is empty there does not idle


def test_the_hatch_of_idle_processors_has_a_name_and_tells_who_waits(
    chart: GanttChart, context: ViewContext
) -> None:
    bare = context.settle(chart).copy(chart.frame().title.toRect())
    assert chart.tooltip_at(at(chart, 2.5, 7)) == ""
    chart.set_layers(GanttLayers(idle=True))
    assert context.settle(chart).copy(chart.frame().title.toRect()) != bare
    assert chart.tooltip_at(at(chart, 2.5, 7)) == "\n".join(
        ["2 processors idle while 1 job waits for as many", "since 1:00:00 h"]
    )
    assert chart.tooltip_at(at(chart, 0.5, 7)) == ""  # nobody waits
    assert chart.tooltip_at(at(chart, 2.5, 3)).startswith("job 1 ")
    chart.set_rows("users")
    context.settle(chart)
    assert "idle" not in chart.tooltip_at(at(chart, 2.5, 7))


def corner(chart: GanttChart, image: QImage) -> QImage:
    """Where captions stand."""
    plot = chart.frame().plot.toRect()
    return image.copy(plot.right() - 200, plot.top() + 2, 190, 24)


def test_of_too_many_waits_it_is_reported_how_to_see_them(context: ViewContext) -> None:
    n = FEW + 200
    trace = make_trace([0] * n, [10] * n, 1, user=[f"u{k % 9}" for k in range(n)], cluster=Cluster.pool(1))
    schedule = make_schedule(trace, [10 * k for k in range(n)])
    context.clock.reset(0, 10 * n)
    chart = GanttChart(context, LIGHT)
    chart.set_data(schedule, assign_processors(schedule))
    context.show(chart, 900, 240)
    bare = context.settle(chart)
    chart.set_layers(GanttLayers(waits=True))
    assert corner(chart, context.settle(chart)) != corner(chart, bare)
    context.clock.set_window(9.2 * n, 9.3 * n)
    drawn = context.settle(chart)
    chart.set_layers(GanttLayers())
    bare = context.settle(chart)
    assert corner(chart, drawn) == corner(chart, bare)
    assert drawn != bare


def test_without_an_instant_it_is_reported_how_to_see_planned_starts(
    chart: GanttChart, context: ViewContext
) -> None:
    bare = context.settle(chart)
    chart.set_layers(GanttLayers(reservations=True))
    how = corner(chart, context.settle(chart))
    assert how != corner(chart, bare)
    schedule = make_schedule(one_waits().trace, [0, 4 * HOUR, 9 * HOUR])  # no log, no promise
    chart.set_data(schedule, assign_processors(schedule))
    none = corner(chart, context.settle(chart))
    assert none not in (how, corner(chart, bare))


def test_a_line_of_a_wait_tells_whose_it_is(chart: GanttChart, context: ViewContext) -> None:
    assert "waits" not in chart.tooltip_at(at(chart, 2.5, 4))
    chart.set_layers(GanttLayers(waits=True))
    context.settle(chart)
    lines = ["job 2 · user bob waits 3 h", "from 1:00:00 h", "to 4:00:00 h"]
    assert chart.tooltip_at(at(chart, 2.5, 4)).split("\n")[-3:] == lines
    for hour, processor in ((2.5, 3), (2.5, 5), (0.5, 4), (4.5, 4)):
        assert "waits" not in chart.tooltip_at(at(chart, hour, processor))


@pytest.mark.parametrize("marked", [False, True], ids=["of the selected job", "of an instant"])
def test_planned_starts_leave_the_words_in_a_box_readable(
    chart: GanttChart, context: ViewContext, marked: bool
) -> None:
    context.selection.select_job(one_waits().trace, 1)
    if marked:
        context.selection.select_instant(2.5 * HOUR)
    context.clock.set_window(2 * HOUR, 11 * HOUR)  # the outline of 5 h passes the words, which begin at 4 h
    before = context.settle(chart)
    chart.set_layers(GanttLayers(reservations=True))
    after = context.settle(chart)
    picture = chart._memo.value
    assert picture is not None
    own = QRectF(at(chart, 4, 0), at(chart, 7, 8)).toAlignedRect()
    words = (picture.words.translated(chart.frame().plot.topLeft().toPoint()) & own).boundingRect()
    assert words.left() < at(chart, 5, 0).x() < words.right()
    assert after.copy(words) == before.copy(words)
    below = words.translated(0, words.height() + 4)
    assert after.copy(below) != before.copy(below)


def test_a_line_leads_from_the_submission_to_the_box(chart: GanttChart, context: ViewContext) -> None:
    before = context.settle(chart)
    chart.set_layers(GanttLayers(waits=True))
    after = context.settle(chart)
    position = at(chart, 2.5, 4)
    changed = [
        before.pixel(int(position.x()), int(position.y()) + k)
        != after.pixel(int(position.x()), int(position.y()) + k)
        for k in range(-12, 13)
    ]
    assert sum(changed) == 2  # thin
    assert differs(before, after, chart, (0, 0.9), (0, 8)) == 0
    assert differs(before, after, chart, (4.1, 9.9), (0, 8)) == 0
    context.selection.select_job(one_waits().trace, 1)
    image = context.settle(chart)
    assert LIGHT.accent in {colour_at(image, position.x(), position.y() + k) for k in range(-2, 3)}


def test_no_line_runs_through_the_words_in_a_box(context: ViewContext) -> None:
    trace = make_trace([0, HOUR // 2], [4 * HOUR] * 2, 8, user=["ann", "bob"], cluster=Cluster.pool(8))
    schedule = make_schedule(trace, [0, 4 * HOUR])
    context.clock.reset(0, 10 * HOUR)
    chart = GanttChart(context, LIGHT)
    chart.set_data(schedule, assign_processors(schedule))
    context.show(chart, 900, 90)
    before = context.settle(chart)
    chart.set_layers(GanttLayers(waits=True))
    after = context.settle(chart)
    assert differs(before, after, chart, (3, 4), (0, 8)) > 0
    assert differs(before, after, chart, (0.1, 1.5), (0, 8)) == 0  # where the words are


def test_where_too_many_wait_only_the_selected_have_lines(context: ViewContext) -> None:
    n = 3000
    trace = make_trace([0] * n, [60] * n, 1, user=[f"u{k % 9}" for k in range(n)], cluster=Cluster.pool(10))
    schedule = make_schedule(trace, [60 * (1 + k // 10) for k in range(n)])
    context.clock.reset(0, 60 * 302)
    chart = GanttChart(context, LIGHT)
    chart.set_data(schedule, assign_processors(schedule))
    context.show(chart, 700, 240)
    before = context.settle(chart)
    chart.set_layers(GanttLayers(waits=True))
    frame = chart.frame()
    below = frame.plot.toRect().adjusted(0, 40, 0, 0)  # there is a caption above
    assert context.settle(chart).copy(below) == before.copy(below)
    context.selection.select_job(trace, 2000)
    image = context.settle(chart)
    column = int(frame.scale.x(60 * 100))
    heights = range(int(frame.plot.top()), int(frame.plot.bottom()))
    assert LIGHT.accent in {colour_at(image, column, y) for y in heights}


def test_reservations_of_who_waits_are_seen_at_the_mouse(chart: GanttChart, context: ViewContext) -> None:
    chart.set_layers(GanttLayers(reservations=True))
    context.settle(chart)
    mouse(chart, QEvent.Type.MouseMove, at(chart, 0.5, 7), Qt.MouseButton.NoButton)
    nobody = context.settle(chart)
    mouse(chart, QEvent.Type.MouseMove, at(chart, 1.5, 7), Qt.MouseButton.NoButton)
    first = context.settle(chart)
    mouse(chart, QEvent.Type.MouseMove, at(chart, 2.5, 7), Qt.MouseButton.NoButton)
    second = context.settle(chart)
    edge = ((7.5, 8.9), (0, 8))  # where only a promise reaches
    assert differs(nobody, first, chart, *edge) > 0
    assert differs(nobody, second, chart, (8.2, 8.9), (0, 8)) == 0  # 5 h and 3 h more
    assert differs(nobody, second, chart, (7.5, 8.1), (0, 8)) > 0


def test_all_promises_of_the_selected_job_are_seen(chart: GanttChart, context: ViewContext) -> None:
    context.selection.select_job(one_waits().trace, 1)
    before = context.settle(chart)
    chart.set_layers(GanttLayers(reservations=True))
    after = context.settle(chart)
    for hour in (5, 6):  # their left edges
        assert differs(before, after, chart, (hour - 0.05, hour + 0.05), (1, 7)) > 0.1
    assert differs(before, after, chart, (0.1, 3.9), (0, 8)) == 0


def test_a_hidden_job_has_no_reservations(chart: GanttChart, context: ViewContext) -> None:
    context.filter.set(Filter(parse_filter("user = ann"), hides=True))
    nobody = context.settle(chart)
    chart.set_layers(GanttLayers(reservations=True))
    mouse(chart, QEvent.Type.MouseMove, at(chart, 1.5, 7), Qt.MouseButton.NoButton)
    assert differs(nobody, context.settle(chart), chart, (7.5, 8.9), (2, 8)) == 0  # below the caption


def test_plans_of_a_marked_instant_stay_and_are_reported_beside_what_happened(
    chart: GanttChart, context: ViewContext
) -> None:
    context.selection.select_instant(2.5 * HOUR)
    before = context.settle(chart)
    chart.set_layers(GanttLayers(reservations=True))
    after = context.settle(chart)
    assert differs(before, after, chart, (4.95, 5.05), (1, 7)) > 0.1  # promised for 5 h
    assert differs(before, after, chart, (0.1, 3.9), (0, 8)) == 0
    mouse(chart, QEvent.Type.MouseMove, at(chart, 0.5, 7), Qt.MouseButton.NoButton)
    assert differs(after, context.settle(chart), chart, (4.5, 9), (0, 8)) == 0
    assert differs(before, after, chart, (8.3, 9.9), (0, 1)) > 0  # how many, in the corner
    assert "planned at 2:30:00 h for 5:00:00 h; started 1 h earlier" in chart.tooltip_at(at(chart, 4.5, 4))
    outline = chart.tooltip_at(at(chart, 7.5, 4))
    assert outline == "job 2: planned at 2:30:00 h for 5:00:00 h; started 1 h earlier"
    assert chart.tooltip_at(at(chart, 8.5, 4)) == ""


def twelve_come_early() -> Schedule:
    """Each of twelve jobs takes eight processors, for half of its hour: the k-th comes k / 2 h early."""
    trace = make_trace(
        list(range(12)), [HOUR // 2] * 12, [8] * 12, walltime=[HOUR] * 12, cluster=Cluster.pool(8)
    )
    found = log(*((job, job, Decision.RESERVED, job * HOUR) for job in range(1, 12)))
    return make_schedule(trace, [job * HOUR // 2 for job in range(12)], log=found)


def test_planned_starts_say_how_those_of_like_jobs_came_true(context: ViewContext) -> None:
    schedule, time = twelve_come_early(), 5.25 * HOUR
    planned = planned_of(schedule, time, track_record_of(schedule))  # of job 11, by those of 1 to 10
    (found,) = planned.so_far
    assert found is not None
    assert (found.count, tuple(found.accuracy)) == (10, (100.0, 0.0, 0.0))
    assert planned.caption() == "1 planned start: 1 earlier"
    chart = chart_of(context, schedule)
    context.selection.select_instant(time)
    before = context.settle(chart)
    chart.set_layers(GanttLayers(reservations=True))
    after = context.settle(chart)
    assert differs(before, after, chart, (6.1, 9.9), (3, 8)) == 0, "no interval is drawn"
    assert chart.tooltip_at(at(chart, 5.75, 4)).endswith(
        "planned at 5:15:00 h for 11:00:00 h; started 5 h 30 min earlier; "
        "first plans of similar jobs so far: 100 % earlier, 0 % on time, 0 % later, of 10"
    )


def test_where_nothing_is_planned_the_chart_says_so(chart: GanttChart, context: ViewContext) -> None:
    context.selection.select_instant(0.5 * HOUR)
    before = context.settle(chart)
    chart.set_layers(GanttLayers(reservations=True))
    after = context.settle(chart)
    assert differs(before, after, chart, (8, 9.9), (0, 1)) > 0
    assert differs(before, after, chart, (0.1, 9.9), (2, 8)) == 0
    assert "planned" not in chart.tooltip_at(at(chart, 4.5, 4))


def test_words_on_plans() -> None:
    schedule = one_waits()
    assert planned_of(schedule, 1.5 * HOUR).caption() == "1 planned start: 1 earlier"
    assert planned_of(schedule, 0).caption() == "No planned starts at the marked instant"
    assert describe_outcomes(np.array([-5, 0, 7, 8])) == "1 earlier, 1 in time, 2 later"


def many_wait(n: int) -> Schedule:
    """A job holds n processors for 4 h; n others are promised 6 h and start when it ends."""
    trace = make_trace(
        [0] * (n + 1),
        [4 * HOUR] + [HOUR] * n,
        [n] + [1] * n,
        walltime=[2 * HOUR] * (n + 1),
        cluster=Cluster.pool(n),
    )
    found = log(*((0, job, Decision.RESERVED, 6 * HOUR) for job in range(1, n + 1)))
    return make_schedule(trace, [0] + [4 * HOUR] * n, log=found)


def test_of_very_many_planned_jobs_only_the_starts_are_marked(context: ViewContext) -> None:
    schedule = many_wait(300)
    context.clock.reset(0, 10 * HOUR)
    chart = GanttChart(context, LIGHT)
    chart.set_data(schedule, assign_processors(schedule))
    context.show(chart, 900, 400)
    context.selection.select_instant(HOUR)
    before = context.settle(chart)
    chart.set_layers(GanttLayers(reservations=True))
    after = context.settle(chart)
    assert differs(before, after, chart, (5.97, 6.03), (3, 7)) > 0.1
    assert differs(before, after, chart, (6.2, 9), (3, 7)) == 0


@pytest.mark.parametrize(("n", "expected"), [(MOST, False), (MOST + 100, True)])
def test_where_not_all_planned_starts_are_drawn_the_chart_says_so(
    context: ViewContext, n: int, expected: bool
) -> None:
    schedule = many_wait(n)
    context.clock.reset(0, 10 * HOUR)
    chart = GanttChart(context, LIGHT)
    chart.set_data(schedule, assign_processors(schedule))
    chart.set_layers(GanttLayers(reservations=True))
    context.show(chart, 900, 240)
    before = context.settle(chart)
    mouse(chart, QEvent.Type.MouseMove, at(chart, 1, 4), Qt.MouseButton.NoButton)
    corner = differs(before, context.settle(chart), chart, (8.5, 9.9), (0, 2))
    assert (corner > 0) == expected
    image = QImage(100, 100, QImage.Format.Format_RGB32)
    painter = QPainter(image)
    rows, data = RowScale(0, n, 0, 100), gantt_data(schedule, assign_processors(schedule), "processors")
    scale = TimeScale(0, 10 * HOUR, 0, 100)
    planned = planned_of(schedule, HOUR)
    cut = paint_planned(painter, QRectF(image.rect()), scale, rows, data, planned, LIGHT, QRegion())
    painter.end()
    assert cut == ("first 500 of 600 drawn" if expected else "")


def test_no_layer_claims_to_show_how_sure_a_planned_start_is() -> None:
    """Bars of an interval were drawn once; nothing draws them now."""
    for _, about in LAYER_NAMES.values():
        assert "%" not in about
        assert "like jobs" not in about
