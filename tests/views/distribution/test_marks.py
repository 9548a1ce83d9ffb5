"""What dots and boxes of distributions tell and select, and how what is selected is marked."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, QRect, Qt
from PySide6.QtGui import QTextDocumentFragment
from PySide6.QtWidgets import QToolTip
from pytestqt.qtbot import QtBot

from tests.views.context import colour_at
from tests.views.distribution.shown import LONG, WAIT, Shown, some_results
from views.state.selection import Selection
from views.text.tooltips import tip
from views.theme.theme import LIGHT


@pytest.fixture(autouse=True)
def no_tooltip_stays(qtbot: QtBot) -> object:
    yield
    QToolTip.hideText()
    qtbot.waitUntil(lambda: not QToolTip.isVisible())


def test_a_dot_tells_its_user_and_selects_it(qtbot: QtBot, shown: Shown) -> None:
    shown.show(some_results(shown.trace))
    chart, position = shown.panel.charts[WAIT], shown.dot(WAIT, run=1, unit=11)
    assert shown.panel.marked.text() == "Click a dot to select its user"
    before = chart.grab().toImage()
    qtbot.mouseMove(chart, position + QPoint(1, 1))
    qtbot.waitUntil(lambda: QToolTip.text() == tip(f"user <b>last</b>: 1 d 12 h\n{LONG}"))
    assert chart.grab().toImage() != before  # it is ringed
    qtbot.mouseClick(chart, Qt.MouseButton.LeftButton, pos=position)
    assert shown.context.selection.value == Selection(users=frozenset({11}))
    assert shown.panel.marked.text() == "◆ user <b>last</b>"


def test_dots_of_jobs_and_queues_select_these(qtbot: QtBot, shown: Shown) -> None:
    shown.show(some_results(shown.trace), "wait job box log all")
    position = shown.dot(0, run=0, unit=20)
    assert shown.panel.charts[0].read(QPointF(position)).text == "job 21 of user u10: 10 min\neasy"
    qtbot.mouseClick(shown.panel.charts[0], Qt.MouseButton.LeftButton, pos=position)
    assert shown.context.selection.value.jobs == {20}
    assert shown.panel.marked.text() == "◆ job 21 of user u10"
    shown.show(choices="wait queue box log all")
    position = shown.dot(0, run=1, unit=1)
    qtbot.mouseClick(shown.panel.charts[0], Qt.MouseButton.LeftButton, pos=position)
    assert shown.context.selection.value.queues == {1}
    assert shown.panel.marked.text() == "◆ queue long"


def test_a_box_tells_its_five_numbers(qtbot: QtBot, shown: Shown) -> None:
    shown.show(some_results(shown.trace))
    chart, frame = shown.panel.charts[WAIT], shown.area(WAIT)
    position = frame.spot(0, np.log10(400)).toPoint()
    qtbot.mouseMove(chart, position)
    qtbot.waitUntil(lambda: "median" in QToolTip.text())
    assert QTextDocumentFragment.fromHtml(QToolTip.text()).toPlainText().split("\n") == [
        "easy",
        "maximum: 18 h 20 min",
        "upper quartile: 8 min 15 s",
        "median: 5 min 30 s",
        "lower quartile: 2 min 45 s",
        "minimum: 0 s",
        "12 users, 1 outlier",
    ]
    qtbot.mouseClick(chart, Qt.MouseButton.LeftButton, pos=position)
    assert shown.context.selection.value.empty


def test_a_user_selected_elsewhere_is_marked_in_each_box(qtbot: QtBot, shown: Shown) -> None:
    shown.show(some_results(shown.trace))
    chart, frame = shown.panel.charts[WAIT], shown.area(WAIT)
    positions = [frame.spot(run, np.log10(9 * 60 * (run + 1))) for run in (0, 1)]
    before = chart.grab().toImage()
    assert LIGHT.text not in [colour_at(before, p.x(), p.y()) for p in positions]
    shown.context.selection.select_user(9)
    after = chart.grab().toImage()
    assert [colour_at(after, p.x(), p.y()) for p in positions] == [LIGHT.text] * 2
    assert shown.panel.marked.text() == "◆ user u9"
    shown.context.selection.clear()
    assert chart.grab().toImage() == before


def test_a_selected_user_is_marked_in_histograms_and_on_curves(shown: Shown) -> None:
    shown.show(some_results(shown.trace), "wait")
    for kind, height in (("histograms", 100 / 6), ("cumulative curves", 1000 / 12)):
        shown.context.selection.clear()
        shown.choose("kind", kind)
        chart, frame = shown.panel.charts[0], shown.area(0)
        position = frame.spot(np.log10(9 * 60), height)  # two users are in it, ten wait at most as long
        assert colour_at(chart.grab().toImage(), position.x(), position.y()) != LIGHT.text
        shown.context.selection.select_user(9)
        assert colour_at(chart.grab().toImage(), position.x(), position.y()) == LIGHT.text


def test_values_beside_marks_never_lie_over_one_another(shown: Shown) -> None:
    shown.show(some_results(shown.trace, 4), "wait")
    chart, frame = shown.panel.charts[0], shown.area()
    mark = frame.spot(0, np.log10(9 * 60)).toPoint()
    above = QRect(mark.x() - 12, mark.y() - 20, 24, 12)
    before = chart.grab(above).toImage()
    shown.context.selection.select_user(9)
    assert chart.grab(above).toImage() != before  # there is room for the four values
    shown.panel.resize(220, 380)
    shown.settle()
    frame = shown.area()
    mark = frame.spot(0, np.log10(9 * 60)).toPoint()
    above = QRect(mark.x() - 12, mark.y() - 20, 24, 12)
    crowded = chart.grab(above).toImage()
    shown.context.selection.clear()
    assert chart.grab(above).toImage() == crowded


def test_selections_of_another_trace_do_no_harm(shown: Shown) -> None:
    shown.context.selection.select_users([3, 99])
    shown.show(some_results(shown.trace))
    assert shown.panel.marked.text() == "◆ user u3"
