"""Where compiled kernels are kept."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from platformdirs import user_cache_path

from engine.compiler import cache as kernel_cache
from engine.compiler import entries
from engine.compiler.cache import filled_or_filling, is_filled, kernel_folder, mark_filled
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
        "engine/compiler/parts.py": "import numba\n",
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
    kernel_cache._digest.cache_clear()  # sources do not change while a program runs


def test_the_folder_is_where_numba_keeps_code(own_cache: Path) -> None:
    folder = kernel_folder()
    assert folder.parent == own_cache
    assert folder.name.startswith("kernels-")
    assert os.environ["NUMBA_CACHE_DIR"] == str(folder), "so that Numba and children know it too"
    assert kernel_folder() == folder


def test_else_it_is_in_the_users_cache_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    assert kernel_folder().parent == user_cache_path("batchscope")


def test_what_a_process_of_another_state_was_reported_is_not_taken_over(
    own_cache: Path, own_sources: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = kernel_folder()
    change(own_sources / "views/raster/jobs.py", "from engine.compiler.kernels import other\n")
    assert kernel_folder() != before
    assert kernel_folder().parent == own_cache


def test_it_is_filled_beside_its_place(own_cache: Path) -> None:
    assert not is_filled()
    beside = filled_or_filling()
    assert beside != kernel_folder()
    entries.write_entry(beside, "one kernel", b"code")
    assert not is_filled(), "a half-filled one is never taken for whole"
    mark_filled()
    assert is_filled()
    assert filled_or_filling() == kernel_folder()
    assert entries.read_entry(kernel_folder(), "one kernel") == b"code"
    assert not beside.exists()
    mark_filled()
    assert is_filled()


def test_one_that_could_not_take_all_is_not_whole(own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entries, "_failed", [OSError()])
    mark_filled()
    assert not is_filled()


@pytest.mark.parametrize(
    "changed",
    ["engine/kernel.py", "engine/deep/inner.py", "engine/constants.py", "engine/compiler/parts.py"],
)
def test_a_changed_part_of_a_kernel_asks_for_another_folder(
    own_cache: Path, own_sources: Path, changed: str
) -> None:
    mark_filled()
    before = kernel_folder()
    path = own_sources / changed
    text = path.read_text()
    change(path, text + "x = 1\n")
    assert kernel_folder() != before
    assert not is_filled()
    change(path, text)
    assert kernel_folder() == before
    assert is_filled()


@pytest.mark.parametrize("changed", ["engine/plain.py", "app/shell/window.py"])
def test_what_is_no_part_of_a_kernel_changes_nothing(
    own_cache: Path, own_sources: Path, changed: str
) -> None:
    before = kernel_folder()
    change(own_sources / changed, "import numpy as np\n")
    assert kernel_folder() == before


@pytest.mark.parametrize("part", ["_compiler", "_processor"])
def test_another_compiler_or_processor_asks_for_another_folder(
    own_cache: Path, monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    before = kernel_folder()
    monkeypatch.setattr(kernel_cache, part, lambda: "another")
    kernel_cache._digest.cache_clear()
    assert kernel_folder() != before
    kernel_cache._digest.cache_clear()


def test_settings_that_change_the_code_ask_for_another_folder(
    own_cache: Path, own_sources: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = kernel_folder()
    monkeypatch.setenv("NUMBA_BOUNDSCHECK", "yes")
    kernel_cache._digest.cache_clear()
    assert kernel_folder() != before
    kernel_cache._digest.cache_clear()


@pytest.mark.parametrize("name", ["NUMBA_NUM_THREADS", "NUMBA_DEBUG_CACHE", "NUMBA_DEVELOPER_MODE"])
def test_settings_that_change_no_code_keep_the_folder(
    own_cache: Path, own_sources: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    before = kernel_folder()
    monkeypatch.setenv(name, "1")
    kernel_cache._digest.cache_clear()
    assert kernel_folder() == before
    kernel_cache._digest.cache_clear()


def test_a_copy_elsewhere_finds_the_same_code(
    own_cache: Path, own_sources: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = kernel_folder()
    shutil.copytree(own_sources, own_sources.parent / "copy")
    monkeypatch.setattr(kernel_cache, "_SOURCES", own_sources.parent / "copy")
    assert kernel_folder() == before


def test_code_that_was_not_used_for_a_week_is_removed(own_cache: Path) -> None:
    for name, days in (("kernels-old", 8), ("kernels-old.part", 8), ("kernels-new", 6), ("other-old", 8)):
        (own_cache / name).mkdir(parents=True)
        os.utime(own_cache / name, (time.time() - days * DAY,) * 2)
    mark_filled()
    kept = {path.name for path in own_cache.iterdir()} - {kernel_folder().name}
    assert kept == {"kernels-new", "other-old"}


def test_use_keeps_it_for_another_week(own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mark_filled()
    os.utime(kernel_folder(), (time.time() - 8 * DAY,) * 2)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(own_cache))  # as at the next start
    mark_filled()
    assert is_filled()


def test_without_a_writable_place_it_is_a_temporary_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "file" / "numba"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    folder = kernel_folder()
    assert folder.parent.parent == tmp_path
    assert folder.parent.stat().st_mode & 0o77 == 0, "nobody else puts code there"
    assert kernel_folder() == folder
    mark_filled()
    assert is_filled()


def test_without_any_place_kernels_live_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "file"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "file" / "temporary"))
    mark_filled()
    assert not is_filled()


def test_it_is_reported_without_loading_the_compiler() -> None:
    program = "import sys, engine.compiler.cache as k; k.is_filled(); print('numba' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == "False"


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="files have no owners here")
@pytest.mark.parametrize("where", ["folder", "beside", "above"])
def test_what_others_could_have_written_is_passed_over_with_a_word(
    own_cache: Path, caplog: pytest.LogCaptureFixture, where: str
) -> None:
    folder = kernel_folder()
    os.environ["NUMBA_CACHE_DIR"] = str(own_cache)
    made = {"folder": folder, "beside": filled_or_filling(), "above": own_cache}[where]
    made.mkdir(parents=True, exist_ok=True)
    made.chmod(0o777)
    kernel_cache._believed.clear()  # as in another process
    os.environ["NUMBA_CACHE_DIR"] = str(own_cache)
    elsewhere = kernel_folder()
    assert elsewhere == user_cache_path("batchscope") / folder.name
    assert filled_or_filling() != made
    assert caplog.messages == [f"{made}: everybody can write here; compiled code is kept elsewhere"]


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="files have no owners here")
def test_without_a_place_of_ones_own_it_is_one_temporary_folder(
    own_cache: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for place in (own_cache, tmp_path / "home"):
        place.mkdir(parents=True)
        place.chmod(0o777)
    monkeypatch.setattr(kernel_cache, "user_cache_path", lambda _: tmp_path / "home" / "batchscope")
    kernel_cache._believed.clear()
    folder = kernel_folder()
    assert folder.parent in kernel_cache._made
    assert kernel_folder() == folder
    shutil.rmtree(folder.parent)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give files away")
def test_a_week_does_not_remove_what_belongs_to_another_user(own_cache: Path) -> None:
    old = own_cache / "kernels-old"
    old.mkdir(parents=True)
    os.utime(old, (time.time() - 9 * DAY,) * 2)
    os.chown(old, 65_534, -1)
    mark_filled()
    assert old.exists()
