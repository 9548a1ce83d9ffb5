"""Work in real threads that is cancelled, and the end of executors."""

import logging
import time

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QObject
from pytestqt.qtbot import QtBot

from engine.errors import InputError
from engine.simulation.control import Cancelled, Control
from tests.views.work.tasks import Gate, begun, ignore, never, until_cancelled
from views.work.executor import Executor

CANCELLED_WITHIN_S = 10.0


# Cancelling.


def test_cancelling_stops_what_runs_within_a_moment(qtbot: QtBot, lone: Executor) -> None:
    stopped: list[float] = []

    def work(control: Control) -> None:
        try:
            until_cancelled(control)
        finally:
            stopped.append(time.perf_counter())

    lone.submit("a", work, never, never)
    qtbot.waitUntil(begun(lone, "a"))
    with qtbot.waitSignals([lone.changed, lone.idle]):
        began = time.perf_counter()
        lone.cancel("a")
    assert not lone.busy
    qtbot.waitUntil(lambda: bool(stopped))
    assert stopped[0] - began < CANCELLED_WITHIN_S


def test_cancelling_drops_what_waits_too(qtbot: QtBot, executor: Executor) -> None:
    executor.submit("a", until_cancelled, never, never)
    executor.submit("a", never, never, never, after_running=True)
    executor.cancel("a")
    assert not executor.busy
    qtbot.wait(20)


def test_what_is_cancelled_before_it_has_a_thread_never_begins(qtbot: QtBot, lone: Executor) -> None:
    gate, seen = Gate(), list[str]()
    lone.submit("now", gate, ignore, never)
    lone.submit("later", never, never, never)
    lone.submit("last", lambda _: "last", seen.append, never)
    qtbot.waitUntil(begun(lone, "now"))
    lone.cancel("later")
    gate.open()
    qtbot.waitUntil(lambda: not lone.busy)
    assert seen == ["last"]


def test_a_late_result_is_dropped(qtbot: QtBot, executor: Executor) -> None:
    gate = Gate()
    executor.submit("a", gate, never, never)
    qtbot.waitUntil(begun(executor, "a"))
    executor.cancel("a")
    assert executor.task("a") is None
    gate.open()
    assert executor.shutdown()  # so that it has ended
    QCoreApplication.processEvents()


def test_cancelling_nothing_is_no_harm(qtbot: QtBot, executor: Executor) -> None:
    with qtbot.assertNotEmitted(executor.changed):
        executor.cancel("nobody")


@pytest.mark.parametrize(
    ("error", "expected"), [(KeyError("k"), 1), (InputError("bad"), 0), (Cancelled(), 0)]
)
def test_a_fault_of_abandoned_work_is_noted(
    qtbot: QtBot, executor: Executor, caplog: pytest.LogCaptureFixture, error: Exception, expected: int
) -> None:
    gate = Gate()

    def fail(control: Control) -> None:
        gate(control)
        raise error

    executor.submit("a", fail, never, never)
    qtbot.waitUntil(begun(executor, "a"))
    executor.cancel("a")
    gate.open()
    with caplog.at_level(logging.WARNING):
        assert executor.shutdown()
        QCoreApplication.processEvents()
    assert len(caplog.records) == expected


# The end.


def test_shutdown_stops_what_runs_and_begins_nothing_more(qtbot: QtBot) -> None:
    executor, ended = Executor(threads=1), list[str]()

    def work(control: Control) -> None:
        try:
            until_cancelled(control)
        finally:
            ended.append("it")

    executor.submit("runs", work, never, never)
    qtbot.waitUntil(begun(executor, "runs"))
    executor.submit("runs", never, never, never, after_running=True)
    executor.submit("waits", never, never, never)
    QCoreApplication.processEvents()
    executor.submit("new", never, never, never)
    assert executor.shutdown()
    assert ended == ["it"]
    assert not executor.busy
    executor.submit("late", never, never, never)
    qtbot.wait(20)


def test_shutdown_waits_for_what_does_not_look_whether_it_is_cancelled(qtbot: QtBot) -> None:
    executor, ended = Executor(), list[int]()
    executor.submit("a", lambda _: time.sleep(0.1) or ended.append(1), never, never)
    qtbot.waitUntil(begun(executor, "a"))
    assert executor.shutdown()
    assert ended == [1]


def test_shutdown_does_not_wait_for_ever(qtbot: QtBot) -> None:
    executor, gate = Executor(), Gate()
    executor.submit("a", gate, never, never)
    qtbot.waitUntil(begun(executor, "a"))
    began = time.perf_counter()
    assert not executor.shutdown(timeout_ms=20)
    assert time.perf_counter() - began < 30
    gate.open()
    assert executor.shutdown()


def test_a_window_that_is_gone_before_its_work_is_no_harm(qtbot: QtBot) -> None:
    window, gate = QObject(), Gate()
    executor = Executor(window)
    pool = executor._pool
    pool.setParent(None)  # it would wait for its threads as it goes
    executor.submit("a", gate, never, never)
    qtbot.waitUntil(begun(executor, "a"))
    window.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    gate.open()
    assert pool.waitForDone(5000)
    QCoreApplication.processEvents()
