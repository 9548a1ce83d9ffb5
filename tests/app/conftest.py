"""What tests of the application share."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.app.commands import Commands, small_log


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Commands:
    """Runs commands in this process."""
    return Commands(capsys)


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A small log with waits."""
    return small_log(tmp_path)
