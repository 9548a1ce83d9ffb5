import time

import pytest
from PySide6.QtCore import QObject, QTimer
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from views.work.idle_queue import LAST, LOW, NORMAL, IdleQueue

pytestmark = pytest.mark.usefixtures("qapp")


def test_other_timers_come_between(qtbot: QtBot) -> None:
    owner, seen = QObject(), list[str]()
    queue = IdleQueue(owner)
    timer = QTimer(owner, interval=1)
    timer.timeout.connect(lambda: seen.append("timer"))
    timer.start()
    for name in "abc":
        queue.add(name, lambda name=name: (time.sleep(0.01), seen.append(name)))  # type: ignore[misc]
    qtbot.waitUntil(lambda: not queue.busy and "c" in seen)
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
    queue = IdleQueue(widget)
    timer = QTimer(widget, interval=1)
    timer.timeout.connect(lambda: seen.append("timer"))
    timer.start()
    queue.add("a", lambda: (seen.append("a"), widget.update()))
    queue.add("b", lambda: seen.append("b"))
    qtbot.waitUntil(lambda: "b" in seen)
    timer.stop()
    after = seen[seen.index("a") : seen.index("b")]
    assert "timer" in after[after.index("painted") :]


def test_the_newest_piece_takes_the_place_of_an_older_one(qtbot: QtBot) -> None:
    owner, seen = QObject(), list[str]()
    queue = IdleQueue(owner)
    queue.add("one", lambda: seen.append("old"))
    queue.add("two", lambda: seen.append("two"))
    queue.add("one", lambda: seen.append("new"))
    assert queue.busy
    qtbot.waitUntil(lambda: not queue.busy)
    assert seen == ["new", "two"]


def test_the_highest_priority_goes_first_then_the_oldest(qtbot: QtBot) -> None:
    owner, seen = QObject(), list[str]()
    queue = IdleQueue(owner)
    for name, priority in (("last", LAST), ("low", LOW), ("a", NORMAL), ("b", NORMAL), ("low too", LOW)):
        queue.add(name, lambda name=name: seen.append(name), lambda priority=priority: priority)  # type: ignore[misc]
    qtbot.waitUntil(lambda: not queue.busy)
    assert seen == ["a", "b", "low", "low too", "last"]


def test_a_priority_is_asked_for_when_a_piece_is_chosen(qtbot: QtBot) -> None:
    owner, seen, seen_by_reader = QObject(), list[str](), set[str]()
    queue = IdleQueue(owner)
    for name in "abc":
        priority = lambda name=name: NORMAL if name in seen_by_reader else LOW  # noqa: E731
        queue.add(name, lambda name=name: seen.append(name), priority)  # type: ignore[misc]
    seen_by_reader.add("c")
    qtbot.waitUntil(lambda: not queue.busy)
    assert seen == ["c", "a", "b"]


def test_what_has_to_wait_sleeps_until_it_is_woken(qtbot: QtBot) -> None:
    owner, seen, asked = QObject(), list[str](), list[int | None]()
    queue = IdleQueue(owner)
    held: list[int | None] = [None]

    def priority() -> int | None:
        asked.append(held[0])
        return held[0]

    queue.add("held", lambda: seen.append("held"), priority)
    queue.add("free", lambda: seen.append("free"))
    qtbot.waitUntil(lambda: seen == ["free"])
    qtbot.wait(20)
    assert len(asked) <= 2  # nothing looks again and again
    assert not queue.busy
    assert not queue.empty
    held[0] = NORMAL
    qtbot.wait(20)
    assert seen == ["free"]
    assert queue.busy
    queue.wake()
    qtbot.waitUntil(lambda: queue.empty)
    assert seen == ["free", "held"]


def test_what_is_discarded_is_never_done(qtbot: QtBot) -> None:
    owner, seen = QObject(), list[str]()
    queue = IdleQueue(owner)
    queue.add("a", lambda: seen.append("a"))
    queue.add("b", lambda: seen.append("b"))
    queue.discard("a")
    queue.discard("nobody")
    qtbot.waitUntil(lambda: not queue.busy)
    assert seen == ["b"]


def test_a_piece_that_fails_does_not_hold_up_the_others(qtbot: QtBot) -> None:
    owner, seen = QObject(), list[str]()
    queue = IdleQueue(owner)
    queue.add("a", lambda: 1 // 0)
    queue.add("b", lambda: seen.append("b"))
    with qtbot.captureExceptions() as raised:
        qtbot.waitUntil(lambda: not queue.busy)
    assert [kind for kind, _, _ in raised] == [ZeroDivisionError]
    assert seen == ["b"]


def test_a_cleared_queue_does_nothing_more(qtbot: QtBot) -> None:
    owner, seen = QObject(), list[str]()
    queue = IdleQueue(owner)
    queue.add("a", lambda: seen.append("a"))
    queue.clear()
    assert queue.empty
    queue.add("b", lambda: seen.append("b"))
    qtbot.waitUntil(lambda: "b" in seen)
    assert seen == ["b"]
