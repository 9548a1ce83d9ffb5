"""Rows of the Gantt chart are zoomed and moved, and the way back."""

from __future__ import annotations

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
from tests.views.context import Stage, colour_at, drag, mouse, wheel
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
def chart(stage: Stage) -> GanttChart:
    """On each of 400 processors a job of 100 s, of ten users in turn."""
    trace = make_trace(
        [0] * ROWS,
        [100] * ROWS,
        1,
        user=[f"u{k % 10}" for k in range(ROWS)],
        cluster=parse_cluster(f"{ROWS}c"),
    )
    schedule = make_schedule(trace, [0] * ROWS)
    stage.clock.reset(0, 100)
    chart = GanttChart(stage, LIGHT)
    chart.set_data(schedule, assign_processors(schedule))
    stage.show(chart, 700, 240)
    return chart


def at(chart: GanttChart, across: float, down: float) -> QPointF:
    """A place in the plot, by shares of its width and height."""
    plot = chart.frame().plot
    return QPointF(plot.left() + across * plot.width(), plot.top() + down * plot.height())


def job_at(chart: GanttChart, place: QPointF) -> int:
    """The number of the job that the tooltip names."""
    return int(chart.tooltip_at(place).split()[1])


def colour_of(chart: GanttChart, job: int) -> str:
    assert chart.schedule is not None
    classes = classify(Jobs(chart.schedule.trace, chart.schedule), "user")
    return classes.colours[classes.of_job[job - 1]]


def test_the_wheel_with_alt_zooms_rows_at_the_mouse(chart: GanttChart, stage: Stage) -> None:
    place = at(chart, 0.5, 0.752)
    before = job_at(chart, place)
    for notches in (3, 4, 5):
        wheel(chart, place, notches, ALT)
    low, high = stage.clock.rows
    assert high - low == pytest.approx(0.8**12)
    assert stage.clock.window == (0, 100)
    assert abs(job_at(chart, place) - before) <= 1
    image = stage.settle(chart)
    assert colour_at(image, place.x() - 100, place.y()) == colour_of(chart, job_at(chart, place))
    wheel(chart, place, -99, ALT, sideways=True)  # as some systems tell it
    assert stage.clock.rows == (0, 1)


def test_the_wheel_beside_the_plot_zooms_rows_and_with_shift_moves_them(
    chart: GanttChart, stage: Stage
) -> None:
    place = QPointF(20, at(chart, 0, 0.5).y())
    wheel(chart, place, 99)
    low, high = stage.clock.rows
    assert (high - low) * ROWS == pytest.approx(LEAST_BOXES)
    wheel(chart, place, -1, SHIFT)
    assert stage.clock.rows[0] > low
    assert stage.clock.window == (0, 100)


def test_a_rectangle_zooms_time_and_rows_and_back(chart: GanttChart, stage: Stage) -> None:
    drag(chart, at(chart, 0.2, 0.25), at(chart, 0.6, 0.5), CTRL)
    assert stage.clock.window == pytest.approx((20, 60), abs=0.5)
    assert stage.clock.rows == pytest.approx((0.25, 0.5), abs=0.01)
    assert job_at(chart, at(chart, 0.5, 0.01)) == pytest.approx(0.25 * ROWS, abs=4)
    stage.qtbot.keyClick(chart, Qt.Key.Key_Backspace)
    assert (stage.clock.window, stage.clock.rows) == ((0, 100), (0, 1))
    stage.qtbot.keyClick(chart, Qt.Key.Key_Right, ALT)
    assert stage.clock.rows == pytest.approx((0.25, 0.5), abs=0.01)
    stage.qtbot.keyClick(chart, Qt.Key.Key_Home)
    assert (stage.clock.window, stage.clock.rows) == ((0, 100), (0, 1))


def test_a_flat_rectangle_zooms_time_alone(chart: GanttChart, stage: Stage) -> None:
    drag(chart, at(chart, 0.2, 0.5), at(chart, 0.6, 0.53), CTRL)
    assert stage.clock.window == pytest.approx((20, 60), abs=0.5)
    assert stage.clock.rows == (0, 1)


def test_the_rectangle_is_seen_while_it_is_drawn(chart: GanttChart, stage: Stage) -> None:
    before = stage.settle(chart)
    mouse(chart, QEvent.Type.MouseButtonPress, at(chart, 0.2, 0.25), keys=CTRL)
    mouse(chart, QEvent.Type.MouseMove, at(chart, 0.6, 0.5), keys=CTRL)
    image = stage.settle(chart)
    inside, outside = at(chart, 0.4, 0.4), at(chart, 0.4, 0.8)
    assert image.pixel(inside.toPoint()) != before.pixel(inside.toPoint())
    assert image.pixel(outside.toPoint()) == before.pixel(outside.toPoint())
    stage.qtbot.keyClick(chart, Qt.Key.Key_Escape)
    assert stage.settle(chart).pixel(inside.toPoint()) == before.pixel(inside.toPoint())


def test_dragging_and_keys_move_the_rows_that_are_shown(chart: GanttChart, stage: Stage) -> None:
    stage.clock.set_window(20, 60, (0.4, 0.5))
    stage.settle(chart)
    under = job_at(chart, at(chart, 0.5, 0.8))
    drag(chart, at(chart, 0.5, 0.8), at(chart, 0.4, 0.3))
    assert abs(job_at(chart, at(chart, 0.4, 0.3)) - under) <= 1
    low, high = stage.clock.rows
    stage.qtbot.keyClick(chart, Qt.Key.Key_PageDown)
    assert stage.clock.rows[0] == pytest.approx(low + 0.8 * (high - low))
    stage.qtbot.keyClick(chart, Qt.Key.Key_PageUp)
    assert stage.clock.rows == pytest.approx((low, high))
    stage.qtbot.keyClick(chart, Qt.Key.Key_Up, ALT)
    assert stage.clock.rows[1] - stage.clock.rows[0] == pytest.approx(0.8 * (high - low))
    for _ in range(40):
        stage.qtbot.keyClick(chart, Qt.Key.Key_PageUp)
    assert stage.clock.rows[0] == 0


def test_a_double_click_makes_a_thin_job_readable(chart: GanttChart, stage: Stage) -> None:
    place = at(chart, 0.5, 0.5)
    job = job_at(chart, place)
    stage.qtbot.mouseDClick(chart, Qt.MouseButton.LeftButton, pos=place.toPoint())
    low, high = stage.clock.rows
    assert (high - low) * ROWS == pytest.approx(8)
    assert abs(job_at(chart, at(chart, 0.5, 0.51)) - job) <= 1
    stage.settle(chart)
    stage.qtbot.mouseDClick(chart, Qt.MouseButton.LeftButton, pos=place.toPoint())
    assert stage.clock.rows == (low, high)  # it can be read already


def many_small_jobs(stage: Stage, rows: RowKind) -> GanttChart:
    """On 64 nodes of 40 processors 60 users and 3 queues, of which the first have nearly all of it."""
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
    stage.clock.reset(0, 44_000)
    chart = GanttChart(stage, LIGHT)
    chart.set_data(schedule, assign_processors(schedule))
    chart.set_rows(rows)
    stage.show(chart, 900, 160)
    return chart


def box_of(chart: GanttChart, stage: Stage, job: int) -> QRectF:
    """Where the tallest box of a job lies in the widget."""
    data, frame = chart._data.value, chart.frame()  # type: ignore[union-attr]
    assert data is not None
    low, high = stage.clock.rows
    top, bottom = (
        frame.plot.top() + (row / data.rows.total - low) / (high - low) * frame.plot.height()
        for row in data.largest_box(job)
    )
    start, end = (frame.scale.x(float(time[job])) for time in (data.schedule.start, data.schedule.end))
    return QRectF(start, top, end - start, bottom - top)


@pytest.mark.parametrize("way", ["double-click", "F", "wheel"])
@pytest.mark.parametrize("rows", ROW_NAMES)
def test_a_small_job_can_be_read_in_rows_of_any_kind(stage: Stage, rows: RowKind, way: str) -> None:
    chart = many_small_jobs(stage, rows)
    schedule = chart.schedule
    assert schedule is not None
    job = int(np.flatnonzero((schedule.procs == 1) & (schedule.start > 20_000))[0])
    if way == "F":
        stage.selection.select_job(schedule.trace, job)
        stage.qtbot.keyClick(chart, Qt.Key.Key_F)
    elif way == "double-click":
        stage.clock.set_window(float(schedule.start[job]), float(schedule.end[job]))
        place = box_of(chart, stage, job).center().toPoint()
        job = job_at(chart, QPointF(place)) - 1  # of several in a pixel one is hit
        stage.qtbot.mouseDClick(chart, Qt.MouseButton.LeftButton, pos=place)
    else:
        stage.clock.set_window(float(schedule.start[job]) - 1000, float(schedule.end[job]) + 1000)
        for _ in range(40):
            wheel(chart, box_of(chart, stage, job).center(), 1, ALT)
    image = stage.settle(chart)
    box, plot = box_of(chart, stage, job), chart.frame().plot
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
    assert any(colour_at(image, *place) != LIGHT.window for place in names)  # the row has one too


def test_f_shows_all_rows_of_the_picked_jobs(chart: GanttChart, stage: Stage) -> None:
    assert chart.schedule is not None
    for job in (100, 120):
        stage.selection.select_job(chart.schedule.trace, job, toggle=True)
    stage.qtbot.keyClick(chart, Qt.Key.Key_F)
    assert stage.clock.rows == (0, 1)  # they are in view
    stage.clock.set_window(10, 20, (0.8, 0.9))
    stage.qtbot.keyClick(chart, Qt.Key.Key_F)
    assert stage.clock.window == pytest.approx((-5, 105))
    assert stage.clock.rows == pytest.approx((100 / ROWS, 121 / ROWS))


def test_rows_fit_the_jobs_in_view(stage: Stage) -> None:
    trace = make_trace([0, 50], [40, 40], [10, 3], cluster=parse_cluster("100c"))
    schedule = make_schedule(trace, [0, 50])
    stage.clock.reset(0, 100)
    chart = GanttChart(stage, LIGHT)
    chart.set_data(schedule, assign_processors(schedule))
    stage.show(chart)
    chart.fit_rows()
    assert stage.clock.rows == pytest.approx((0, 0.1))
    stage.clock.set_window(60, 70)
    chart.fit_rows()
    assert stage.clock.rows == pytest.approx((0, 0.03))
    stage.clock.set_window(42, 48)
    chart.fit_rows()  # nothing is in view
    assert stage.clock.rows == pytest.approx((0, 0.03))


def test_which_rows_are_shown_is_told_at_both_sides(chart: GanttChart, stage: Stage) -> None:
    whole = stage.settle(chart)
    stage.clock.set_window(0, 100, (0.5, 0.52))
    image = stage.settle(chart)
    plot = chart.frame().plot
    bar = [colour_at(image, plot.right() + 6, plot.top() + share * plot.height()) for share in (0.2, 0.51)]
    assert bar == [LIGHT.grid, LIGHT.faint]
    assert colour_at(whole, plot.right() + 6, plot.top() + 0.51 * plot.height()) == LIGHT.window
    gutter = plot.toRect().adjusted(-60, 0, -8 - int(plot.width()), 0)
    assert image.copy(gutter) != whole.copy(gutter)


def test_another_time_window_does_not_change_the_rows(chart: GanttChart, stage: Stage) -> None:
    stage.clock.set_window(0, 100, (0.5, 0.75))
    stage.clock.zoom(0.5)
    stage.clock.set_bounds(0, 300)
    assert stage.clock.rows == (0.5, 0.75)
    stage.clock.reset(0, 10)
    assert stage.clock.rows == (0, 1)


def test_a_picture_of_a_part_is_that_part_of_the_whole(stage: Stage) -> None:
    rng = np.random.default_rng(3)
    n = 9000
    submit = np.sort(rng.integers(0, 40_000, n))
    trace = make_trace(
        submit, rng.integers(1, 400, n), rng.integers(1, 6, n), user=[f"u{k % 13}" for k in range(n)],
        cluster=parse_cluster("999c"),
    )  # fmt: skip
    schedule = make_schedule(trace, submit)
    stage.clock.reset(0, 40_000)
    chart = GanttChart(stage, LIGHT)
    chart.set_data(schedule, assign_processors(schedule))
    stage.show(chart, 500, 64 + 500)
    plot = chart.frame().plot.toRect()
    stage.clock.set_window(20_000, 21_000)
    whole = stage.settle(chart)
    stage.clock.set_window(20_000, 21_000, (0.0, 0.5))
    part = stage.settle(chart)
    rows = plot.height() // 2
    same = [
        whole.pixel(plot.left() + x, plot.top() + y) == part.pixel(plot.left() + x, plot.top() + 2 * y)
        for x in range(0, plot.width() - 1, 7)
        for y in range(0, rows, 5)
    ]
    assert np.mean(same) > 0.8  # but for edges


def test_a_sign_leads_to_the_selected_job_where_it_is_not_seen(chart: GanttChart, stage: Stage) -> None:
    assert chart.schedule is not None
    stage.selection.select_job(chart.schedule.trace, 100)
    stage.clock.set_window(40, 60, (0.5, 0.6))
    bare = stage.settle(chart)
    place = at(chart, 0.5, 0.0) + QPointF(0, 8)  # above, in the middle of its time
    assert chart.tooltip_at(place) == "Click: go to job 101, which lies there"
    mouse(chart, QEvent.Type.MouseMove, place, Qt.MouseButton.NoButton)
    assert chart.cursor().shape() == Qt.CursorShape.PointingHandCursor
    stage.qtbot.mouseClick(chart, Qt.MouseButton.LeftButton, pos=place.toPoint())
    assert stage.selection.value.jobs == {100}
    low, high = stage.clock.rows
    assert low < 100 / ROWS < 101 / ROWS < high
    assert high - low == pytest.approx(0.1)
    assert stage.clock.window == pytest.approx((-5, 105))  # all of it
    seen = stage.settle(chart)
    assert seen != bare
    assert not chart.tooltip_at(place).startswith("Click")
    stage.clock.set_window(40, 60, (0.1, 0.2))
    stage.settle(chart)
    below = at(chart, 0.5, 1.0) - QPointF(0, 8)
    assert chart.tooltip_at(below).startswith("Click")
    stage.selection.select_job(chart.schedule.trace, 200, toggle=True)
    stage.settle(chart)
    assert not chart.tooltip_at(below).startswith("Click")  # of several none is meant


def shown(stage: Stage, schedule: Schedule, end: float) -> GanttChart:
    """A chart of a schedule from 0 to an end, in seconds."""
    stage.clock.reset(0, end)
    chart = GanttChart(stage, LIGHT)
    chart.set_data(schedule, assign_processors(schedule))
    stage.show(chart, 700, 240)
    return chart


def test_a_sign_leads_to_another_time(stage: Stage) -> None:
    trace = make_trace([0, 500], [100, 100], [1, 1], cluster=parse_cluster("4c"))
    schedule = make_schedule(trace, [0, 500])
    chart = shown(stage, schedule, 600)
    stage.clock.set_window(200, 300)
    for job, across in ((0, 12), (1, -12)):
        stage.selection.select_job(trace, job)
        stage.settle(chart)
        place = at(chart, float(across < 0), 0.125) + QPointF(across, 0)
        stage.qtbot.mouseClick(chart, Qt.MouseButton.LeftButton, pos=place.toPoint())
        assert stage.clock.start <= schedule.start[job] < schedule.end[job] <= stage.clock.end
        stage.clock.back()


def test_a_double_click_on_a_sign_zooms_to_its_job(stage: Stage) -> None:
    trace = make_trace([0, 0, 0], [1000, 20, 1000], [1, 1, 1], cluster=parse_cluster("4c"))
    chart = shown(stage, make_schedule(trace, [0, 500, 0]), 1000)
    stage.clock.set_window(700, 900)  # other jobs are there, and lie under the mouse when the sign has gone
    stage.selection.select_job(trace, 1)
    stage.settle(chart)
    place = next(
        QPointF(x, y).toPoint()
        for x in range(round(chart.frame().plot.left()) + 4, 200, 4)
        for y in range(round(chart.frame().plot.top()) + 4, 200, 4)
        if chart.tooltip_at(QPointF(x, y)).startswith("Click: go to job")
    )
    stage.qtbot.mouseClick(chart, Qt.MouseButton.LeftButton, pos=place)
    stage.qtbot.mouseDClick(chart, Qt.MouseButton.LeftButton, pos=place)
    assert stage.clock.start <= 500 < 520 <= stage.clock.end
    assert stage.clock.span < 100
    assert stage.selection.value.jobs == {1}
