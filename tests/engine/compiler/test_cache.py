from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from platformdirs import user_cache_path

from engine.compiler import cache as kernel_cache
from engine.compiler.cache import cache_folder, is_filled, mark_filled
from tests.paths import ROOT

DAY = 86_400


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "numba"))
    return tmp_path / "numba"


@pytest.fixture
def own_sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Kernels and other modules of a program that is not this one."""
    for name, text in {
        "engine/kernel.py": (
            "from engine.compiler.kernels import kernel\n"
            "from engine.constants import STOP\n"
            "from engine.deep.inner import inner\n"
        ),
        "engine/deep/inner.py": "from engine.compiler.kernels import inner_kernel\n",
        "engine/constants.py": "from engine.plain import something\nSTOP = -1\n",
        "engine/plain.py": "import numpy\n",
        "views/raster/jobs.py": "from engine.compiler.kernels import kernel\n",
        "app/shell/window.py": "from engine.compiler.kernels import nothing\n",
    }.items():
        path = tmp_path / "source" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.setattr(kernel_cache, "_SOURCES", tmp_path / "source")
    return tmp_path / "source"


def change(path: Path, text: str) -> None:
    path.write_text(text)
    for kept in (kernel_cache._digest, kernel_cache._source):  # sources do not change while a program runs
        kept.cache_clear()


def test_the_folder_is_where_numba_is_told_to_keep_code(own_cache: Path) -> None:
    folder = cache_folder("engine.simulation.loop")
    assert folder.parent == own_cache
    assert folder.name.startswith("kernels-")
    assert cache_folder("engine.simulation.loop") == folder
    assert cache_folder("engine.simulation.queue") != folder


def test_else_it_is_in_the_users_cache_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    assert cache_folder("engine.simulation.loop").parent == user_cache_path("batchscope")


def test_it_is_filled_once_that_is_marked(own_cache: Path) -> None:
    assert not is_filled()
    assert not own_cache.exists(), "asking makes nothing"
    mark_filled()
    mark_filled()
    assert is_filled()


@pytest.mark.parametrize("changed", ["engine/kernel.py", "engine/deep/inner.py", "engine/constants.py"])
def test_a_changed_part_of_a_kernel_gives_it_another_folder(
    own_cache: Path, own_sources: Path, changed: str
) -> None:
    mark_filled()
    before, other = cache_folder("engine.kernel"), cache_folder("views.raster.jobs")
    path = own_sources / changed
    text = path.read_text()
    change(path, text + "x = 1\n")
    assert cache_folder("engine.kernel") != before
    assert cache_folder("views.raster.jobs") == other, "it is made of other sources"
    assert not is_filled()
    change(path, text)
    assert cache_folder("engine.kernel") == before
    assert is_filled()


@pytest.mark.parametrize("changed", ["engine/plain.py", "app/shell/window.py"])
def test_what_is_no_part_of_a_kernel_changes_nothing(
    own_cache: Path, own_sources: Path, changed: str
) -> None:
    mark_filled()
    before = cache_folder("engine.kernel")
    change(own_sources / changed, "import numpy as np\n")
    assert cache_folder("engine.kernel") == before
    assert is_filled()


def test_a_copy_elsewhere_finds_the_same_code(
    own_cache: Path, own_sources: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = cache_folder("engine.kernel")
    shutil.copytree(own_sources, own_sources.parent / "copy")
    monkeypatch.setattr(kernel_cache, "_SOURCES", own_sources.parent / "copy")
    assert cache_folder("engine.kernel") == before


def test_code_that_was_not_used_for_a_week_is_removed(own_cache: Path) -> None:
    for name, days in (("kernels-old", 8), ("kernels-new", 6), ("other-old", 8)):
        (own_cache / name).mkdir(parents=True)
        os.utime(own_cache / name, (time.time() - days * DAY,) * 2)
    mark_filled()
    assert sorted(path.name for path in own_cache.iterdir() if path.is_dir()) == ["kernels-new", "other-old"]


def test_it_is_told_without_loading_the_compiler() -> None:
    program = "import sys, engine.compiler.cache as k; k.is_filled(); print('numba' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == "False"


def test_kernels_are_kept_there() -> None:
    program = (
        "from engine.simulation import queue; from engine.compiler.cache import cache_folder;"
        "print(queue.sort_queue._cache.cache_path == str(cache_folder(queue.__name__)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == "True"
