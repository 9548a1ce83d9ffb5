from __future__ import annotations

import sys
import threading
import time

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.panels.run_list import under_way
from app.work.runner import Job, Runner, share_of
from engine.simulation.control import ENDED, Cancelled, Control


@pytest.fixture
def runner(qtbot: QtBot):
    runner = Runner()
    yield runner
    assert runner.shutdown()


def never(_: object) -> None:
    raise AssertionError("must not be called")


def until_cancelled(control: Control) -> None:
    while not control.cancelled:
        time.sleep(0.001)
    raise Cancelled


def test_a_result_comes_in_the_thread_of_the_window(qtbot: QtBot, runner: Runner) -> None:
    seen: list[tuple[object, object]] = []
    runner.start(
        "a", lambda _: threading.get_ident(), lambda who: seen.append((who, threading.get_ident())), never
    )
    qtbot.waitUntil(lambda: bool(seen))
    worker, receiver = seen[0]
    assert receiver == threading.get_ident() != worker
    assert not runner.busy


def test_threads_hand_the_interpreter_on_within_a_millisecond(runner: Runner) -> None:
    assert not runner.busy
    assert sys.getswitchinterval() <= 0.001


def test_an_error_comes_as_a_value(qtbot: QtBot, runner: Runner) -> None:
    seen: list[Exception] = []

    def fail(_: Control) -> None:
        raise ValueError("no such thing")

    runner.start("a", fail, never, seen.append)
    qtbot.waitUntil(lambda: bool(seen))
    assert str(seen[0]) == "no such thing"


def test_of_two_under_one_key_the_newest_wins(qtbot: QtBot, runner: Runner) -> None:
    seen: list[str] = []
    runner.start("a", until_cancelled, never, never)
    runner.start("a", lambda _: "new", seen.append, never)
    qtbot.waitUntil(lambda: bool(seen))
    assert seen == ["new"]


def test_what_is_urgent_goes_before_what_waits_for_a_thread(qtbot: QtBot) -> None:
    runner, seen, go = Runner(threads=1), list[str](), threading.Event()
    runner.start("now", lambda _: go.wait(5), never, never)
    job = runner.job("now")
    assert job is not None
    qtbot.waitUntil(lambda: job.began is not None)
    for name, priority in (("first", 0), ("second", 0), ("urgent", 1)):
        runner.start(name, lambda _, name=name: seen.append(name), lambda _: None, never, priority=priority)
    QApplication.processEvents()
    runner.cancel("now")
    go.set()
    qtbot.waitUntil(lambda: len(seen) == 3)
    assert seen == ["urgent", "first", "second"]
    assert runner.shutdown()


def test_a_late_result_of_a_cancelled_job_is_dropped(qtbot: QtBot, runner: Runner) -> None:
    go = threading.Event()
    runner.start("a", lambda _: go.wait(5), never, never)
    runner.cancel("a")
    go.set()
    assert runner.job("a") is None
    qtbot.wait(50)


def test_progress_and_remaining_time(qtbot: QtBot, runner: Runner) -> None:
    halfway, go = threading.Event(), threading.Event()

    def work(control: Control) -> None:
        tell = share_of(control)
        time.sleep(0.02)
        tell(0.5)
        halfway.set()
        go.wait(5)

    done: list[object] = []
    runner.start("a", work, done.append, never)
    qtbot.waitUntil(halfway.is_set)
    job = runner.job("a")
    assert job is not None
    assert job.control.progress == 0.5
    assert job.remaining is not None
    assert job.remaining > 0
    go.set()
    qtbot.waitUntil(lambda: bool(done))


def test_telling_progress_raises_when_cancelled() -> None:
    control = Control()
    tell = share_of(control)
    control.cancel()
    with pytest.raises(Cancelled):
        tell(0.1)


def test_shutdown_stops_what_runs(qtbot: QtBot) -> None:
    runner = Runner()
    runner.start("a", until_cancelled, never, never)
    runner.start("b", until_cancelled, never, never)
    assert runner.shutdown(2000)
    assert not runner.busy


def test_a_patient_job_lets_the_one_before_it_end_and_of_those_that_wait_the_newest_wins(
    qtbot: QtBot, runner: Runner
) -> None:
    seen: list[int] = []
    go = threading.Event()

    def first(_: Control) -> int:
        assert go.wait(10)
        return 1

    runner.start("a", first, seen.append, never)
    for number in (2, 3, 4):
        runner.start("a", lambda _, number=number: number, seen.append, never, patient=True)
    go.set()
    qtbot.waitUntil(lambda: not runner.busy)
    assert seen == [1, 4]


def test_cancelling_drops_what_waits_too(qtbot: QtBot, runner: Runner) -> None:
    runner.start("a", until_cancelled, never, never)
    runner.start("a", never, never, never, patient=True)
    runner.cancel("a")
    assert not runner.busy
    qtbot.wait(50)


def test_how_far_a_job_is_in_words() -> None:
    job = Job(1, "run", never, never, never, Control(jobs=100))
    assert under_way(job) == "waiting for a processor"
    job.began = time.monotonic() - 30
    assert under_way(job) == "0 %"
    job.control.array[ENDED] = 60
    assert under_way(job) == "60 %, 20 s left"
    job.control.array[ENDED] = 100
    assert under_way(job) == "laying out its charts"
