"""What waits until all is drawn, with the pictures that charts ask for as they are painted."""

import threading
from collections.abc import Generator

import pytest
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from views.work.async_memo import AsyncMemo
from views.work.executor import Executor
from views.work.idle_queue import LAST, IdleQueue


class Chart(QWidget):
    """It asks for its picture as it is painted; that is made when the gate is open."""

    def __init__(self) -> None:
        super().__init__()
        self.executor, self.queue = Executor(self), IdleQueue(self)
        self.executor.idle.connect(self.queue.wake)
        self.memo: AsyncMemo[int] = AsyncMemo(self.executor, "chart", self)
        self.gate, self.wanted, self.explanation = threading.Event(), 0, list[int | None]()

    def show_other(self) -> None:
        self.wanted += 1
        self.update()

    def tell_when_drawn(self) -> None:
        """Note what is shown when all is drawn."""
        tell = lambda: self.explanation.append(self.memo.value)  # noqa: E731
        self.queue.add("tell", tell, lambda: None if self.executor.busy else LAST)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
        wanted = self.wanted

        def make() -> int:
            assert self.gate.wait(60)
            return wanted

        self.memo.request(wanted, make)


@pytest.fixture
def chart(qtbot: QtBot) -> Generator[Chart]:
    chart = Chart()
    qtbot.addWidget(chart)
    with qtbot.waitExposed(chart):
        chart.show()
    chart.gate.set()
    qtbot.waitUntil(lambda: chart.memo.value == 0 and not chart.executor.busy)
    chart.gate.clear()
    yield chart
    assert chart.executor.shutdown()


def test_it_comes_when_all_pieces_are_done_and_pictures_are_there(qtbot: QtBot, chart: Chart) -> None:
    chart.tell_when_drawn()
    chart.queue.add("first", lambda: None)
    chart.queue.add("then", chart.show_other)
    qtbot.waitUntil(lambda: chart.executor.busy)
    qtbot.wait(20)
    assert chart.explanation == []
    chart.gate.set()
    qtbot.waitUntil(lambda: bool(chart.explanation))
    assert chart.explanation == [1]
    chart.show_other()  # nobody asks about that
    qtbot.waitUntil(lambda: chart.memo.value == 2)
    qtbot.wait(20)
    assert chart.explanation == [1]


def test_it_comes_after_a_picture_of_what_has_just_changed(qtbot: QtBot, chart: Chart) -> None:
    chart.show_other()
    chart.tell_when_drawn()
    chart.gate.set()
    qtbot.waitUntil(lambda: bool(chart.explanation))
    assert chart.explanation == [1]


def test_it_comes_where_nothing_is_drawn(qtbot: QtBot, chart: Chart) -> None:
    chart.tell_when_drawn()
    qtbot.waitUntil(lambda: chart.explanation == [0])
