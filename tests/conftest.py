"""How all tests run: offscreen, with folders of their own, leaving nothing behind."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import hypothesis
import pytest

pytest_plugins = ("tests.leaks", "tests.hangs", "tests.real.option", "pytester")

# Before Qt, numba and matplotlib are imported, which read these once.
os.environ["QT_QPA_PLATFORM"] = os.environ.get("BATCHSCOPE_TEST_PLATFORM", "offscreen")
if sys.prefix != sys.base_prefix:
    os.environ.setdefault("NUMBA_CACHE_DIR", str(Path(sys.prefix) / "numba-cache"))
    os.environ.setdefault("MPLCONFIGDIR", str(Path(sys.prefix) / "matplotlib"))

hypothesis.settings.register_profile("dev", deadline=None, database=None, print_blob=True)
hypothesis.settings.register_profile("ci", hypothesis.settings.get_profile("dev"), derandomize=True)
hypothesis.settings.load_profile("ci" if os.environ.get("CI") else "dev")


@pytest.fixture(autouse=True)
def own_folders(no_leaks: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Settings, caches and data of one test, seen by no other, nor by the user."""
    for kind in ("CONFIG", "CACHE", "DATA", "STATE"):
        monkeypatch.setenv(f"XDG_{kind}_HOME", str(tmp_path / "home" / kind.lower()))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What fails when Numba moves comes first: it says why all else may."""
    items.sort(key=lambda item: item.path.name != "test_canary.py")
