from __future__ import annotations

import time

import pytest
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from views.work.threads import Crew

pytestmark = pytest.mark.usefixtures("qapp")


def test_work_begins_when_the_window_has_painted_what_it_is_at(qtbot: QtBot) -> None:
    crew, seen = Crew(2), list[str]()

    class Chart(QWidget):
        def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
            crew.start(lambda: seen.append("begun"))
            time.sleep(0.02)
            seen.append("painted")

    chart = Chart()
    qtbot.addWidget(chart)
    chart.show()
    qtbot.waitUntil(lambda: "begun" in seen)
    assert crew.shutdown(1000)
    assert seen[0] == "painted"


def test_work_begins_in_the_order_in_which_it_was_asked_for(qtbot: QtBot) -> None:
    crew, seen = Crew(1), list[int]()
    for number in range(3):
        crew.start(lambda number=number: seen.append(number))  # type: ignore[misc]
    qtbot.waitUntil(lambda: len(seen) == 3)
    assert seen == [0, 1, 2]


def test_what_has_not_begun_never_does_after_the_end(qtbot: QtBot) -> None:
    crew, seen = Crew(1), list[str]()
    crew.start(lambda: seen.append("begun"))
    assert crew.shutdown(1000)
    qtbot.wait(20)
    assert not seen
