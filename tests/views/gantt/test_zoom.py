"""Rows of the Gantt chart are zoomed and moved, and the way back."""

from collections import Counter

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt

from engine.machine.cluster import parse_cluster
from engine.policy.policy import parse_policy
from engine.quantities import Jobs
from engine.schedule.processors import assign_processors
from engine.schedule.schedule import Schedule
from engine.simulation.run import simulate
from tests.traces import make_schedule, make_trace
from tests.views.context import ViewContext, colour_at, drag, mouse, wheel
from views.data.gantt.colours import classify
from views.data.gantt.rows import ROW_NAMES, RowKind
from views.gantt.chart import GanttChart
from views.gantt.zoom import LEAST_BOXES
from views.theme.theme import LIGHT

ALT, CTRL, SHIFT = (
    Qt.KeyboardModifier.AltModifier,
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.ShiftModifier,
)
ROWS = 400


@pytest.fixture
def chart(context: ViewContext) -> GanttChart:
    """On each of 400 processors a job of 100 s, of ten users in turn."""
    trace = make_trace(
        [0] * ROWS,
        [100] * ROWS,
        1,
        user=[f"u{k % 10}" for k in range(ROWS)],
        cluster=parse_cluster(f"{ROWS}c"),
    )
    schedule = make_schedule(trace, [0] * ROWS)
    context.clock.reset(0, 100)
    chart = GanttChart(context, LIGHT)
    chart.set_data(schedule, assign_processors(schedule))
    context.show(chart, 700, 240)
    return chart


def at(chart: GanttChart, across: float, down: float) -> QPointF:
    """A position in the plot, by shares of its width and height."""
    plot = chart.frame().plot
    return QPointF(plot.left() + across * plot.width(), plot.top() + down * plot.height())


def job_at(chart: GanttChart, position: QPointF) -> int:
    """The number of the job that the tooltip names."""
    return int(chart.tooltip_at(position).split()[1])


def colour_of(chart: GanttChart, job: int) -> str:
    assert chart.schedule is not None
    classes = classify(Jobs(chart.schedule.trace, chart.schedule), "user")
    return classes.colours[classes.of_job[job - 1]]


def test_the_wheel_with_alt_zooms_rows_at_the_mouse(chart: GanttChart, context: ViewContext) -> None:
    position = at(chart, 0.5, 0.752)
    before = job_at(chart, position)
    for notches in (3, 4, 5):
        wheel(chart, position, notches, ALT)
    low, high = context.clock.rows
    assert high - low == pytest.approx(0.8**12)
    assert context.clock.window == (0, 100)
    assert abs(job_at(chart, position) - before) <= 1
    image = context.settle(chart)
    beside = Counter(colour_at(image, position.x() - k, position.y()) for k in range(80, 120))
    (colour, _), *_ = beside.most_common(1)  # between the stripes, if its user has any
    assert colour == colour_of(chart, job_at(chart, position))
    wheel(chart, position, -99, ALT, sideways=True)  # as some systems tell it
    assert context.clock.rows == (0, 1)


def test_the_wheel_beside_the_plot_zooms_rows_and_with_shift_moves_them(
    chart: GanttChart, context: ViewContext
) -> None:
    position = QPointF(20, at(chart, 0, 0.5).y())
    wheel(chart, position, 99)
    low, high = context.clock.rows
    assert (high - low) * ROWS == pytest.approx(LEAST_BOXES)
    wheel(chart, position, -1, SHIFT)
    assert context.clock.rows[0] > low
    assert context.clock.window == (0, 100)


def test_a_rectangle_zooms_time_and_rows_and_back(chart: GanttChart, context: ViewContext) -> None:
    drag(chart, at(chart, 0.2, 0.25), at(chart, 0.6, 0.5), CTRL)
    assert context.clock.window == pytest.approx((20, 60), abs=0.5)
    assert context.clock.rows == pytest.approx((0.25, 0.5), abs=0.01)
    assert job_at(chart, at(chart, 0.5, 0.01)) == pytest.approx(0.25 * ROWS, abs=4)
    context.qtbot.keyClick(chart, Qt.Key.Key_Backspace)
    assert (context.clock.window, context.clock.rows) == ((0, 100), (0, 1))
    context.clock.forward()
    assert context.clock.rows == pytest.approx((0.25, 0.5), abs=0.01)
    context.qtbot.keyClick(chart, Qt.Key.Key_Home)
    assert (context.clock.window, context.clock.rows) == ((0, 100), (0, 1))


def test_a_flat_rectangle_zooms_time_alone(chart: GanttChart, context: ViewContext) -> None:
    drag(chart, at(chart, 0.2, 0.5), at(chart, 0.6, 0.53), CTRL)
    assert context.clock.window == pytest.approx((20, 60), abs=0.5)
    assert context.clock.rows == (0, 1)


def test_the_rectangle_is_seen_while_it_is_drawn(chart: GanttChart, context: ViewContext) -> None:
    before = context.settle(chart)
    mouse(chart, QEvent.Type.MouseButtonPress, at(chart, 0.2, 0.25), keys=CTRL)
    mouse(chart, QEvent.Type.MouseMove, at(chart, 0.6, 0.5), keys=CTRL)
    image = context.settle(chart)
    inside, outside = at(chart, 0.4, 0.4), at(chart, 0.4, 0.8)
    assert image.pixel(inside.toPoint()) != before.pixel(inside.toPoint())
    assert image.pixel(outside.toPoint()) == before.pixel(outside.toPoint())
    context.qtbot.keyClick(chart, Qt.Key.Key_Escape)
    assert context.settle(chart).pixel(inside.toPoint()) == before.pixel(inside.toPoint())


def test_dragging_and_keys_move_the_rows_that_are_shown(chart: GanttChart, context: ViewContext) -> None:
    context.clock.set_window(20, 60, (0.4, 0.5))
    context.settle(chart)
    under = job_at(chart, at(chart, 0.5, 0.8))
    drag(chart, at(chart, 0.5, 0.8), at(chart, 0.4, 0.3))
    assert abs(job_at(chart, at(chart, 0.4, 0.3)) - under) <= 1
    low, high = context.clock.rows
    context.qtbot.keyClick(chart, Qt.Key.Key_PageDown)
    assert context.clock.rows[0] == pytest.approx(low + 0.8 * (high - low))
    context.qtbot.keyClick(chart, Qt.Key.Key_PageUp)
    assert context.clock.rows == pytest.approx((low, high))
    context.qtbot.keyClick(chart, Qt.Key.Key_Up, ALT)
    assert context.clock.rows[1] - context.clock.rows[0] == pytest.approx(0.8 * (high - low))
    for _ in range(40):
        context.qtbot.keyClick(chart, Qt.Key.Key_PageUp)
    assert context.clock.rows[0] == 0


def test_a_double_click_makes_a_thin_job_readable(chart: GanttChart, context: ViewContext) -> None:
    position = at(chart, 0.5, 0.5)
    job = job_at(chart, position)
    context.qtbot.mouseDClick(chart, Qt.MouseButton.LeftButton, pos=position.toPoint())
    low, high = context.clock.rows
    assert (high - low) * ROWS == pytest.approx(8)
    assert abs(job_at(chart, at(chart, 0.5, 0.51)) - job) <= 1
    context.settle(chart)
    context.qtbot.mouseDClick(chart, Qt.MouseButton.LeftButton, pos=position.toPoint())
    assert context.clock.rows == (low, high)  # it can be read already


def many_small_jobs(context: ViewContext, rows: RowKind) -> GanttChart:
    """On 64 nodes of 40 processors 60 users and 3 queues, of which the first have nearly all of it."""
    # Many small jobs, of which most belong to the first users.
    rng = np.random.default_rng(5)
    n = 3000
    submit = np.sort(rng.integers(0, 40_000, n))
    trace = make_trace(
        submit,
        rng.integers(500, 4000, n),
        rng.choice([1, 1, 2, 8], n),
        user=[f"u{min(rng.zipf(1.5), 60)}" for _ in range(n)],
        queue=[f"q{k % 3}" for k in range(n)],
        cluster=parse_cluster("64x40c"),
    )
    schedule = simulate(trace, trace.cluster, parse_policy("easy"))
    context.clock.reset(0, 44_000)
    chart = GanttChart(context, LIGHT)
    chart.set_data(schedule, assign_processors(schedule))
    chart.set_rows(rows)
    context.show(chart, 900, 160)
    return chart


def box_of(chart: GanttChart, context: ViewContext, job: int) -> QRectF:
    """Where the tallest box of a job lies in the widget."""
    data, frame = chart._content.data.value, chart.frame()  # type: ignore[union-attr]
    assert data is not None
    low, high = context.clock.rows
    top, bottom = (
        frame.plot.top() + (row / data.rows.total - low) / (high - low) * frame.plot.height()
        for row in data.largest_box(job)
    )
    start, end = (frame.scale.x(float(time[job])) for time in (data.schedule.start, data.schedule.end))
    return QRectF(start, top, end - start, bottom - top)


@pytest.mark.parametrize("way", ["double-click", "F", "wheel"])
@pytest.mark.parametrize("rows", ROW_NAMES)
def test_a_small_job_can_be_read_in_rows_of_any_kind(context: ViewContext, rows: RowKind, way: str) -> None:
    chart = many_small_jobs(context, rows)
    schedule = chart.schedule
    assert schedule is not None
    job = int(np.flatnonzero((schedule.procs == 1) & (schedule.start > 20_000))[0])
    if way == "F":
        context.selection.select_job(schedule.trace, job)
        context.qtbot.keyClick(chart, Qt.Key.Key_F)
    elif way == "double-click":
        context.clock.set_window(float(schedule.start[job]), float(schedule.end[job]))
        position = box_of(chart, context, job).center().toPoint()
        job = job_at(chart, QPointF(position)) - 1  # of several in a pixel one is hit
        context.qtbot.mouseDClick(chart, Qt.MouseButton.LeftButton, pos=position)
    else:
        context.clock.set_window(float(schedule.start[job]) - 1000, float(schedule.end[job]) + 1000)
        for _ in range(40):
            wheel(chart, box_of(chart, context, job).center(), 1, ALT)
    image = context.settle(chart)
    box, plot = box_of(chart, context, job), chart.frame().plot
    assert box.height() >= 14
    assert plot.top() <= box.center().y() <= plot.bottom()
    assert job_at(chart, box.center()) == job + 1
    colours = {
        colour_at(image, x, y)
        for x in range(int(max(box.left(), plot.left())) + 4, int(min(box.right(), plot.right())) - 4)
        for y in range(int(max(box.top(), plot.top())) + 3, int(min(box.bottom(), plot.bottom())) - 3)
    }
    assert len(colours) > 4  # its name is written into it
    names = [
        (x, y) for x in range(40, int(plot.left()) - 8) for y in range(int(plot.top()), int(plot.bottom()))
    ]
    assert any(colour_at(image, *position) != LIGHT.window for position in names)  # the row has one too


def test_f_shows_all_rows_of_the_picked_jobs(chart: GanttChart, context: ViewContext) -> None:
    assert chart.schedule is not None
    for job in (100, 120):
        context.selection.select_job(chart.schedule.trace, job, toggle=True)
    context.qtbot.keyClick(chart, Qt.Key.Key_F)
    assert context.clock.rows == (0, 1)  # they are in view
    context.clock.set_window(10, 20, (0.8, 0.9))
    context.qtbot.keyClick(chart, Qt.Key.Key_F)
    assert context.clock.window == pytest.approx((-5, 105))
    assert context.clock.rows == pytest.approx((100 / ROWS, 121 / ROWS))


def test_rows_fit_the_jobs_in_view(context: ViewContext) -> None:
    trace = make_trace([0, 50], [40, 40], [10, 3], cluster=parse_cluster("100c"))
    schedule = make_schedule(trace, [0, 50])
    context.clock.reset(0, 100)
    chart = GanttChart(context, LIGHT)
    chart.set_data(schedule, assign_processors(schedule))
    context.show(chart)
    chart.fit_rows()
    assert context.clock.rows == pytest.approx((0, 0.1))
    context.clock.set_window(60, 70)
    chart.fit_rows()
    assert context.clock.rows == pytest.approx((0, 0.03))
    context.clock.set_window(42, 48)
    chart.fit_rows()  # nothing is in view
    assert context.clock.rows == pytest.approx((0, 0.03))


def test_which_rows_are_shown_is_reported_at_both_sides(chart: GanttChart, context: ViewContext) -> None:
    whole = context.settle(chart)
    context.clock.set_window(0, 100, (0.5, 0.52))
    image = context.settle(chart)
    plot = chart.frame().plot
    bar = [colour_at(image, plot.right() + 6, plot.top() + share * plot.height()) for share in (0.2, 0.51)]
    assert bar == [LIGHT.grid, LIGHT.faint]
    assert colour_at(whole, plot.right() + 6, plot.top() + 0.51 * plot.height()) == LIGHT.window
    gutter = plot.toRect().adjusted(-60, 0, -8 - int(plot.width()), 0)
    assert image.copy(gutter) != whole.copy(gutter)


def test_another_time_window_does_not_change_the_rows(chart: GanttChart, context: ViewContext) -> None:
    context.clock.set_window(0, 100, (0.5, 0.75))
    context.clock.zoom(0.5)
    context.clock.set_bounds(0, 300)
    assert context.clock.rows == (0.5, 0.75)
    context.clock.reset(0, 10)
    assert context.clock.rows == (0, 1)


def test_a_picture_of_a_part_is_that_part_of_the_whole(context: ViewContext) -> None:
    rng = np.random.default_rng(3)
    n = 9000
    submit = np.sort(rng.integers(0, 40_000, n))
    trace = make_trace(
        submit, rng.integers(1, 400, n), rng.integers(1, 6, n), user=[f"u{k % 13}" for k in range(n)],
        cluster=parse_cluster("999c"),
    )  # fmt: skip
    schedule = make_schedule(trace, submit)
    context.clock.reset(0, 40_000)
    chart = GanttChart(context, LIGHT)
    chart.set_data(schedule, assign_processors(schedule))
    context.show(chart, 500, 64 + 500)
    plot = chart.frame().plot.toRect()
    context.clock.set_window(20_000, 21_000)
    whole = context.settle(chart)
    context.clock.set_window(20_000, 21_000, (0.0, 0.5))
    part = context.settle(chart)
    rows = plot.height() // 2
    same = [
        whole.pixel(plot.left() + x, plot.top() + y) == part.pixel(plot.left() + x, plot.top() + 2 * y)
        for x in range(0, plot.width() - 1, 7)
        for y in range(0, rows, 5)
    ]
    assert np.mean(same) > 0.8  # but for edges


def test_a_sign_leads_to_the_selected_job_where_it_is_not_seen(
    chart: GanttChart, context: ViewContext
) -> None:
    assert chart.schedule is not None
    context.selection.select_job(chart.schedule.trace, 100)
    context.clock.set_window(40, 60, (0.5, 0.6))
    bare = context.settle(chart)
    position = at(chart, 0.5, 0.0) + QPointF(0, 8)  # above, in the middle of its time
    assert chart.tooltip_at(position) == "Click: go to job 101, outside the visible range"
    mouse(chart, QEvent.Type.MouseMove, position, Qt.MouseButton.NoButton)
    assert chart.cursor().shape() == Qt.CursorShape.PointingHandCursor
    context.qtbot.mouseClick(chart, Qt.MouseButton.LeftButton, pos=position.toPoint())
    assert context.selection.value.jobs == {100}
    low, high = context.clock.rows
    assert low < 100 / ROWS < 101 / ROWS < high
    assert high - low == pytest.approx(0.1)
    assert context.clock.window == pytest.approx((-5, 105))  # all of it
    seen = context.settle(chart)
    assert seen != bare
    assert not chart.tooltip_at(position).startswith("Click")
    context.clock.set_window(40, 60, (0.1, 0.2))
    context.settle(chart)
    below = at(chart, 0.5, 1.0) - QPointF(0, 8)
    assert chart.tooltip_at(below).startswith("Click")
    context.selection.select_job(chart.schedule.trace, 200, toggle=True)
    context.settle(chart)
    assert not chart.tooltip_at(below).startswith("Click")  # of several none is meant


def shown(context: ViewContext, schedule: Schedule, end: float) -> GanttChart:
    """A chart of a schedule from 0 to an end, in seconds."""
    context.clock.reset(0, end)
    chart = GanttChart(context, LIGHT)
    chart.set_data(schedule, assign_processors(schedule))
    context.show(chart, 700, 240)
    return chart


def test_a_sign_leads_to_another_time(context: ViewContext) -> None:
    trace = make_trace([0, 500], [100, 100], [1, 1], cluster=parse_cluster("4c"))
    schedule = make_schedule(trace, [0, 500])
    chart = shown(context, schedule, 600)
    context.clock.set_window(200, 300)
    for job, across in ((0, 12), (1, -12)):
        context.selection.select_job(trace, job)
        context.settle(chart)
        position = at(chart, float(across < 0), 0.125) + QPointF(across, 0)
        context.qtbot.mouseClick(chart, Qt.MouseButton.LeftButton, pos=position.toPoint())
        assert context.clock.start <= schedule.start[job] < schedule.end[job] <= context.clock.end
        context.clock.back()


def test_a_double_click_on_a_sign_zooms_to_its_job(context: ViewContext) -> None:
    trace = make_trace([0, 0, 0], [1000, 20, 1000], [1, 1, 1], cluster=parse_cluster("4c"))
    chart = shown(context, make_schedule(trace, [0, 500, 0]), 1000)
    context.clock.set_window(700, 900)  # other jobs are there, and lie under the mouse when the sign has gone
    context.selection.select_job(trace, 1)
    context.settle(chart)
    position = next(
        QPointF(x, y).toPoint()
        for x in range(round(chart.frame().plot.left()) + 4, 200, 4)
        for y in range(round(chart.frame().plot.top()) + 4, 200, 4)
        if chart.tooltip_at(QPointF(x, y)).startswith("Click: go to job")
    )
    context.qtbot.mouseClick(chart, Qt.MouseButton.LeftButton, pos=position)
    context.qtbot.mouseDClick(chart, Qt.MouseButton.LeftButton, pos=position)
    assert context.clock.start <= 500 < 520 <= context.clock.end
    assert context.clock.span < 100
    assert context.selection.value.jobs == {1}
