"""The chart of how a user or a queue fares: violated jobs over time, and boxes of waits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPointF, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from engine.metrics.series import Series
from engine.trace import Trace
from tests.traces import make_trace
from tests.views.context import Told, ViewContext, colour_at
from tests.views.results import make_result
from views.data.results import Result
from views.inspector.fare_frame import FareFrame
from views.inspector.fares import column_maxima, fares_of, most_at_once
from views.theme.palette import run_colour

HOUR = 3600


def some_trace() -> Trace:
    return make_trace([0, 0, 0, 0], [HOUR] * 4, user=["alice", "alice", "alice", "bob"])


def some_results() -> list[Result]:
    """Under the first run two of alice's jobs are late, from 10 min after submission to their start."""
    trace = some_trace()
    return [
        make_result(trace, [0, 2 * HOUR, 3 * HOUR, 0], 1, "fcfs"),
        make_result(trace, [0, 0, HOUR, 5 * HOUR], 2, "easy"),
    ]


@pytest.fixture
def inspector(context: ViewContext) -> Told:
    context.clock.reset(0, 4 * HOUR)
    widget = Told(context, 305, 900)
    widget.set_results(some_trace(), some_results())
    context.selection.select_user(0)
    context.settle(widget)
    return widget


def test_violated_jobs_count_from_the_start_that_would_have_done() -> None:
    fares = fares_of(some_results(), np.array([True, True, True, False]))
    late = fares[0].late
    assert late is not None
    assert list(zip(late.time, late.value, strict=True)) == [(600, 2), (2 * HOUR, 1), (3 * HOUR, 0)]
    assert most_at_once(fares) == 2
    assert fares[0].waits is not None
    assert (fares[0].waits.median, fares[0].waits.maximum) == (2 * HOUR, 3 * HOUR)


def test_curves_and_boxes_have_the_colours_of_their_runs(context: ViewContext, inspector: Told) -> None:
    frame, image = inspector.fares.frame(), inspector.fares.grab().toImage()
    assert inspector.fares.isVisible()
    curve = frame.curve(0)
    for time, height in ((0, 0.0), (HOUR, 0.9), (2.5 * HOUR, 0.4), (3.5 * HOUR, 0.0)):
        x = frame.time.x(time) + 2
        shown = colour_at(image, x, curve.bottom() - max(height * curve.height(), 2)) == run_colour(1)
        assert shown == (height > 0), time
    assert colour_at(image, frame.time.x(2.5 * HOUR), curve.top() + 2) != run_colour(1)
    second = frame.box(1)
    row = [colour_at(image, x, second.center().y()) for x in range(int(second.left()), int(second.right()))]
    assert run_colour(2) in row


def test_all_parts_of_a_box_lie_at_the_right_of_waits_of_zero(context: ViewContext) -> None:
    trace = make_trace([0] * 9, [HOUR] * 9)
    waits = [0, 0, 0, 0, 60, 60, 60, 60, 90_000]
    frame = FareFrame(
        fares_of([make_result(trace, waits)], np.ones(9, bool)), (0, HOUR), 300, QApplication.font()
    )
    zero, minute, longest = (
        frame.x_of_wait(float(x)) for x in frame.waits.heights_of(np.array([0, 60, 90_000.0]))
    )
    assert frame.boxes.left() <= zero < minute < longest <= frame.boxes.right()


def test_the_curves_follow_the_clock(context: ViewContext, inspector: Told) -> None:
    context.clock.set_window(0, HOUR)
    assert inspector.fares.frame().time.end == HOUR
    image = inspector.fares.grab().toImage()
    curve = inspector.fares.frame().curve(0)
    assert colour_at(image, curve.right() - 3, curve.center().y()) == run_colour(1)


def test_the_mouse_reads_both(inspector: Told) -> None:
    frame, chart = inspector.fares.frame(), inspector.fares
    at = QPointF(frame.time.x(2.5 * HOUR), frame.curve(0).center().y())
    assert chart.tooltip_at(at).split("\n")[:2] == ["fcfs", "1 violated job"]
    assert chart.tooltip_at(frame.box(1).center()).split("\n")[:2] == ["easy", "longest wait: 1 h"]
    assert chart.tooltip_at(QPointF(5, frame.axis.center().y())) == ""


def test_a_click_on_a_curve_asks_for_that_time(qtbot: QtBot, inspector: Told) -> None:
    frame = inspector.fares.frame()
    spot = QPointF(frame.time.x(HOUR), frame.curve(1).center().y()).toPoint()
    with qtbot.waitSignal(inspector.time_clicked) as caught:
        qtbot.mouseClick(inspector.fares, Qt.MouseButton.LeftButton, pos=spot)
    assert caught.args == [pytest.approx(HOUR, abs=frame.time.seconds_per_pixel)]


def test_the_chart_is_there_for_groups_only(context: ViewContext, inspector: Told) -> None:
    context.selection.select_job(some_trace(), 0)
    context.settle(inspector)
    assert not inspector.fares.isVisible()
    context.selection.select_queue(0)
    context.settle(inspector)
    assert inspector.fares.isVisible()
    context.selection.clear()
    context.settle(inspector)
    assert not inspector.fares.isVisible()


@given(
    st.lists(st.tuples(st.integers(0, 60), st.integers(0, 9)), unique_by=lambda pair: pair[0]),
    st.integers(-5, 40),
    st.integers(1, 30),
    st.integers(1, 12),
)
def test_no_column_misses_a_peak(steps: list[tuple[int, int]], left: int, span: int, width: int) -> None:
    steps = sorted(steps)
    series = Series(np.array([t for t, _ in steps], np.int64), np.array([v for _, v in steps], np.int64))
    found = column_maxima(series, (left, left + span), width)
    for column in range(width):
        begin, end = left + span * column / width, left + span * (column + 1) / width
        within = [value for time, value in steps if begin < time < end]
        before = [value for time, value in steps if time <= begin]
        least = max([*within, before[-1] if before else 0])
        at_end = [value for time, value in steps if abs(time - end) < 1e-6]
        assert found[column] in (least, max([least, *at_end]))
