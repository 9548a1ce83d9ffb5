"""What `conftest.py` promises to every test."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs
from hypothesis import settings


def test_settings_and_caches_are_the_tests_own(tmp_path: Path) -> None:
    for folder in (
        platformdirs.user_config_dir("batchscope"),
        platformdirs.user_cache_dir("batchscope"),
        platformdirs.user_data_dir("batchscope"),
        platformdirs.user_state_dir("batchscope"),
    ):
        assert Path(folder).is_relative_to(tmp_path)
        assert not Path(folder).exists()


def test_windows_are_drawn_offscreen_unless_told_otherwise(qapp: object) -> None:
    from PySide6.QtGui import QGuiApplication

    assert QGuiApplication.platformName() == os.environ.get("BATCHSCOPE_TEST_PLATFORM", "offscreen")


def test_hypothesis_keeps_nothing_and_is_repeatable_in_ci() -> None:
    assert settings.default is not None
    assert settings.default.database is None
    assert settings.default.deadline is None
    assert settings.default.derandomize == bool(os.environ.get("CI"))
