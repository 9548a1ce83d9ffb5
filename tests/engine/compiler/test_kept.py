"""Kernels that are kept on disk, in processes of their own."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.paths import ROOT

pytestmark = pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled")

PROGRAM = """
from engine.compiler.kernels import kernel
@kernel
def triple(number):
    return 3 * number
print(triple(5), triple(2.5), sum(triple.stats.cache_hits.values()))
"""


def _printed(program: Path, folder: Path) -> list[str]:
    """The lines that a program prints; its kernels are cached in `folder`."""
    environment = os.environ | {"PYTHONPATH": str(ROOT), "NUMBA_CACHE_DIR": str(folder / "kept")}
    done = subprocess.run(
        [sys.executable, program], env=environment, capture_output=True, text=True, check=True, timeout=120
    )
    return done.stdout.splitlines()


@pytest.fixture
def start(tmp_path: Path) -> Callable[[], str]:
    """Starts a program with a kernel for two types; what it prints, which must be all it says."""
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    environment = os.environ | {"PYTHONPATH": str(ROOT), "NUMBA_CACHE_DIR": str(tmp_path / "kept")}

    def start() -> str:
        done = subprocess.run(
            [sys.executable, path], env=environment, capture_output=True, text=True, check=False, timeout=120
        )
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout.strip()

    return start


def kept(tmp_path: Path) -> list[Path]:
    return sorted(tmp_path.glob("kept/kernels-*/*.kernel"))


def test_kernels_that_were_damaged_are_made_anew(tmp_path: Path, start: Callable[[], str]) -> None:
    assert start() == "15 7.5 0"
    assert start() == "15 7.5 2"
    first, second = kept(tmp_path)
    first.write_bytes(b"")
    flipped = bytearray(second.read_bytes())
    flipped[len(flipped) // 2] ^= 4
    second.write_bytes(flipped)
    assert start() == "15 7.5 0"
    assert start() == "15 7.5 2"
    assert kept(tmp_path) == [first, second]
    assert len(list(tmp_path.glob("kept/kernels-*/*.bad"))) == 2


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give files away")
def test_code_of_another_user_is_not_run(tmp_path: Path, start: Callable[[], str]) -> None:
    assert start() == "15 7.5 0"
    assert start() == "15 7.5 2"
    for path in (tmp_path / "kept").rglob("*"):
        os.chown(path, 65_534, -1)
    home = tmp_path / "home"
    environment = os.environ | {
        "PYTHONPATH": str(ROOT), "NUMBA_CACHE_DIR": str(tmp_path / "kept"), "XDG_CACHE_HOME": str(home)
    }  # fmt: skip
    call = [sys.executable, tmp_path / "program.py"]
    for hits in (0, 2):
        done = subprocess.run(call, env=environment, capture_output=True, text=True, check=False, timeout=120)
        assert (done.returncode, done.stdout.strip()) == (0, f"15 7.5 {hits}")
        assert "this belongs to another user; compiled code is kept elsewhere" in done.stderr
        assert len(done.stderr.splitlines()) == 1
    assert list(home.rglob("*.kernel"))


def test_a_cache_that_cannot_be_written_stops_nothing(tmp_path: Path, start: Callable[[], str]) -> None:
    (tmp_path / "kept").touch()
    assert start() == "15 7.5 0"


def test_types_that_look_alike_are_told_apart(tmp_path: Path) -> None:
    """An array in a packed tuple is another type than an array, though Numba spells both alike."""
    program = tmp_path / "program.py"
    program.write_text(
        "from typing import NamedTuple\n"
        "import numpy as np\n"
        "from engine.compiler.kernels import inner_kernel, kernel\n"
        "from engine.compiler.packed_tuples import packed\n"
        "class Pair(NamedTuple):\n"
        "    row: np.ndarray\n"
        "@inner_kernel\n"
        "def last(row):\n"
        "    return row[-1]\n"
        "@kernel\n"
        "def of_both(pair, row):\n"
        "    return last(row) - last(pair.row)\n"
        "row = np.array([1, 2, 4])\n"
        "print(of_both(packed(Pair(row[1:])), row), sum(last.dispatcher.stats.cache_hits.values()))\n"
    )
    for hits in (0, 2):
        printed = _printed(program, tmp_path)
        assert printed == [f"3 {hits}"]
        for outer in tmp_path.glob("kept/*/__main__.of_both-*"):
            outer.unlink()


def test_a_kernel_from_the_cache_runs_without_the_compilers_own_runtime(tmp_path: Path) -> None:
    """It makes arrays, raises its errors with their words, and is taken in by a kernel that is compiled."""
    program = tmp_path / "program.py"
    program.write_text(
        "import sys\n"
        "import numpy as np\n"
        "from engine.compiler.kernels import inner_kernel, kernel\n"
        "from numba.core.runtime import rtsys\n"
        "@inner_kernel\n"
        "def checked(number):\n"
        "    if number < 0:\n"
        "        raise ValueError('no size')\n"
        "    return number\n"
        "@kernel\n"
        "def zeros(number):\n"
        "    return np.zeros(checked(number), np.int64)\n"
        "@kernel\n"
        "def size(number):\n"
        "    return zeros(number).size\n"
        "print(zeros(3), rtsys._init, 'dispatcher' in vars(checked))\n"
        "try:\n"
        "    zeros(-1)\n"
        "except ValueError as error:\n"
        "    print(error)\n"
        "print(size(4), type(zeros.overloads[zeros.signatures[0]].library).__name__)\n"
    )
    # The first start compiles, the second loads.
    for start in ("True True", "False False"):
        printed = _printed(program, tmp_path)
        library = "JITCodeLibrary" if start == "True True" else "Loaded"
        assert printed == [f"[0 0 0] {start}", "no size", f"4 {library}"]
        # A kernel that takes in another is compiled again, with the loaded one inside.
        for outer in tmp_path.glob("kept/*/__main__.size-*"):
            outer.unlink()


def test_packages_that_numba_would_load_are_there_for_others(tmp_path: Path) -> None:
    program = (
        "import sys, engine.compiler.kernels\n"
        "print('yaml' in sys.modules, 'importlib.metadata' in sys.modules)\n"
        "import importlib.metadata, yaml, numba.core.config, numba.core.entrypoints\n"
        "print(yaml.safe_load('a: 1'), importlib.metadata.version('numba'))\n"
        "print(numba.core.config.yaml.safe_load is yaml.safe_load)\n"
        "print(numba.core.entrypoints.importlib_metadata.version is importlib.metadata.version)\n"
    )
    environment = os.environ | {"PYTHONPATH": str(ROOT), "NUMBA_CACHE_DIR": str(tmp_path / "kept")}
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    expected = ["False False", "{'a': 1} 0.68.1", "True", "True"]
    assert done.stdout.splitlines() == expected
