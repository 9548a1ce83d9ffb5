"""Box-plots over users: what they show, tell and select."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from functools import partial

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QFontMetricsF
from PySide6.QtWidgets import QToolTip
from pytestqt.qtbot import QtBot

from engine.trace import Trace
from tests.traces import make_trace
from tests.views.results import make_result
from views.boxes import box_data
from views.boxplot import BoxplotPanel
from views.boxplot.axes import lay_out_names
from views.boxplot.chart import BoxChart
from views.measures import MEASURES
from views.results import Result
from views.selection import Selection, SelectionModel
from views.style import DARK, LIGHT
from views.tips import tip

VEET, WT, WAIT, SLOWDOWN = range(4)
USERS = 12
LONG = "fairshare-easy:penalty=cpu,half_life=2h"


def some_trace() -> Trace:
    """Twelve users with two jobs each; the user of code 11 is named so that it must be shown as text."""
    names = [f"u{code}" for code in range(USERS - 1)] + ["<b>last</b>"]
    return make_trace(
        submit=range(0, 2 * USERS * 100, 100),
        runtime=[100] * 2 * USERS,
        user=[n for n in names for _ in "12"],
    )


def starts(trace: Trace, factor: int) -> list[int]:
    """User k waits k * factor seconds for each job; the last one a hundred times as long."""
    wait = trace.user.codes * factor
    wait[-2:] *= 100
    return list(trace.submit + wait)


def some_results(trace: Trace, runs: int = 2, policies: tuple[str, ...] = ("easy", LONG)) -> list[Result]:
    return [
        make_result(trace, starts(trace, 60 * (k + 1)), k + 1, policies[k % len(policies)])
        for k in range(runs)
    ]


@pytest.fixture
def selection() -> SelectionModel:
    return SelectionModel()


@pytest.fixture
def panel(qtbot: QtBot, selection: SelectionModel) -> Iterator[BoxplotPanel]:
    widget = BoxplotPanel(selection, LIGHT)
    qtbot.addWidget(widget)
    widget.resize(1200, 380)
    widget.show()
    qtbot.waitExposed(widget)
    yield widget
    QToolTip.hideText()


def pixel_of(chart: BoxChart, x: float, y: float) -> QPoint:
    """Where a place of the plot is in its viewport."""
    view = chart.plot.getPlotItem().getViewBox()
    spot: QPoint = chart.plot.mapFromScene(view.mapViewToScene(QPointF(x, y)))
    return spot


def move_to(qtbot: QtBot, chart: BoxChart, place: QPoint) -> None:
    """Move the mouse there, as a hand does: pyqtgraph takes at most a hundred steps a second."""
    for step in (QPoint(-2, -2), QPoint(-1, 0), QPoint(0, 0)):
        qtbot.wait(20)
        qtbot.mouseMove(chart.plot.viewport(), place + step)


def the_dot(chart: BoxChart, run: int, user: int) -> int:
    dots = chart.data.dots
    (found,) = np.flatnonzero((dots.run == run) & (dots.user == user))
    return int(found)


def test_boxes_hold_the_users_of_each_run() -> None:
    trace = some_trace()
    results = some_results(trace)
    data = box_data(MEASURES[WAIT], results)
    assert [run.name for run in data.runs] == ["easy", LONG]
    waits = np.append(np.arange(11) * 60.0, 11 * 6000.0)
    np.testing.assert_array_equal(data.runs[0].values, waits)
    box = data.runs[0].box
    assert box is not None
    assert (box.q1, box.median, box.q3) == tuple(np.quantile(waits, (0.25, 0.5, 0.75)))
    assert list(box.outliers) == [11]
    assert list(data.dots.run) == [0, 1]
    assert list(data.dots.user) == [11, 11]
    np.testing.assert_allclose(data.dots.y, np.log10([66_000, 132_000]))


def test_users_without_jobs_are_not_zeros() -> None:
    trace = some_trace()
    start = np.array(starts(trace, 60))
    start[:2] = -1  # the jobs of user 0 are refused
    for measure in MEASURES:
        data = box_data(measure, [make_result(trace, start)])
        assert np.isnan(data.runs[0].values[0])
        assert data.runs[0].box is not None
        assert data.runs[0].box.count == USERS - 1


def test_empty_until_a_run_is_done(panel: BoxplotPanel) -> None:
    assert panel.empty.isVisible()
    trace = some_trace()
    panel.set_results(trace, some_results(trace))
    assert not panel.empty.isVisible()
    assert all(chart.isVisible() for chart in panel.charts)
    panel.set_results(None, [])
    assert panel.empty.isVisible()


def test_measures_that_were_not_computed_say_so(panel: BoxplotPanel) -> None:
    trace = some_trace()
    panel.set_results(trace, [make_result(trace, starts(trace, 60), grace=None)])
    assert panel.charts[VEET]._message.isVisible()
    assert panel.charts[WT].data.empty
    assert not panel.charts[WAIT]._message.isVisible()


def test_a_dot_tells_its_user_and_selects_it(
    qtbot: QtBot, panel: BoxplotPanel, selection: SelectionModel
) -> None:
    trace = some_trace()
    panel.set_results(trace, some_results(trace))
    chart = panel.charts[WAIT]
    dot = the_dot(chart, run=1, user=11)
    place = pixel_of(chart, chart.data.dots.x[dot], chart.data.dots.y[dot])
    move_to(qtbot, chart, place)
    qtbot.waitUntil(lambda: QToolTip.text() == tip(f"user <b>last</b>: 1 d 12 h\n{LONG}"))
    qtbot.mouseClick(chart.plot.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert selection.value == Selection(users=frozenset({11}))
    assert panel.marked.text() == "◆ user <b>last</b>"
    assert panel.marked.textFormat() == Qt.TextFormat.PlainText


def test_a_box_tells_its_five_numbers(qtbot: QtBot, panel: BoxplotPanel, selection: SelectionModel) -> None:
    trace = some_trace()
    panel.set_results(trace, some_results(trace))
    chart = panel.charts[WAIT]
    place = pixel_of(chart, 0, np.log10(400))
    move_to(qtbot, chart, place)
    qtbot.waitUntil(lambda: "median" in QToolTip.text())
    lines = QToolTip.text().removeprefix("<p>").removesuffix("</p>").split("<br>")
    assert lines == [
        "easy",
        "maximum: 18 h 20 min",
        "upper quartile: 8 min 15 s",
        "median: 5 min 30 s",
        "lower quartile: 2 min 45 s",
        "minimum: 0 s",
        "12 users, 1 outlier",
    ]
    qtbot.mouseClick(chart.plot.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert selection.value.empty


def test_a_user_selected_elsewhere_is_marked_in_each_box(
    qtbot: QtBot, panel: BoxplotPanel, selection: SelectionModel
) -> None:
    trace = some_trace()
    panel.set_results(trace, some_results(trace))
    chart = panel.charts[WAIT]
    places = [pixel_of(chart, run, np.log10(9 * 60 * (run + 1))) for run in (0, 1)]
    marked = QColor(LIGHT.text).rgb()
    before = chart.plot.grab().toImage()
    assert marked not in [before.pixel(place) for place in places]
    selection.select_user(9)
    qtbot.waitUntil(lambda: panel.marked.text() == "◆ user u9")
    after = chart.plot.grab().toImage()
    assert [after.pixel(place) for place in places] == [marked, marked]
    selection.clear()
    assert panel.marked.text() == "Click a dot to select its user"
    assert chart.plot.grab().toImage() == before


def test_one_user_and_waits_of_zero_only(panel: BoxplotPanel, selection: SelectionModel) -> None:
    trace = make_trace([0, 0], [10, 10])
    panel.set_results(trace, [make_result(trace, [0, 0])])
    selection.select_user(0)
    panel.grab()
    assert [len(chart.data.dots.x) for chart in panel.charts] == [0, 0, 0, 0]
    assert panel.charts[WAIT].box_text(0).split("\n")[3] == "median: 0 s"
    assert panel.charts[WAIT].values_axis.ticks[0][1] == "0"


def test_selections_of_another_trace_do_no_harm(panel: BoxplotPanel, selection: SelectionModel) -> None:
    selection.select_users([3, 99])
    trace = some_trace()
    panel.set_results(trace, some_results(trace))
    panel.grab()
    assert panel.marked.text() == "◆ user u3"


def test_wheel_and_drag_leave_the_view_alone(qtbot: QtBot, panel: BoxplotPanel) -> None:
    trace = some_trace()
    panel.set_results(trace, some_results(trace))
    chart = panel.charts[WAIT]
    view = chart.plot.getPlotItem().getViewBox()
    before = view.viewRange()
    port, middle = chart.plot.viewport(), chart.plot.viewport().rect().center()
    qtbot.mousePress(port, Qt.MouseButton.LeftButton, pos=middle)
    move_to(qtbot, chart, middle + QPoint(60, 30))
    qtbot.mouseRelease(port, Qt.MouseButton.LeftButton, pos=middle + QPoint(60, 30))
    qtbot.mouseDClick(port, Qt.MouseButton.LeftButton, pos=middle)
    assert view.viewRange() == before


@pytest.mark.parametrize("size", [(1200, 380), (1200, 170), (640, 500), (360, 800), (200, 900)])
@pytest.mark.parametrize("runs", [1, 4, 8])
def test_names_never_overlap(qtbot: QtBot, panel: BoxplotPanel, runs: int, size: tuple[int, int]) -> None:
    trace = some_trace()
    panel.set_results(trace, some_results(trace, runs))
    panel.resize(*size)
    qtbot.wait(10)
    panel.grab()
    for chart in panel.charts:
        axis = chart.names_axis
        slot = axis.geometry().width() / runs
        metrics = QFontMetricsF(axis.font())
        layout = axis.names_layout
        assert axis.geometry().height() == pytest.approx(layout.height, abs=1)
        for text in layout.texts:
            across = metrics.height() * 0.88 if layout.upright else metrics.horizontalAdvance(text) * 0.88
            assert across <= slot + 1
        assert chart.plot.getPlotItem().getViewBox().height() > 40


def test_the_row_breaks_where_it_gets_narrow(qtbot: QtBot, panel: BoxplotPanel) -> None:
    trace = some_trace()
    panel.set_results(trace, some_results(trace))
    assert rows_of_charts(panel) == 1
    for width, rows in ((500, 2), (250, 4), (1000, 1)):
        panel.resize(width, 800)
        qtbot.waitUntil(partial(has_rows, panel, rows))


def rows_of_charts(panel: BoxplotPanel) -> int:
    return len({chart.mapTo(panel, QPoint(0, 0)).y() for chart in panel.charts})


def has_rows(panel: BoxplotPanel, rows: int) -> bool:
    return rows_of_charts(panel) == rows


def test_names_are_shortened_in_the_middle_and_only_when_needed(qtbot: QtBot, panel: BoxplotPanel) -> None:
    metrics = QFontMetricsF(panel.font())
    wide = lay_out_names(["easy", "fcfs"], 100, 60, metrics)
    assert (wide.upright, wide.texts) == (False, ("easy", "fcfs"))
    upright = lay_out_names(["easy", LONG], 30, 400, metrics)
    assert (upright.upright, upright.texts) == (True, ("easy", LONG))
    short = lay_out_names(["easy", LONG], 30, 80, metrics)
    assert short.texts[0] == "easy"
    assert short.texts[1].startswith("fair")
    assert short.texts[1].endswith("2h")
    assert metrics.horizontalAdvance(short.texts[1]) <= 80
    crowded = lay_out_names(["easy"] * 6, metrics.height() / 1.5, 80, metrics)
    assert crowded.texts == ("easy", "", "easy", "", "easy", "")


def test_a_hidden_name_is_told_by_its_tooltip(qtbot: QtBot, panel: BoxplotPanel) -> None:
    trace = some_trace()
    panel.set_results(trace, some_results(trace, 4))
    chart = panel.charts[WAIT]
    axis = chart.names_axis.geometry()
    spot = QPointF(axis.left() + axis.width() * 3 / 8, axis.center().y())
    scene = chart.plot.getPlotItem().mapToScene(spot)
    move_to(qtbot, chart, chart.plot.mapFromScene(scene))
    qtbot.waitUntil(lambda: QToolTip.text() == tip(LONG))


def test_both_themes_are_painted(panel: BoxplotPanel) -> None:
    trace = some_trace()
    panel.set_results(trace, some_results(trace))
    for theme in (LIGHT, DARK):
        panel.set_theme(theme)
        port = panel.charts[0].plot.viewport()
        corner = port.grab().toImage().pixel(port.width() - 1, 1)
        assert corner == QColor(theme.chart).rgb()


def test_no_heavy_library_is_loaded() -> None:
    code = (
        "import sys, views.boxplot, views.tables, views.inspector, views.figures;"
        "print([m for m in ('numba', 'pandas', 'pyarrow', 'matplotlib') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
