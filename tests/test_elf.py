"""Libraries of Linux, as packages change them: compiled by the system's compiler, and loaded afterwards."""

import ctypes
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.packaging_modules import load

elf = load("elf")

pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler here")

BUILDER = "/home/builder/python/lib"


def library(folder: Path, *options: str) -> Path:
    """A library with a function `lib`, whose name is also the end of the builder's path."""
    (folder / "a.c").write_text(
        "#include <math.h>\nint lib(void) { return 7; } double f(double x) { return exp(x); }"
    )
    path = folder / "a.so"
    words = ["cc", "-shared", "-fPIC", "-o", path, folder / "a.c", *options, "-Wl,--no-as-needed", "-lm"]
    subprocess.run(words, check=True)
    return path


def search_paths(path: Path) -> list[str]:
    """The folders of a library, as binutils read them."""
    call = ["readelf", "-dW", path]
    text = subprocess.run(call, capture_output=True, text=True, check=True).stdout
    return [
        line.split("[")[1].rstrip("]") for line in text.splitlines() if "RPATH" in line or "RUNPATH" in line
    ]


@pytest.mark.parametrize("tags", ["-Wl,--enable-new-dtags", "-Wl,--disable-new-dtags"])
@pytest.mark.parametrize(
    ("folders", "kept"),
    [
        (BUILDER, []),
        (f"$ORIGIN/../lib:{BUILDER}", ["$ORIGIN/../lib"]),
        (f"{BUILDER}:$ORIGIN", ["$ORIGIN"]),
        ("/a:$ORIGIN:/b:$ORIGIN/c", ["$ORIGIN:$ORIGIN/c"]),
    ],
)
def test_libraries_are_searched_in_no_folder_of_the_builder(
    tmp_path: Path, tags: str, folders: str, kept: list[str]
) -> None:
    path = library(tmp_path, tags, f"-Wl,-rpath,{folders}")
    assert search_paths(path) == [folders]
    needed = elf.needed_libraries(bytearray(path.read_bytes()))
    assert elf.keep_own_folders(path)
    assert search_paths(path) == kept
    assert b"/home/builder" not in path.read_bytes()
    assert elf.needed_libraries(bytearray(path.read_bytes())) == needed
    assert "libm.so.6" in needed
    loaded = ctypes.CDLL(str(path))
    assert loaded.lib() == 7, "its name is still whole"
    loaded.f.argtypes, loaded.f.restype = [ctypes.c_double], ctypes.c_double
    assert loaded.f(0.0) == 1.0
    assert not elf.keep_own_folders(path), "nothing is left to change"


def test_other_files_stay_as_they_are(tmp_path: Path) -> None:
    path = library(tmp_path, "-Wl,-rpath,$ORIGIN/../lib")
    before = path.read_bytes()
    assert not elf.keep_own_folders(path)
    text = tmp_path / "text"
    text.write_text(f"RUNPATH {BUILDER}")
    assert not elf.keep_own_folders(text)
    assert (path.read_bytes(), text.read_text()) == (before, f"RUNPATH {BUILDER}")
