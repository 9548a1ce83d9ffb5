"""The legend of runs: what clicks on it choose, with real mouse events."""

from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from tests.traces import make_trace
from tests.views.context import ViewContext, colour_at
from tests.views.results import make_result
from views.curves.spec import SIZES
from views.data.results import Result
from views.plotting.run_legend import RunLegend
from views.theme.palette import run_colour
from views.theme.theme import LIGHT

LEFT, CONTROL = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ControlModifier


def some_results() -> list[Result]:
    trace = make_trace([0] * 4, [100, 200, 100, 500], [1, 2, 4, 4])
    starts = ([0, 10, 20, 1000], [0, 0, 0, 50], [0, 500, 900, 3000])
    return [
        make_result(trace, start, k + 1, name)
        for k, (start, name) in enumerate(zip(starts, NAMES, strict=True))
    ]


NAMES = ("fcfs", "easy", "conservative")


def position_of(legend: RunLegend, run: int, qtbot: QtBot) -> QPoint:
    """Where the name of a run stands, found as a hand does."""
    over: list[str] = []
    legend.linkHovered.connect(over.append)
    qtbot.mouseMove(legend, QPoint(legend.width() - 2, legend.height() - 2))  # beside all names
    for x in range(2, legend.width(), 5):
        position = QPoint(x, legend.height() // 2)
        qtbot.mouseMove(legend, position)
        if over and over[-1] == str(run):
            return position
    raise AssertionError(f"run {run} is not in the legend")


@pytest.fixture
def legend(qtbot: QtBot) -> RunLegend:
    legend = RunLegend(clickable=True)
    qtbot.addWidget(legend)
    legend.resize(500, 24)
    legend.show()
    legend.set_results(some_results())
    qtbot.waitExposed(legend)
    return legend


def test_a_click_picks_and_ctrl_adds(legend: RunLegend, qtbot: QtBot) -> None:
    received: list[frozenset[int]] = []
    legend.changed.connect(lambda: received.append(legend.picked))
    qtbot.mouseClick(legend, LEFT, pos=position_of(legend, 2, qtbot))
    qtbot.mouseClick(legend, LEFT, CONTROL, pos=position_of(legend, 3, qtbot))
    qtbot.mouseClick(legend, LEFT, pos=position_of(legend, 1, qtbot))
    qtbot.mouseClick(legend, LEFT, pos=position_of(legend, 1, qtbot))
    assert received == [{2}, {2, 3}, {1}, set()]
    assert not legend.hidden
    assert "conservative" in legend.toolTip() or "fcfs" in legend.toolTip()


def test_a_double_click_hides_the_others_and_shows_them_again(legend: RunLegend, qtbot: QtBot) -> None:
    position = position_of(legend, 2, qtbot)
    for hidden in ({1, 3}, set()):
        qtbot.mouseClick(legend, LEFT, pos=position)
        qtbot.mouseDClick(legend, LEFT, pos=position)
        assert legend.hidden == hidden
        assert not legend.picked
    qtbot.mouseDClick(legend, LEFT, pos=position)
    assert [shown_item.run_id for shown_item in legend.shown(some_results())] == [2]
    qtbot.mouseClick(legend, LEFT, pos=position_of(legend, 3, qtbot))  # one that is hidden comes back
    assert 3 not in legend.hidden


def test_runs_that_are_gone_are_neither_picked_nor_hidden(legend: RunLegend, qtbot: QtBot) -> None:
    qtbot.mouseDClick(legend, LEFT, pos=position_of(legend, 2, qtbot))
    legend.set_results([some_results()[0]])
    assert not legend.hidden  # else none would be seen
    legend.set_results(some_results())
    qtbot.mouseClick(legend, LEFT, pos=position_of(legend, 2, qtbot))
    legend.set_results(some_results()[:1])
    assert not legend.picked


def test_a_legend_that_is_for_reading_has_nothing_to_click(qtbot: QtBot) -> None:
    legend = RunLegend()
    qtbot.addWidget(legend)
    legend.set_results(some_results())
    assert "href" not in legend.text()


def test_curves_follow_the_legend(context: ViewContext) -> None:
    assert SIZES.make is not None
    panel: Any = SIZES.make(context, LIGHT, None)  # type: ignore[arg-type]
    context.qtbot.addWidget(panel)
    panel.resize(1000, 300)
    panel.show()
    panel.set_results(some_results())
    context.settle(panel)
    chart, qtbot = panel.charts[2], context.qtbot
    assert seen(chart) == {1, 2, 3}
    qtbot.mouseClick(panel.legend, LEFT, pos=position_of(panel.legend, 1, qtbot))
    context.settle(panel)
    assert seen(chart) == {1}  # the others are pale
    assert len(chart.plot.lines) == 3
    qtbot.mouseDClick(panel.legend, LEFT, pos=position_of(panel.legend, 2, qtbot))
    context.settle(panel)
    assert seen(chart) == {2}
    assert [line.name for line in chart.plot.lines] == ["easy"]


def seen(chart: QWidget) -> set[int]:
    """The runs whose full colour is in a plot."""
    image = chart.grab().toImage()
    colours = {colour_at(image, x, y) for x in range(image.width()) for y in range(image.height())}
    return {run for run in (1, 2, 3) if run_colour(run) in colours}
