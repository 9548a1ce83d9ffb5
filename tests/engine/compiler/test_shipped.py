"""Kernels that a package brings along."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.compiler import cache as kernel_cache
from engine.compiler.cache import describe_sources, is_filled, kernel_folder, source_digest
from engine.compiler.shipped import ABOUT, PLACE, Shipped, made_by, shipped_in, write_about
from tests.paths import ROOT

compiles = pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled")

PROGRAM = """
import sys
from pathlib import Path
import engine.compiler.cache as cache
cache._SOURCES = Path(sys.argv[1])
from engine.compiler.kernels import kernel
@kernel
def triple(number):
    return 3 * number
print(triple(5), triple(2.5), sum(triple.stats.cache_hits.values()), cache.is_filled())
"""

LOADS = """
import os, sys
class Watch:
    def find_spec(self, name, path=None, target=None):
        if name == "numba":
            print("kernels-" in os.environ.get("NUMBA_CACHE_DIR", ""))
sys.meta_path.insert(0, Watch())
import {module}
"""


def ship(folder: Path, files: dict[str, bytes]) -> Shipped:
    """Kernels of a package with these files."""
    place = folder / PLACE
    place.mkdir(parents=True)
    for name, contents in files.items():
        (place / name).write_bytes(contents)
    write_about(place, "state", {"engine.some": "0123"})
    shipped = shipped_in(folder)
    assert shipped is not None
    return shipped


def test_what_is_written_of_kernels_is_read_again(tmp_path: Path) -> None:
    shipped = ship(tmp_path, {"a.kernel": b"code", "b.kernel": b"more"})
    assert (shipped.state, shipped.modules) == ("state", {"engine.some": "0123"})
    assert list(shipped.kernels) == ["a.kernel", "b.kernel"]
    assert shipped.made_by == made_by()
    assert (shipped.obstacle(), shipped.damaged()) == ("", [])


def test_damaged_missing_and_foreign_ones_are_named(tmp_path: Path) -> None:
    shipped = ship(tmp_path, {"a.kernel": b"code", "b.kernel": b"more"})
    (shipped.folder / "a.kernel").write_bytes(b"cod3")
    assert shipped.damaged() == ["a.kernel"]
    assert shipped.obstacle() == "", "it is found as it is read, and the others are used"
    (shipped.folder / "b.kernel").unlink()
    assert shipped.damaged() == ["a.kernel", "b.kernel"]
    assert shipped.obstacle() == "1 of 2 files are missing"
    other = Shipped(shipped.folder, "", {}, {}, {**made_by(), "numba": "0.1"})
    assert other.obstacle().startswith("they were compiled with numba 0.1, and this is ")


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="files have no owners")
def test_those_that_others_could_write_are_not_used(tmp_path: Path) -> None:
    shipped = ship(tmp_path, {"a.kernel": b"code"})
    shipped.folder.chmod(0o777)
    assert shipped.obstacle() == f"{shipped.folder}: everybody can write here"


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"format": 1}', '{"format": 2}', '{"format": 1, "state": 1}']
)
def test_a_description_that_cannot_be_read_is_as_none(tmp_path: Path, text: str) -> None:
    (tmp_path / PLACE).mkdir(parents=True)
    (tmp_path / PLACE / ABOUT).write_text(text)
    assert shipped_in(tmp_path) is None


def test_a_checkout_has_none() -> None:
    assert shipped_in(ROOT) is None


def test_sources_are_known_without_their_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "own"))
    monkeypatch.delenv("NUMBA_CPU_NAME", raising=False)
    monkeypatch.setattr(kernel_cache, "_SOURCES", tmp_path)
    for name in kernel_cache._CODE_SETTINGS:
        monkeypatch.delenv(name, raising=False)
    ship(tmp_path, {})
    assert source_digest("engine.some", "/not/there.py") == "0123"
    assert is_filled()
    assert os.environ["NUMBA_CPU_NAME"] == "generic"
    assert kernel_folder().parent == tmp_path / "own", "what is compiled besides is the user's"
    monkeypatch.setenv("NUMBA_OPT", "1")
    assert not is_filled(), "they were compiled with other settings"


def test_every_module_with_kernels_is_described() -> None:
    state, modules = describe_sources(ROOT)
    assert len(state) == 64
    assert "engine.simulation.easy" in modules
    assert all(source_digest("", str(ROOT / f"{name.replace('.', '/')}.py")) == digest
               for name, digest in modules.items())  # fmt: skip


@pytest.fixture
def start(tmp_path: Path) -> Callable[..., str]:
    """Starts a program with a kernel for two types, as if it lay in a folder with kernels of a package."""
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)

    def start(**settings: str) -> str:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
        environment |= {"PYTHONPATH": str(ROOT), "NUMBA_CACHE_DIR": str(tmp_path / "own"), **settings}
        call = [sys.executable, program, tmp_path / "package"]
        done = subprocess.run(call, env=environment, capture_output=True, text=True, check=False, timeout=120)
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout.strip()

    return start


@compiles
def test_a_package_compiles_nothing_and_mends_what_is_damaged(
    tmp_path: Path, start: Callable[..., str]
) -> None:
    assert start(NUMBA_CPU_NAME="generic") == "15 7.5 0 False"
    (made,) = (tmp_path / "own").iterdir()
    place = tmp_path / "package" / PLACE
    shutil.copytree(made, place)
    shutil.rmtree(tmp_path / "own")
    write_about(place, "state", {})
    assert start() == "15 7.5 2 True"
    assert not list((tmp_path / "own").rglob("*.kernel"))

    first = min(place.glob("*.kernel"))
    first.write_bytes(first.read_bytes()[:-1] + b"?")
    before = {path: path.read_bytes() for path in place.iterdir()}
    assert start() == "15 7.5 1 True"
    assert start() == "15 7.5 2 True", "the other was compiled, and kept in the user's own cache"
    assert {path: path.read_bytes() for path in place.iterdir()} == before, "packages are only read"

    about = json.loads((place / ABOUT).read_text())
    (place / ABOUT).write_text(json.dumps(about | {"made_by": about["made_by"] | {"numpy": "1.0"}}))
    assert start() == "15 7.5 0 False", "for this processor, as in a checkout"


@pytest.mark.parametrize("module", ["kernels", "packed_tuples", "ticks"])
def test_numba_is_loaded_after_it_was_told_what_to_compile_for(module: str) -> None:
    """It reads its settings as it is loaded; who imports one of these first must not matter."""
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    call = [sys.executable, "-c", LOADS.format(module=f"engine.compiler.{module}")]
    done = subprocess.run(
        call, env=environment, cwd=ROOT, capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.splitlines()[-1] == "True"  # it is looked for before, for its version
