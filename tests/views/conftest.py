from __future__ import annotations

from collections.abc import Generator

import pytest
from pytestqt.qtbot import QtBot

from tests.views.context import Stage


@pytest.fixture
def stage(qtbot: QtBot) -> Generator[Stage]:
    stage = Stage(qtbot=qtbot)
    yield stage
    stage.close()
