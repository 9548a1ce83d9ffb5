from __future__ import annotations

import threading

import pytest
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.work.stillness import Stillness
from views.work.idle_queue import Turns
from views.work.renderer import Memo, Renderer


class Chart(QWidget):
    """It asks for its picture as it is painted; that is made when the gate is open."""

    def __init__(self, renderer: Renderer, gate: threading.Event) -> None:
        super().__init__()
        self.memo: Memo[int] = Memo(renderer, "chart", self)
        self.renderer, self.gate, self.wanted = renderer, gate, 0

    def show_other(self) -> None:
        self.wanted += 1
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        wanted = self.wanted

        def make() -> int:
            assert self.gate.wait(20)
            return wanted

        self.memo.request(wanted, make)


@pytest.fixture
def chart(qtbot: QtBot) -> Chart:
    renderer = Renderer()
    chart = Chart(renderer, threading.Event())
    renderer.setParent(chart)
    qtbot.addWidget(chart)
    with qtbot.waitExposed(chart):
        chart.show()
    chart.gate.set()
    qtbot.waitUntil(lambda: chart.memo.value == 0 and not renderer.busy)
    chart.gate.clear()
    return chart


def test_it_comes_when_turns_are_done_and_pictures_are_there(qtbot: QtBot, chart: Chart) -> None:
    turns, told = Turns(chart), list[int | None]()
    stillness = Stillness(turns, chart.renderer, chart)
    stillness.came.connect(lambda: told.append(chart.memo.value))
    turns.add("first", lambda: None)
    turns.add("then", chart.show_other)
    stillness.expect()
    qtbot.waitUntil(lambda: chart.renderer.busy)
    qtbot.wait(20)
    assert told == []
    chart.gate.set()
    qtbot.waitUntil(lambda: bool(told))
    assert told == [1]
    chart.show_other()  # nobody asks about that
    qtbot.waitUntil(lambda: chart.memo.value == 2)
    qtbot.wait(20)
    assert told == [1]
    chart.renderer.shutdown()


def test_it_comes_where_nothing_is_drawn(qtbot: QtBot, chart: Chart) -> None:
    stillness = Stillness(Turns(chart), chart.renderer, chart)
    with qtbot.waitSignal(stillness.came):
        stillness.expect()
    chart.renderer.shutdown()
