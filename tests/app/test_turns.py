from __future__ import annotations

import time

import pytest
from PySide6.QtCore import QObject, QTimer
from pytestqt.qtbot import QtBot

from app.turns import Turns

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


def test_the_newest_piece_takes_the_place_of_an_older_one(qtbot: QtBot) -> None:
    owner, seen = QObject(), list[str]()
    turns = Turns(owner)
    turns.add("one", lambda: seen.append("old"))
    turns.add("two", lambda: seen.append("two"))
    turns.add("one", lambda: seen.append("new"))
    assert turns.busy
    qtbot.waitUntil(lambda: not turns.busy)
    assert seen == ["new", "two"]
