"""Packages that were built, installed in empty places: `BATCHSCOPE_PACKAGES=dist pytest THIS_FILE`.

Run by hand after `packaging/build.py`, since a build takes minutes. The wheel also needs a folder with the
wheels that it requires, in BATCHSCOPE_WHEELS.
"""

import os
import resource
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from resources import example_path
from tests.packaging_modules import load

PLACE = os.environ.get("BATCHSCOPE_PACKAGES", "")
WHEELS = os.environ.get("BATCHSCOPE_WHEELS", "")
FIRST_S = 3.0
"""From the first start to the first schedule, on a quiet machine."""

pytestmark = pytest.mark.skipif(not PLACE, reason="no packages are named")


def package(pattern: str) -> Path:
    """The newest package of a kind; the test is skipped where there is none."""
    found = sorted(Path(PLACE).resolve().glob(pattern), key=lambda path: path.stat().st_mtime)
    if not found:
        pytest.skip(f"no {pattern} in {PLACE}")
    return found[-1]


def start(home: Path, *command: str | Path) -> subprocess.CompletedProcess[str]:
    """Start a program as a user would who has nothing else installed."""
    home.mkdir(exist_ok=True)
    clean = {"HOME": str(home), "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"}
    call = [str(word) for word in command]
    return subprocess.run(call, env=clean, cwd=home, capture_output=True, text=True, check=False, timeout=300)


def check_program(program: Path, home: Path) -> None:
    """It simulates within seconds of its first start, draws its demo, and compiles nothing."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = start(home, program, "simulate", example_path(), "-p", "easy")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    assert done.returncode == 0, done.stderr
    assert "easy: " in done.stdout
    assert seconds < FIRST_S
    # Each format of tables and plots has libraries of its own, loaded when they are used first.
    report = ("report", "{log}", "-p", "easy", "-o", "report")
    for command in (*load("folder").FORMATS, report):
        words = [word.format(log=example_path()) for word in command]
        done = start(home, program, *words)
        assert done.returncode == 0, done.stderr
    done = start(home, program, "demo")
    assert done.returncode == 0, done.stderr
    assert (home / "batchscope-demo.png").stat().st_size > 50_000
    assert not list((home / ".cache").rglob("*.kernel")), "all kernels came with the package"
    done = start(home, program, "doctor")
    assert "came with the package, and are complete" in done.stdout


@pytest.mark.skipif(not WHEELS, reason="no wheels are named")
def test_the_wheel(tmp_path: Path) -> None:
    wheel = package("*.whl")
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "env"], check=True)
    python = tmp_path / "env" / "bin" / "python"
    options = ["--quiet", "--no-index", "--find-links", WHEELS]
    subprocess.run([python, "-Im", "pip", "install", *options, wheel], check=True)
    check_program(tmp_path / "env" / "bin" / "batchscope", tmp_path / "home")
    assert (tmp_path / "env" / "share" / "man" / "man1" / "batchscope.1").exists()


def test_the_folder_is_installed_and_taken_away(tmp_path: Path) -> None:
    with tarfile.open(package("*.tar.gz")) as archive:
        archive.extractall(tmp_path / "unpacked", filter="data")
    (unpacked,) = (tmp_path / "unpacked").iterdir()
    home = tmp_path / "home"
    done = start(home, unpacked / "install.sh")
    assert done.returncode == 0, done.stderr
    check_program(home / ".local" / "bin" / "batchscope", home)
    assert (home / ".local/share/applications/org.batchscope.Batchscope.desktop").exists()
    again = start(home, unpacked / "install.sh")
    assert again.returncode == 0, "an update replaces it"
    done = start(home, unpacked / "install.sh", "--uninstall")
    assert done.returncode == 0, done.stderr
    left = [path for path in (home / ".local").rglob("*") if path.is_file() and "state" not in path.parts]
    assert [path for path in left if "mime" not in path.parts and path.name != "mimeinfo.cache"] == []


@pytest.mark.skipif(shutil.which("dpkg-deb") is None, reason="not Debian")
def test_the_debian_package(tmp_path: Path) -> None:
    path = package("*.deb")
    subprocess.run(["dpkg-deb", "-x", path, tmp_path / "root"], check=True)
    check_program(tmp_path / "root" / "usr" / "bin" / "batchscope", tmp_path / "home")


@pytest.mark.skipif(shutil.which("lintian") is None, reason="no lintian here")
def test_lintian_finds_nothing() -> None:
    call = ["lintian", "--allow-root", "--tag-display-limit", "0", package("*.deb")]
    done = subprocess.run(call, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")
