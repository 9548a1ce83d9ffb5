"""What a click in a distribution picks besides single dots: classes of jobs, bars, curves."""

import numpy as np
from PySide6.QtCore import QPoint, QPointF, Qt
from pytestqt.qtbot import QtBot

from engine.metrics.groups import job_classes
from tests.views.distribution.shown import Shown, some_results
from tests.views.results import make_result
from views.distribution.cumulative import Cumulative
from views.distribution.histogram import Histogram

LEFT, CONTROL = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ControlModifier


def bar(shown: Shown, run: int, unit: int) -> QPoint:
    """Just within the top of the bar that a unit is in."""
    plot = shown.plot()
    assert isinstance(plot, Histogram)
    value = plot.samples.runs[run].values[unit]
    mark = plot.marks([unit])[run]
    assert mark.text == plot.samples.measure.show(float(value))
    return (shown.area().spot(mark.x, mark.y) + QPointF(0, 2)).toPoint()


def test_a_bar_picks_the_users_in_it(qtbot: QtBot, shown: Shown) -> None:
    shown.show(some_results(shown.trace, 1), "wait user histogram log off")
    assert shown.panel.marked.text() == "Click a bar to select its users"
    chart, position = shown.panel.charts[0], bar(shown, 0, 11)
    qtbot.mouseMove(chart, position)
    assert chart.cursor().shape() == Qt.CursorShape.PointingHandCursor
    assert "Click: the users of easy" in chart.read(QPointF(position)).text
    qtbot.mouseClick(chart, LEFT, pos=position)
    assert shown.context.selection.value.users == {11}
    together = bar(shown, 0, 10)
    qtbot.mouseClick(chart, LEFT, CONTROL, pos=together)
    picked = shown.context.selection.value.users
    assert {10, 11} <= picked
    values = shown.plot().samples.runs[0].values
    classes = [bar(shown, 0, unit).x() for unit in range(len(values))]
    near = {unit for unit, x in enumerate(classes) if x == classes[10]}
    assert near <= picked
    qtbot.mouseClick(chart, LEFT, CONTROL, pos=together)
    assert 10 not in shown.context.selection.value.users
    above = QPoint(position.x(), round(shown.area().top) + 1)
    before = shown.context.selection.value
    qtbot.mouseClick(chart, LEFT, pos=above)  # over no bar
    assert shown.context.selection.value == before


def test_of_bars_behind_one_another_the_smallest_is_picked(qtbot: QtBot, shown: Shown) -> None:
    waits = [np.where(shown.trace.user.codes < quick, 100, 1000) for quick in (9, 4)]
    results = [make_result(shown.trace, shown.trace.submit + wait, k + 1) for k, wait in enumerate(waits)]
    shown.show(results, "wait user histogram linear off")
    plot, area = shown.plot(), shown.area()
    assert isinstance(plot, Histogram)
    shares = np.array(plot.shares)
    bin_index = int(np.flatnonzero((shares > 0).all(axis=0))[0])
    small, large = np.argsort(shares[:, bin_index])
    middle = float(plot.edges[bin_index : bin_index + 2].mean())
    inside = area.spot(middle, float(shares[small, bin_index]) / 2)
    between = area.spot(middle, float(shares[:, bin_index].mean()))
    chart = shown.panel.charts[0]
    for spot, run in ((inside, small), (between, large)):
        reading = chart.read(spot)
        assert reading is not None
        assert reading.text.endswith(f"Click: the users of {plot.samples.runs[run].name}")
        assert reading.units is not None
        assert len(reading.units()) == round(shares[run, bin_index] * 12 / 100)


def test_a_curve_picks_the_user_that_makes_it_rise(qtbot: QtBot, shown: Shown) -> None:
    shown.show(some_results(shown.trace), "wait user cumulative log off")
    assert shown.panel.marked.text() == "Click a curve to select its user"
    plot, area, chart = shown.plot(), shown.area(), shown.panel.charts[0]
    assert isinstance(plot, Cumulative)
    mark = plot.marks([9])[1]
    position = (area.spot(mark.x, mark.y) + QPointF(2, 0)).toPoint()
    reading = chart.read(QPointF(position))
    assert reading is not None
    assert "Click: user u9, fairshare-easy" in reading.text
    qtbot.mouseClick(chart, LEFT, pos=position)
    assert shown.context.selection.value.users == {9}
    away = chart.read(QPointF(position) + QPointF(0, 30))
    assert away is not None
    assert away.units is None


def test_a_dot_of_a_class_picks_its_jobs(qtbot: QtBot, shown: Shown) -> None:
    shown.show(some_results(shown.trace), "wait class box log all")
    assert shown.panel.marked.text() == "Click a dot to select its jobs"
    codes = job_classes(shown.trace).codes
    position = shown.dot(0, run=0, unit=int(codes[0]))
    qtbot.mouseClick(shown.panel.charts[0], LEFT, pos=position)
    assert shown.context.selection.value.jobs == set(np.flatnonzero(codes == codes[0]).tolist())
