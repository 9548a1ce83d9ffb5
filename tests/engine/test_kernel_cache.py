from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from platformdirs import user_cache_path

from engine import kernel_cache
from engine.kernel_cache import cache_folder, is_filled, mark_filled

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "numba"))
    return tmp_path / "numba"


@pytest.fixture
def own_sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Kernels and other modules of a program that is not this one."""
    for name, text in {
        "engine/kernel.py": "from engine.compiled import kernel\n",
        "engine/deep/inner.py": "from engine.compiled import inner_kernel\n",
        "engine/plain.py": "import numpy\n",
        "views/raster.py": "from engine.compiled import kernel\n",
        "app/window.py": "from engine.compiled import nothing\n",
    }.items():
        path = tmp_path / "source" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.setattr(kernel_cache, "_SOURCES", tmp_path / "source")
    return tmp_path / "source"


def test_the_folder_is_where_numba_is_told_to_keep_code(own_cache: Path) -> None:
    assert cache_folder().parent == own_cache
    assert cache_folder().name.startswith("kernels-")
    assert cache_folder() == cache_folder()


def test_else_it_is_in_the_users_cache_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    assert cache_folder().parent == user_cache_path("batchscope")


def test_it_is_filled_once_that_is_marked(own_cache: Path) -> None:
    assert not is_filled()
    assert not own_cache.exists(), "asking makes nothing"
    mark_filled()
    mark_filled()
    assert is_filled()


@pytest.mark.parametrize("changed", ["engine/kernel.py", "engine/deep/inner.py", "views/raster.py"])
def test_a_changed_kernel_has_another_folder(own_cache: Path, own_sources: Path, changed: str) -> None:
    mark_filled()
    before = cache_folder()
    path = own_sources / changed
    text = path.read_text()
    path.write_text(text + "x = 1\n")
    assert cache_folder() != before
    assert not is_filled()
    path.write_text(text)
    assert cache_folder() == before
    assert is_filled()


@pytest.mark.parametrize("changed", ["engine/plain.py", "app/window.py"])
def test_what_holds_no_kernel_changes_nothing(own_cache: Path, own_sources: Path, changed: str) -> None:
    before = cache_folder()
    (own_sources / changed).write_text("import numpy as np\n")
    assert cache_folder() == before


def test_it_is_told_without_loading_the_compiler() -> None:
    program = "import sys, engine.kernel_cache as k; k.cache_folder(); print('numba' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == "False"


def test_kernels_are_kept_there() -> None:
    program = (
        "import numba; from engine import compiled, kernel_cache;"
        "print(numba.config.CACHE_DIR == str(kernel_cache.cache_folder()))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == "True"
