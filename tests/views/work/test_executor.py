"""Results and order of work in real threads."""

import os
import sys
import threading
import time

import pytest
from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from engine.simulation.control import ENDED, Control
from tests.views.work.tasks import Gate, begun, ignore, never, until_cancelled
from views.work.executor import Executor

# Results.


def test_work_is_done_elsewhere_and_its_result_comes_in_the_thread_of_the_window(
    qtbot: QtBot, executor: Executor
) -> None:
    seen: list[tuple[int, int]] = []

    def done(worker: int) -> None:
        seen.append((worker, threading.get_ident()))

    with qtbot.waitSignal(executor.idle):
        executor.submit("a", lambda _: threading.get_ident(), done, never)
        assert executor.busy
    ((worker, receiver),) = seen
    assert receiver == threading.get_ident() != worker
    assert not executor.busy
    assert executor.last_seconds > 0


def test_the_window_paints_between_results_that_come_together(qtbot: QtBot, executor: Executor) -> None:
    seen: list[str] = []

    class Chart(QWidget):
        def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
            seen.append("painted")

    chart = Chart()
    qtbot.addWidget(chart)
    chart.show()
    qtbot.waitUntil(lambda: "painted" in seen)
    QCoreApplication.processEvents()
    seen.clear()

    def show(name: str) -> None:
        seen.append(name)
        chart.update()

    ended = [threading.Event() for _ in range(3)]
    for gone in ended:
        executor.submit(
            gone, lambda _, gone=gone: gone.set(), lambda _: show("result"), never, before_painting=True
        )
    assert all(gone.wait(60) for gone in ended)
    time.sleep(0.05)  # all three wait for this thread by now
    qtbot.waitUntil(lambda: len(seen) == 6)
    assert seen == ["result", "painted"] * 3


def test_an_error_comes_as_a_value(qtbot: QtBot, executor: Executor) -> None:
    seen: list[Exception] = []

    def fail(_: Control) -> None:
        raise ValueError("no such thing")

    executor.submit("a", fail, never, seen.append)
    qtbot.waitUntil(lambda: bool(seen))
    assert str(seen[0]) == "no such thing"


def test_an_error_of_whoever_takes_a_result_leaves_the_rest_as_it_is(
    qtbot: QtBot, executor: Executor
) -> None:
    with qtbot.captureExceptions() as raised, qtbot.waitSignal(executor.idle):
        executor.submit("a", lambda _: 1, lambda value: value // 0, never)
    assert [kind for kind, _, _ in raised] == [ZeroDivisionError]


def test_progress_and_remaining_time(qtbot: QtBot, executor: Executor) -> None:
    halfway, go = threading.Event(), threading.Event()

    def work(control: Control) -> None:
        control.jobs = 10
        time.sleep(0.02)
        control.array[ENDED] = 5
        halfway.set()
        assert go.wait(60)

    executor.submit("a", work, ignore, never)
    task = executor.task("a")
    assert task is not None
    assert (task.age, task.remaining) == (0, None)
    qtbot.waitUntil(halfway.is_set)
    assert task.control.progress == 0.5
    assert task.age >= 0.02
    assert task.remaining is not None
    assert task.remaining > 0
    go.set()
    qtbot.waitUntil(lambda: not executor.busy)
    assert executor.task("a") is None


# Order.


def test_threads_begin_when_the_window_has_painted_what_it_is_at(qtbot: QtBot, executor: Executor) -> None:
    seen: list[str] = []

    class Chart(QWidget):
        def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
            executor.submit("picture", lambda _: seen.append("begun"), ignore, never, after_running=True)
            time.sleep(0.02)
            seen.append("painted")

    chart = Chart()
    qtbot.addWidget(chart)
    chart.show()
    qtbot.waitUntil(lambda: "begun" in seen)
    assert seen[0] == "painted"


def test_what_is_wanted_at_once_does_not_wait_for_that(qtbot: QtBot, executor: Executor) -> None:
    seen: list[str] = []
    begun = threading.Event()

    class Chart(QWidget):
        def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802
            executor.submit(
                "verdict", lambda _: begun.set(), ignore, never, after_running=True, before_painting=True
            )
            seen.append("begun" if begun.wait(60) else "waited")

    chart = Chart()
    qtbot.addWidget(chart)
    chart.show()
    qtbot.waitUntil(lambda: bool(seen) and not executor.busy)
    assert seen[0] == "begun"
    executor.hold()
    begun.clear()
    executor.submit("verdict", lambda _: begun.set(), ignore, never, before_painting=True)
    QCoreApplication.processEvents()
    assert not begun.wait(0.05)  # what is held waits all the same
    executor.release()
    qtbot.waitUntil(begun.is_set)


def test_tasks_begin_in_the_order_in_which_they_were_asked_for(qtbot: QtBot, lone: Executor) -> None:
    seen: list[int] = []
    for number in range(20):
        lone.submit(number, lambda _, number=number: seen.append(number), ignore, never)
    qtbot.waitUntil(lambda: not lone.busy)
    assert seen == list(range(20))


def test_of_what_waits_for_a_thread_the_highest_priority_goes_first(qtbot: QtBot, lone: Executor) -> None:
    seen, gate = list[str](), Gate()
    lone.submit("now", gate, ignore, never)
    qtbot.waitUntil(begun(lone, "now"))
    for name, priority in (("first", 0), ("second", 0), ("urgent", 1)):
        lone.submit(name, lambda _, name=name: seen.append(name), ignore, never, priority=priority)
    QCoreApplication.processEvents()
    gate.open()
    qtbot.waitUntil(lambda: not lone.busy)
    assert seen == ["urgent", "first", "second"]


def test_keys_do_not_wait_for_each_other(qtbot: QtBot, executor: Executor) -> None:
    gate, seen = Gate(), list[str]()
    executor.submit("slow", gate, ignore, never)
    executor.submit("quick", lambda _: "there", seen.append, never)
    qtbot.waitUntil(lambda: seen == ["there"])
    assert executor.busy
    gate.open()
    qtbot.waitUntil(lambda: not executor.busy)


def test_cancelled_work_that_does_not_end_keeps_no_thread_from_others(qtbot: QtBot) -> None:
    executor, answers, seen = Executor(threads=2, replaces=True), threading.Event(), []
    # As many reads of storage that does not answer are given up as there are threads, and more.
    for number in range(5):
        started = threading.Event()

        def read(_: Control, started: threading.Event = started) -> None:
            started.set()
            answers.wait(60)

        executor.submit(number, read, never, never)
        qtbot.waitUntil(started.is_set)
        executor.cancel(number)
    with qtbot.waitSignal(executor.idle):
        executor.submit("log", lambda _: 1, seen.append, never)
    assert seen == [1]
    pool = executor._pool
    assert pool.maxThreadCount() == 2 + 5
    answers.set()  # the storage answers again: there are no more threads than were given
    qtbot.waitUntil(lambda: pool.maxThreadCount() == 2)
    assert executor.shutdown()


def test_of_two_under_one_key_the_newest_wins(qtbot: QtBot, executor: Executor) -> None:
    seen: list[str] = []
    executor.submit("a", until_cancelled, never, never)
    qtbot.waitUntil(begun(executor, "a"))
    executor.submit("a", lambda _: "new", seen.append, never)
    qtbot.waitUntil(lambda: not executor.busy)
    assert seen == ["new"]


def test_patient_work_lets_what_runs_end_and_of_what_waits_the_newest_wins(
    qtbot: QtBot, executor: Executor
) -> None:
    seen, made, gate = list[object](), list[int](), Gate()
    executor.submit("a", gate, seen.append, never)
    qtbot.waitUntil(begun(executor, "a"))
    for number in range(2, 7):
        work = lambda _, number=number: made.append(number) or number  # noqa: E731
        executor.submit("a", work, seen.append, never, after_running=True)
    gate.open()
    qtbot.waitUntil(lambda: not executor.busy)
    assert seen == [None, 6]
    assert made == [6]


def test_patient_work_begins_after_work_that_failed_too(qtbot: QtBot, executor: Executor) -> None:
    seen, gate = list[object](), Gate()

    def fail(control: Control) -> None:
        gate(control)
        raise ValueError

    executor.submit("a", fail, never, seen.append)
    executor.submit("a", lambda _: "next", seen.append, never, after_running=True)
    gate.open()
    qtbot.waitUntil(lambda: not executor.busy)
    assert isinstance(seen[0], ValueError)
    assert seen[1:] == ["next"]


def test_impatient_work_takes_the_place_of_what_runs_and_of_what_waits_for_that(
    qtbot: QtBot, executor: Executor
) -> None:
    seen: list[str] = []
    executor.submit("a", until_cancelled, never, never)
    executor.submit("a", lambda _: "patient", never, never, after_running=True)
    executor.submit("a", lambda _: "newest", seen.append, never)
    qtbot.waitUntil(lambda: not executor.busy)
    assert seen == ["newest"]


def test_no_two_tasks_of_many_keys_mix(qtbot: QtBot, executor: Executor) -> None:
    """Keys asked for over and over: what is seen of each are newer and newer values, the newest last."""
    seen: dict[int, list[int]] = {key: [] for key in range(8)}
    for number in range(60):
        for key, own in seen.items():
            executor.submit(
                key,
                lambda _, number=number: number,
                own.append,
                never,
                after_running=bool((number + key) % 3),
            )
        QCoreApplication.processEvents()
    qtbot.waitUntil(lambda: not executor.busy)
    for own in seen.values():
        assert own == sorted(set(own))
        assert own[-1] == 59


def test_while_held_nothing_begins_and_the_newest_wins_all_the_same(qtbot: QtBot, executor: Executor) -> None:
    seen: list[str] = []
    executor.hold()
    executor.submit("a", never, never, never)
    executor.submit("b", lambda _: "b", seen.append, never)
    executor.submit("a", lambda _: "a", seen.append, never)
    executor.submit("c", never, never, never)
    executor.cancel("c")
    qtbot.wait(20)
    assert executor.busy
    assert executor.holds("a")
    assert seen == []
    executor.hold(lambda key: key == "b")
    qtbot.waitUntil(lambda: seen == ["a"])
    assert executor.busy
    executor.release()
    qtbot.waitUntil(lambda: not executor.busy)
    assert seen == ["a", "b"]


# Giving way.


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux knows the niceness of threads")
@pytest.mark.parametrize("nice", [5, 10])
def test_threads_give_way_to_the_windows(qtbot: QtBot, nice: int) -> None:
    executor, seen = Executor(nice=nice), list[int]()
    own = os.getpriority(os.PRIO_PROCESS, threading.get_native_id())
    executor.submit(
        "a", lambda _: os.getpriority(os.PRIO_PROCESS, threading.get_native_id()), seen.append, never
    )
    qtbot.waitUntil(lambda: bool(seen))
    assert seen == [nice]
    assert os.getpriority(os.PRIO_PROCESS, threading.get_native_id()) == own
    assert executor.shutdown()


def test_it_tells_when_a_task_is_given_a_thread(qtbot: QtBot, lone: Executor) -> None:
    gate, entered = Gate(), list[int]()
    lone.began.connect(lambda: entered.append(gate.entered), Qt.ConnectionType.QueuedConnection)
    lone.submit("a", gate, ignore, never)
    lone.submit("b", gate, ignore, never)
    qtbot.waitUntil(lambda: bool(entered))
    assert len(entered) == 1
    gate.open()
    qtbot.waitUntil(lambda: len(entered) == 2)
    qtbot.waitUntil(lambda: not lone.busy)
