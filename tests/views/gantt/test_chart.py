import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPointF, QSize, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QToolTip

from engine.machine.cluster import parse_cluster
from engine.quantities import Jobs
from engine.schedule.processors import assign_processors
from engine.schedule.schedule import Schedule
from tests.traces import make_schedule, make_trace
from tests.views.context import ViewContext, colour_at, mouse
from views.data.gantt.colours import classify
from views.gantt.chart import GanttChart
from views.state.selection import Selection
from views.text.ticks import Hours
from views.text.tooltips import tip
from views.theme.palette import LATE, ON_TIME, UNKNOWN, WAIT, mix
from views.theme.theme import DARK, LIGHT
from views.timechart.portrait import image_of

HOUR = 3600


def three_jobs() -> Schedule:
    """On eight processors: ann 0..3 for 10 h, bob 4..7 for 5 h, then ann's next on 4..7."""
    trace = make_trace(
        [0, 0, HOUR],
        [10 * HOUR, 5 * HOUR, 5 * HOUR],
        [4, 4, 4],
        user=["ann", "bob", "ann"],
        queue=["long", "short", "short"],
        cluster=parse_cluster("2x4c"),
    )
    return make_schedule(trace, [0, 0, 5 * HOUR])


@pytest.fixture
def chart(context: ViewContext) -> GanttChart:
    schedule = three_jobs()
    context.clock.reset(0, 10 * HOUR)
    chart = GanttChart(context, LIGHT)
    chart.set_data(schedule, assign_processors(schedule))
    context.show(chart, 700, 220)
    return chart


def at(chart: GanttChart, hour: float, processor: float) -> QPointF:
    frame = chart.frame()
    return QPointF(frame.scale.x(hour * HOUR), frame.plot.top() + processor / 8 * frame.plot.height())


def hue(chart: GanttChart, image: QImage, hour: float, processor: float) -> str:
    position = at(chart, hour, processor)
    return colour_at(image, position.x(), position.y())


def user_colour(chart: GanttChart, name: str) -> str:
    assert chart.schedule is not None
    classes = classify(Jobs(chart.schedule.trace, chart.schedule), "user")
    return classes.colours[classes.names.index(name)]


def test_jobs_stand_where_and_when_they_ran(chart: GanttChart, context: ViewContext) -> None:
    image = context.settle(chart)
    ann, bob = user_colour(chart, "ann"), user_colour(chart, "bob")
    assert ann != bob
    assert hue(chart, image, 3.3, 3.6) == ann
    assert hue(chart, image, 2.7, 7.6) == bob
    assert hue(chart, image, 8.7, 7.6) == ann


def test_outlines_and_labels_where_boxes_are_few(chart: GanttChart, context: ViewContext) -> None:
    image = context.settle(chart)
    top = at(chart, 8.3, 4)
    edges = {colour_at(image, top.x(), top.y() + k) for k in (-2, -1, 0, 1)}
    ann = user_colour(chart, "ann")
    assert edges & {mix(ann, "#ffffff", 0.4), mix(ann, "#000000", 0.4)}
    label = image.copy(int(at(chart, 0, 0).x()) + 3, int(at(chart, 0, 0).y()) + 2, 40, 40)
    colours = {label.pixel(x, y) for x in range(40) for y in range(40)}
    assert len(colours) > 10, "no text in the box"


def test_labels_never_lie_over_one_another(context: ViewContext) -> None:
    trace = make_trace(
        [0, 0], [10 * HOUR, 10 * HOUR], [8, 8], user=["ann", "bob"], cluster=parse_cluster("8c")
    )
    schedule = make_schedule(trace, [0, 0])  # a log that asks for more than there is
    context.clock.reset(0, 10 * HOUR)
    chart = GanttChart(context, LIGHT)
    chart.set_data(schedule, assign_processors(schedule))
    context.show(chart, 700, 220)
    twice = context.settle(chart)
    alone = make_schedule(trace, [0, -1])
    chart.set_data(alone, assign_processors(alone))
    once = context.settle(chart)
    plot = chart.frame().plot.toRect().adjusted(4, 4, -4, -4)

    def dark(image: QImage) -> int:
        return sum(
            colour_at(image, x, y) in ("#000000", "#ffffff")
            for x in range(plot.left(), plot.left() + 200)
            for y in range(plot.top(), plot.bottom())
        )

    assert 0 < dark(twice) <= dark(once)


def test_a_click_picks_the_job_with_its_user_and_dims_the_rest(
    chart: GanttChart, context: ViewContext
) -> None:
    context.qtbot.mouseClick(chart, Qt.MouseButton.LeftButton, pos=at(chart, 8, 6).toPoint())
    assert context.selection.value == Selection(jobs=frozenset({2}), users=frozenset({0}))
    image = context.settle(chart)
    assert hue(chart, image, 8.7, 7.6) == user_colour(chart, "ann")
    assert hue(chart, image, 2.7, 7.6) != user_colour(chart, "bob")
    edge = at(chart, 7.3, 4)
    strip = {colour_at(image, edge.x(), edge.y() + k) for k in range(-2, 4)}
    assert LIGHT.accent in strip


def test_a_picked_user_s_jobs_stand_out(chart: GanttChart, context: ViewContext) -> None:
    context.selection.select_user(1)
    image = context.settle(chart)
    assert hue(chart, image, 2.7, 7.6) == user_colour(chart, "bob")
    assert hue(chart, image, 3.3, 3.6) != user_colour(chart, "ann")
    context.selection.clear()
    assert hue(chart, context.settle(chart), 3.3, 3.6) == user_colour(chart, "ann")


def test_a_picked_range_dims_nothing(chart: GanttChart, context: ViewContext) -> None:
    context.selection.select_time_range(0, HOUR)
    assert hue(chart, context.settle(chart), 3.3, 3.6) == user_colour(chart, "ann")


def test_a_double_click_zooms_to_the_job(chart: GanttChart, context: ViewContext) -> None:
    context.clock.set_bounds(0, 40 * HOUR)
    context.qtbot.mouseDClick(chart, Qt.MouseButton.LeftButton, pos=at(chart, 6, 6).toPoint())
    assert context.clock.start == pytest.approx(2.5 * HOUR)
    assert context.clock.end == pytest.approx(12.5 * HOUR)


def test_a_double_click_between_jobs_shows_all(chart: GanttChart, context: ViewContext) -> None:
    context.clock.set_bounds(0, 20 * HOUR)
    context.clock.set_window(5 * HOUR, 15 * HOUR)
    context.qtbot.mouseDClick(chart, Qt.MouseButton.LeftButton, pos=at(chart, 12, 6).toPoint())
    assert context.clock.window == (0, 20 * HOUR)


def test_the_mouse_over_a_job_tells_about_it(chart: GanttChart, context: ViewContext) -> None:
    chart.set_tardiness(np.array([0, 0, 600]))
    mouse(chart, QEvent.Type.MouseMove, at(chart, 8, 6), Qt.MouseButton.NoButton)
    lines = [
        "job 3 · user ann · queue short",
        "4 processors for 5 h",
        "submitted 1:00:00 h",
        "started 5:00:00 h after 4 h",
        "ended 10:00:00 h",
        "10 min later than its user may expect",
    ]
    assert QToolTip.text() == tip("\n".join(lines))
    assert chart.tooltip_at(QPointF(5, 5)) == ""


def test_colours_say_queue_wait_or_lateness(chart: GanttChart, context: ViewContext) -> None:
    chart.set_colours("queue")
    image = context.settle(chart)
    assert hue(chart, image, 2.7, 7.6) == hue(chart, image, 8.7, 7.6) != hue(chart, image, 3.3, 3.6)
    chart.set_colours("wait")
    image = context.settle(chart)
    assert hue(chart, image, 3.3, 3.6) == WAIT[0]
    assert hue(chart, image, 8.7, 7.6) != hue(chart, image, 3.3, 3.6)
    chart.set_colours("late")
    assert hue(chart, context.settle(chart), 3.3, 3.6) == UNKNOWN  # nobody has judged it
    chart.set_tardiness(np.array([0, 0, 8 * 24 * HOUR]))
    image = context.settle(chart)
    assert hue(chart, image, 8.7, 7.6) == LATE[-1]
    assert hue(chart, image, 3.3, 3.6) == ON_TIME


def test_rows_of_nodes(context: ViewContext) -> None:
    trace = make_trace([0], [10 * HOUR], [8], cluster=parse_cluster("1x2c+1x8c"))
    schedule = make_schedule(trace, [0])
    context.clock.reset(0, 10 * HOUR)
    chart = GanttChart(context, LIGHT)
    chart.set_data(schedule, assign_processors(schedule))
    context.show(chart)
    frame = chart.frame()
    down = [
        QPointF(frame.scale.x(9 * HOUR), frame.plot.top() + share * frame.plot.height())
        for share in (0.5, 0.7)
    ]
    assert [bool(chart.tooltip_at(position)) for position in down] == [True, True]
    chart.set_rows("nodes")
    context.settle(chart)
    assert chart.tooltip_at(QPointF(down[0].x(), frame.plot.bottom() - 5)) == ""
    assert chart.tooltip_at(QPointF(down[0].x(), frame.plot.top() + 5)) != ""


def test_f_fits_the_picked_jobs(chart: GanttChart, context: ViewContext) -> None:
    context.selection.select_user(1)
    context.qtbot.keyClick(chart, Qt.Key.Key_F)
    assert context.clock.window == pytest.approx((-0.25 * HOUR, 5.25 * HOUR))


def test_f_fits_a_picked_job_with_its_wait(chart: GanttChart, context: ViewContext) -> None:
    context.selection.select_job(three_jobs().trace, 2)
    context.qtbot.keyClick(chart, Qt.Key.Key_F)
    assert context.clock.window == pytest.approx((0.55 * HOUR, 10.45 * HOUR))


def test_nothing_to_show(context: ViewContext) -> None:
    chart = GanttChart(context, DARK)
    context.show(chart)
    assert chart.message == "Nothing to show yet"
    assert not chart.tooltip_at(chart.frame().plot.center())
    schedule = make_schedule(make_trace([0], [10], [999]), [-1])
    chart.set_data(schedule, assign_processors(schedule))
    context.settle(chart)
    assert chart.message == "No job ran"
    chart.set_data(None)
    assert chart.message == "Nothing to show yet"


def test_another_schedule_takes_the_place_of_the_first(chart: GanttChart, context: ViewContext) -> None:
    schedule = make_schedule(three_jobs().trace, [0, 5 * HOUR, 0])
    chart.set_data(schedule, assign_processors(schedule))
    image = context.settle(chart)
    assert hue(chart, image, 8.7, 7.6) == user_colour(chart, "bob")
    assert hue(chart, image, 2.7, 7.6) == user_colour(chart, "ann")


def test_an_export_needs_no_window(context: ViewContext) -> None:
    schedule = three_jobs()
    context.clock.reset(0, 10 * HOUR)
    chart = GanttChart(context, LIGHT)
    context.qtbot.addWidget(chart)
    chart.set_data(schedule, assign_processors(schedule))
    image = image_of(chart, QSize(700, 220), scale=2)
    position = at(chart, 0, 0)
    assert colour_at(image, 2 * position.x() + 300, 2 * position.y() + 130) == user_colour(chart, "ann")
    assert chart.time_axis == Hours(0)


def test_many_boxes_have_no_outlines_but_all_are_drawn(context: ViewContext) -> None:
    rng = np.random.default_rng(0)
    n = 5000
    submit = np.sort(rng.integers(0, 1000, n)) * 60
    trace = make_trace(
        submit, np.full(n, 60), 1, user=[f"u{k % 20}" for k in range(n)], cluster=parse_cluster("50x2c")
    )
    schedule = make_schedule(trace, submit)
    context.clock.reset(0, 1001 * 60)
    chart = GanttChart(context, LIGHT)
    chart.set_data(schedule, assign_processors(schedule))
    context.show(chart, 900, 300)
    image = context.settle(chart)
    plot = chart.frame().plot
    colours = {colour_at(image, plot.left() + x, plot.top() + 3) for x in range(0, 700, 3)}
    assert len(colours) > 12
    context.selection.select_user(3)
    assert context.settle(chart) != image
