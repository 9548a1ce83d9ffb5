"""Executors in real threads."""

from collections.abc import Generator

import pytest
from pytestqt.qtbot import QtBot

from views.work.executor import Executor


@pytest.fixture
def executor(qtbot: QtBot) -> Generator[Executor]:
    executor = Executor()
    yield executor
    assert executor.shutdown()


@pytest.fixture
def lone(qtbot: QtBot) -> Generator[Executor]:
    """One with a single thread."""
    executor = Executor(threads=1)
    yield executor
    assert executor.shutdown()
