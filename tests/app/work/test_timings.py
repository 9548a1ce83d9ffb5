"""Timings that a developer asks for."""

import logging
import time
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from app.work.timings import show_timings
from views.work.executor import TIMINGS, Executor


@pytest.fixture
def quiet_logger() -> Iterator[logging.Logger]:
    """The logger of timings, as it was afterwards."""
    logger = logging.getLogger(TIMINGS)
    before = logger.handlers, logger.level, logger.propagate
    yield logger
    logger.handlers, logger.propagate = before[0], before[2]
    logger.setLevel(before[1])


def run_task(qtbot: QtBot) -> None:
    executor = Executor()
    with qtbot.waitSignal(executor.idle):
        executor.submit(("a frame", 3), lambda _: time.sleep(0.01), lambda _: None, lambda _: None)
    executor.shutdown()


def test_tasks_and_gaps_are_written_if_the_environment_asks(
    qtbot: QtBot,
    quiet_logger: logging.Logger,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("BATCHSCOPE_TIMINGS", "1")
    owner = QObject()
    assert show_timings(owner)
    run_task(qtbot)
    time.sleep(0.08)
    qtbot.wait(20)
    owner.deleteLater()
    text = capsys.readouterr().err
    assert "('a frame', 3): waited " in text
    assert "GUI thread: no answer for " in text


def test_nothing_is_written_without_that(
    qtbot: QtBot,
    quiet_logger: logging.Logger,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.delenv("BATCHSCOPE_TIMINGS", raising=False)
    assert not show_timings(QObject())
    run_task(qtbot)
    assert capsys.readouterr().err == ""
