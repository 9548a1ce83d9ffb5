from __future__ import annotations

import time

import pytest
from PySide6.QtCore import QObject, QTimer
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from views.work.idle_queue import Turns

pytestmark = pytest.mark.usefixtures("qapp")


def test_other_timers_come_between(qtbot: QtBot) -> None:
    owner, seen = QObject(), list[str]()
    turns = Turns(owner)
    timer = QTimer(owner, interval=1)
    timer.timeout.connect(lambda: seen.append("timer"))
    timer.start()
    for name in "abc":
        turns.add(name, lambda name=name: (time.sleep(0.01), seen.append(name)))  # type: ignore[misc]
    qtbot.waitUntil(lambda: not turns.busy and "c" in seen)
    timer.stop()
    assert [name for name in seen if name != "timer"] == ["a", "b", "c"]
    assert "timer" in seen[seen.index("a") : seen.index("b")]
    assert "timer" in seen[seen.index("b") : seen.index("c")]


def test_others_go_first_after_what_a_piece_has_changed_was_painted(qtbot: QtBot) -> None:
    seen: list[str] = []

    class Slow(QWidget):
        def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
            time.sleep(0.01)
            seen.append("painted")

    widget = Slow()
    qtbot.addWidget(widget)
    widget.show()
    qtbot.waitUntil(lambda: bool(seen))
    turns = Turns(widget)
    timer = QTimer(widget, interval=1)
    timer.timeout.connect(lambda: seen.append("timer"))
    timer.start()
    turns.add("a", lambda: (seen.append("a"), widget.update()))
    turns.add("b", lambda: seen.append("b"))
    qtbot.waitUntil(lambda: "b" in seen)
    timer.stop()
    after = seen[seen.index("a") : seen.index("b")]
    assert "timer" in after[after.index("painted") :]


def test_the_newest_piece_takes_the_place_of_an_older_one(qtbot: QtBot) -> None:
    owner, seen = QObject(), list[str]()
    turns = Turns(owner)
    turns.add("one", lambda: seen.append("old"))
    turns.add("two", lambda: seen.append("two"))
    turns.add("one", lambda: seen.append("new"))
    assert turns.busy
    qtbot.waitUntil(lambda: not turns.busy)
    assert seen == ["new", "two"]
