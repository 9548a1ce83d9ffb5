from collections.abc import Generator

import pytest
from pytestqt.qtbot import QtBot

from tests.views.context import ViewContext


@pytest.fixture
def context(qtbot: QtBot) -> Generator[ViewContext]:
    context = ViewContext(qtbot=qtbot)
    yield context
    context.close()
