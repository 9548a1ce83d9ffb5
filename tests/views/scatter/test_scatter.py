"""The scatter: two measures against each other, read and picked."""

from collections.abc import Iterator

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtWidgets import QToolTip
from pytestqt.qtbot import QtBot

from engine.trace import Trace
from tests.traces import make_trace
from tests.views.context import ViewContext, colour_at
from tests.views.results import make_result
from views.data.plot_choices import ScatterChoices, read_choices
from views.data.results import Result
from views.plotting.widget_area import point_of
from views.scatter.panel import ScatterPanel
from views.scatter.plots import ScatterPlot
from views.text.tooltips import tip
from views.theme.palette import run_colour
from views.theme.theme import LIGHT


def some_trace() -> Trace:
    """Three users with two jobs each."""
    return make_trace([0] * 6, [100] * 6, user=["ann", "ann", "bob", "bob", "eve", "eve"])


def some_results() -> list[Result]:
    trace = some_trace()
    return [
        make_result(trace, [0, 0, 100, 300, 5000, 7000], 1, "fcfs"),
        make_result(trace, [0, 0, 0, 200, 900, 1100], 2, "easy"),
    ]


@pytest.fixture
def panel(context: ViewContext) -> Iterator[ScatterPanel]:
    widget = ScatterPanel(context, LIGHT)
    context.qtbot.addWidget(widget)
    widget.resize(800, 400)
    widget.show()
    widget.set_results(some_trace(), some_results())
    context.settle(widget)
    yield widget
    QToolTip.hideText()
    context.qtbot.waitUntil(lambda: not QToolTip.isVisible())


def plot_of(panel: ScatterPanel) -> ScatterPlot:
    plot = panel.chart.plot
    assert isinstance(plot, ScatterPlot)
    return plot


def spot(panel: ScatterPanel, across: float, up: float) -> QPoint:
    """Where two values meet on logarithmic axes."""
    return panel.chart.area.spot(np.log10(across), np.log10(up)).toPoint()


def test_each_user_has_a_dot_where_its_values_meet(panel: ScatterPanel) -> None:
    image = panel.chart.grab().toImage()
    for wait, slowdown in ((200, 3.0), (6000, 61.0)):
        position = spot(panel, wait, slowdown)
        assert colour_at(image, position.x(), position.y()) != LIGHT.chart
    words = plot_of(panel).words
    assert words.title == "Mean bounded slowdown against mean wait"
    assert words.x_name == "Mean wait, d h min s"


def test_a_dot_tells_both_values_and_selects(qtbot: QtBot, context: ViewContext, panel: ScatterPanel) -> None:
    position = spot(panel, 200, 3.0)
    qtbot.mouseMove(panel.chart, position)
    text = "user bob\nMean wait: 3 min 20 s\nMean bounded slowdown: 3"
    qtbot.waitUntil(lambda: QToolTip.text() == tip(text))
    qtbot.mouseClick(panel.chart, Qt.MouseButton.LeftButton, pos=position)
    assert context.selection.value.users == {1}
    assert panel.marked.text() == "◆ user bob"
    image = panel.chart.grab().toImage()
    assert colour_at(image, position.x(), position.y()) == LIGHT.text


def choose(panel: ScatterPanel, name: str, value: object) -> None:
    box = panel.choosers.boxes[name]
    box.setCurrentIndex(box.findData(value))
    box.activated.emit(box.currentIndex())


def test_another_run_and_other_measures(context: ViewContext, panel: ScatterPanel) -> None:
    received: list[ScatterChoices] = []
    panel.chosen.connect(received.append)
    choose(panel, "run", 2)
    context.settle(panel)
    assert plot_of(panel).across.runs[0].colour == run_colour(2)
    assert not received  # a run is of this study; it is no setting
    choose(panel, "over", "job")
    choose(panel, "up", "response")
    choose(panel, "axis", "linear")
    context.settle(panel)
    assert received[-1] == ScatterChoices("response", "wait", "job", "linear")
    position = panel.chart.area.spot(1100, 1200)
    reading = panel.chart.read(position)
    assert reading is not None
    assert reading.text == "job 6 of user eve\nWait: 18 min 20 s\nResponse: 20 min"


def test_a_run_that_is_gone_gives_way_to_the_first(context: ViewContext, panel: ScatterPanel) -> None:
    choose(panel, "run", 2)
    panel.set_results(some_trace(), some_results()[:1])
    context.settle(panel)
    assert panel.choosers.boxes["run"].currentText() == "under fcfs"
    panel.set_results(None, [])
    assert panel.empty.isVisible()


def test_what_was_not_computed_says_so(context: ViewContext, panel: ScatterPanel) -> None:
    panel.set_choices(read_choices(ScatterChoices, "veet wait job"))
    context.settle(panel)
    assert plot_of(panel).words.message
    assert panel.chart.read(QPointF(300, 200)) is None


def test_choices_round_trip() -> None:
    chosen = ScatterChoices("nuwt", "veet", "queue", "linear")
    assert read_choices(ScatterChoices, chosen.spelling) == chosen
    assert read_choices(ScatterChoices, "overview pie") == ScatterChoices()


def test_an_arrow_leads_from_each_dot_to_where_it_lies_under_another_run(
    panel: ScatterPanel, context: ViewContext
) -> None:
    alone = panel.chart.grab().toImage()
    box = panel.choosers.boxes["other"]
    assert [box.itemText(k) for k in range(box.count())] == ["→ no other run", "→ fcfs", "→ easy"]
    chosen: list[object] = []
    panel.other_chosen.connect(chosen.append)
    box.setCurrentIndex(2)
    box.activated.emit(2)
    context.settle(panel)
    assert chosen == [2]
    plot = plot_of(panel)
    assert plot.words.title.endswith(": fcfs → easy")
    eve = 2
    half = (plot.xs[0][eve] + plot.xs[1][eve]) / 2, (plot.ys[0][eve] + plot.ys[1][eve]) / 2
    middle = panel.chart.area.spot(*half).toPoint()
    around = [QPoint(x, y) for x in range(-2, 3) for y in range(-2, 3)]
    now = panel.chart.grab().toImage()
    assert any(now.pixel(middle + step) != alone.pixel(middle + step) for step in around)
    end = panel.chart.area.spot(float(plot.xs[1][eve]), float(plot.ys[1][eve]))
    reading = plot.read(panel.chart.area, point_of(end))
    assert reading is not None
    assert reading.text.splitlines()[0] == "user eve"
    assert "1 h 40 min → 16 min 40 s" in reading.text
    panel.choose_run(2)  # of which there is no arrow to itself
    context.settle(panel)
    assert len(plot_of(panel).xs) == 1


def test_all_dots_are_seen_when_another_part_of_the_plane_is(
    context: ViewContext, panel: ScatterPanel
) -> None:
    """Jobs wait from 0 s to hours, users on average for a part of that: dots beyond it were left out."""
    panel.set_choices(ScatterChoices(over="job", axis="linear"))
    context.settle(panel)
    plot, image = plot_of(panel), context.settle(panel)
    assert len(plot.xs[0]) == 6
    for x, y in zip(plot.xs[0], plot.ys[0], strict=True):
        spot = panel.chart.mapTo(panel, panel.chart.area.spot(x, y).toPoint())
        near = {colour_at(image, spot.x() + dx, spot.y() + dy) for dx in range(-2, 3) for dy in range(-2, 3)}
        assert near - {LIGHT.chart}, (x, y)


def test_titles_keep_names_in_capitals(context: ViewContext, panel: ScatterPanel) -> None:
    panel.set_choices(ScatterChoices(up="wait", across="cpu_efficiency"))
    context.settle(panel)
    assert plot_of(panel).words.title == "Mean wait against CPU efficiency"
    assert "does not give the CPU time used" in plot_of(panel).words.message
