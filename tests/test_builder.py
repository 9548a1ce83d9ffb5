"""Packages without the folders of the machine on which they were built."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.packaging_modules import load

builder = load("builder")

MODULE = """
from engine.compiler.kernels import kernel

@kernel
def refuse(number):
    if number > 0:
        raise ValueError("too large")
    return number
"""

CALL = """
import traceback
from mine.module import refuse
try:
    refuse(3)
except ValueError:
    print(traceback.format_exc())
(compiled,) = refuse.overloads.values()
print("named:", sys.argv[1].encode() in compiled.library._compiled_object)
"""


@pytest.fixture
def folders(tmp_path: Path) -> builder.Folders:
    return builder.Folders(tmp_path / "work", Path("/opt/python"), tmp_path)


def test_folders_above_those_of_the_builder_are_gone(folders: builder.Folders, tmp_path: Path) -> None:
    own = str(tmp_path / "work").encode()
    for data in (own + b"/a.py", b"\0/opt/python\0/opt/python/lib\0", b"'" + own + b"'", bytes(tmp_path)):
        clean = folders.without(data)
        assert len(clean) == len(data)
        assert clean.endswith((b"work/a.py", b"python/lib\0", b"/work'", b"/" + os.fsencode(tmp_path.name)))
        assert b"/opt" not in clean
        assert bytes(tmp_path) not in clean
        assert folders.named_in(data)
        assert folders.named_in(clean) == ""
    assert folders.without(b"/opt/python/lib /opt/python") == b"/////python/lib /////python"
    for data in (b"/opt/python3/lib", b"/opt/python-3", b"/opt", b"/usr/lib"):
        assert folders.without(data) == data
        assert folders.named_in(data) == ""


def test_a_python_of_the_system_is_where_it_is_for_everybody(tmp_path: Path) -> None:
    for place in ("/usr", "/usr/local"):
        found = builder.Folders(tmp_path, Path(place), tmp_path)
        assert found.named_in(f"{place}/lib/python3".encode()) == ""
        assert found.named_in(f"{tmp_path}/lib".encode()) == str(tmp_path)


def test_files_that_name_a_folder_are_told_with_it(folders: builder.Folders, tmp_path: Path) -> None:
    place = tmp_path / "frozen"
    (place / "inner").mkdir(parents=True)
    (place / "inner" / "a.so").write_bytes(b"\x7fELF\0/opt/python/lib\0")
    (place / "b").write_bytes(b"/usr/lib")
    (place / "link").symlink_to("inner/a.so")
    assert folders.named_below(place) == ["inner/a.so (/opt/python)"]


def test_kernels_name_places_of_errors_within_their_packages(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "module.py").write_text(MODULE)
    code = builder.RELATIVE_PLACES.replace("batchscope.", "")  # as the package is called in a checkout
    call = [sys.executable, "-c", f"import sys; sys.path.insert(0, sys.argv[1])\n{code}\n{CALL}"]
    done = subprocess.run(
        [*call, str(tmp_path)], env=os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "kernels")},
        capture_output=True, text=True, check=False, timeout=100,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert 'File "mine/module.py", line 7, in refuse' in done.stdout
    assert "ValueError: too large" in done.stdout
    assert "named: False" in done.stdout
