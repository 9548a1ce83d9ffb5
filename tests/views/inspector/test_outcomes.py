"""The chart of how a user or a queue fares: violated jobs over time, and boxes of waits."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPointF, Qt
from pytestqt.qtbot import QtBot

from engine.metrics.series import StepSeries
from engine.trace import Trace
from tests.traces import make_trace
from tests.views.context import Told, ViewContext, colour_at
from tests.views.results import make_result
from views.data.results import Result
from views.inspector.outcome_plots import CURVE, ViolationPlot, WaitBoxPlot
from views.inspector.outcomes import column_maxima, most_at_once, outcomes_of
from views.plot.area import PlotArea
from views.plotting.widget import PlotWidget
from views.text.ticks import Hours
from views.theme.palette import run_colour
from views.theme.theme import DARK, LIGHT, Theme

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
    fares = outcomes_of(some_results(), np.array([True, True, True, False]))
    late = fares[0].late
    assert late is not None
    assert list(zip(late.time, late.value, strict=True)) == [(600, 2), (2 * HOUR, 1), (3 * HOUR, 0)]
    assert most_at_once(fares) == 2
    assert fares[0].waits is not None
    assert (fares[0].waits.median, fares[0].waits.maximum) == (2 * HOUR, 3 * HOUR)


def violations(inspector: Told) -> tuple[ViolationPlot, PlotArea]:
    plot = inspector.outcomes.violations.plot
    assert isinstance(plot, ViolationPlot)
    return plot, inspector.outcomes.violations.area


def boxes(inspector: Told) -> tuple[WaitBoxPlot, PlotArea]:
    plot = inspector.outcomes.waits.plot
    assert isinstance(plot, WaitBoxPlot)
    return plot, inspector.outcomes.waits.area


def on_curve(inspector: Told, lane: int, time: float, share: float = 0.5) -> QPointF:
    """A share of the height of a lane's curve, at a time."""
    plot, area = violations(inspector)
    return area.spot(time, plot.bottom(lane) + share * CURVE)


def read_at(chart: PlotWidget, position: QPointF) -> list[str]:
    reading = chart.read(position)
    return reading.text.split("\n") if reading is not None else []


def test_curves_have_the_colours_of_their_runs(inspector: Told) -> None:
    assert inspector.outcomes.isVisible()
    image = inspector.outcomes.violations.grab().toImage()
    for time, height in ((0, 0.0), (HOUR, 0.9), (2.5 * HOUR, 0.4), (3.5 * HOUR, 0.0)):
        spot = on_curve(inspector, 0, time, max(height, 0.1))
        shown = colour_at(image, spot.x() + 2, spot.y()) == run_colour(1)
        assert shown == (height > 0), time
    above = on_curve(inspector, 0, 2.5 * HOUR, 0.9)
    assert colour_at(image, above.x(), above.y()) != run_colour(1)


def test_boxes_lie_in_the_lanes_of_their_runs(inspector: Told) -> None:
    plot, area = boxes(inspector)
    image = inspector.outcomes.waits.grab().toImage()
    for lane in (0, 1):
        y = float(area.ys(np.array(plot.middle(lane))))
        assert y == pytest.approx(on_curve(inspector, lane, 0).y(), abs=1)
        row = [colour_at(image, x, y) for x in range(int(area.left), int(area.left + area.width))]
        assert run_colour(lane + 1) in row
        assert run_colour(2 - lane) not in row


def test_all_parts_of_a_box_lie_at_the_right_of_waits_of_zero(inspector: Told) -> None:
    trace = make_trace([0] * 9, [HOUR] * 9)
    waits = [0, 0, 0, 0, 60, 60, 60, 60, 90_000]
    inspector.outcomes.show_outcomes(outcomes_of([make_result(trace, waits)], np.ones(9, bool)), Hours(0))
    image = inspector.context.settle(inspector)
    plot, area = boxes(inspector)
    zero, minute, longest = area.xs(plot.x.coordinates_of(np.array([0, 60, 90_000.0]))).tolist()
    assert area.left <= zero < minute < longest <= area.rect.right()
    image = inspector.outcomes.waits.grab().toImage()
    y = float(area.ys(np.array(plot.middle(0))))
    assert colour_at(image, zero, y) == run_colour(1)  # the left edge of the box
    assert colour_at(image, minute, y) == LIGHT.text  # the median
    assert colour_at(image, longest, y) not in (LIGHT.chart, LIGHT.grid)  # the outermost dot


def test_the_curves_follow_the_clock(context: ViewContext, inspector: Told) -> None:
    context.clock.set_window(0, HOUR)
    context.settle(inspector)
    assert violations(inspector)[1].x == (0, HOUR)
    spot = on_curve(inspector, 0, HOUR)
    image = inspector.outcomes.violations.grab().toImage()
    assert colour_at(image, spot.x() - 3, spot.y()) == run_colour(1)


def test_the_mouse_reads_both(inspector: Told) -> None:
    late, waits = inspector.outcomes.violations, inspector.outcomes.waits
    assert read_at(late, on_curve(inspector, 0, 2.5 * HOUR))[:2] == ["fcfs", "1 violated job"]
    assert read_at(late, on_curve(inspector, 1, 2.5 * HOUR, 1.2))[:2] == ["easy", "longest wait: 1 h"]
    plot, area = boxes(inspector)
    box = QPointF(area.rect.center().x(), float(area.ys(np.array(plot.middle(1)))))
    assert read_at(waits, box)[:2] == ["easy", "longest wait: 1 h"]
    assert read_at(late, QPointF(5, late.height() - 5.0)) == []


def test_a_click_on_a_curve_asks_for_that_time(qtbot: QtBot, inspector: Told) -> None:
    _, area = violations(inspector)
    spot = on_curve(inspector, 1, HOUR).toPoint()
    with qtbot.waitSignal(inspector.time_clicked) as caught:
        qtbot.mouseClick(inspector.outcomes.violations, Qt.MouseButton.LeftButton, pos=spot)
    assert caught.args == [pytest.approx(HOUR, abs=4 * HOUR / area.width)]


def test_a_click_on_a_name_asks_for_nothing(qtbot: QtBot, inspector: Told) -> None:
    spot = on_curve(inspector, 1, HOUR, 1.2).toPoint()
    with qtbot.assertNotEmitted(inspector.time_clicked):
        qtbot.mouseClick(inspector.outcomes.violations, Qt.MouseButton.LeftButton, pos=spot)


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=lambda theme: theme.name)
def test_both_plots_take_the_colours_of_a_theme(inspector: Told, theme: Theme) -> None:
    inspector.set_theme(theme)
    inspector.context.settle(inspector)
    for chart in (inspector.outcomes.violations, inspector.outcomes.waits):
        assert colour_at(chart.grab().toImage(), 2, chart.height() / 2) == theme.chart


def test_the_chart_is_there_for_groups_only(context: ViewContext, inspector: Told) -> None:
    context.selection.select_job(some_trace(), 0)
    context.settle(inspector)
    assert not inspector.outcomes.isVisible()
    context.selection.select_queue(0)
    context.settle(inspector)
    assert inspector.outcomes.isVisible()
    context.selection.clear()
    context.settle(inspector)
    assert not inspector.outcomes.isVisible()


@given(
    st.lists(st.tuples(st.integers(0, 60), st.integers(0, 9)), unique_by=lambda pair: pair[0]),
    st.integers(-5, 40),
    st.integers(1, 30),
    st.integers(1, 12),
)
def test_no_column_misses_a_peak(steps: list[tuple[int, int]], left: int, span: int, width: int) -> None:
    steps = sorted(steps)
    series = StepSeries(np.array([t for t, _ in steps], np.int64), np.array([v for _, v in steps], np.int64))
    found = column_maxima(series, (left, left + span), width)
    for column in range(width):
        begin, end = left + span * column / width, left + span * (column + 1) / width
        within = [value for time, value in steps if begin < time < end]
        before = [value for time, value in steps if time <= begin]
        least = max([*within, before[-1] if before else 0])
        at_end = [value for time, value in steps if abs(time - end) < 1e-6]
        assert found[column] in (least, max([least, *at_end]))
