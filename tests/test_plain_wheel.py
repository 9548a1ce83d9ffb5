"""The wheel without kernels, built and unpacked: what it holds, and that it starts beside a user's modules.

Wheels with kernels, the folder, the deb and the rpm take minutes to build: `test_packages.py` tries those
that were built by hand.
"""

import base64
import csv
import hashlib
import os
import subprocess
import sys
import zipfile
from configparser import ConfigParser
from email.parser import HeaderParser
from importlib.metadata import version
from pathlib import Path

import pytest

from tests.installed import copy_tests
from tests.packaging_modules import load
from tests.paths import ROOT

stage = load("stage")

VERSION = stage.project_version()
INFO = f"batchscope-{VERSION}.dist-info"


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which the wheel is built."""
    return tmp_path_factory.mktemp("work")


@pytest.fixture(scope="module")
def wheel(work: Path) -> Path:
    path = load("wheel").build_plain(stage.make_stage(work, compiled=False), work / "dist")
    assert path.name == f"batchscope-{VERSION}-py3-none-any.whl"
    return path


@pytest.fixture(scope="module")
def files(wheel: Path) -> dict[str, bytes]:
    """The files of the wheel, by their names."""
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_it_installs_one_package_and_files_of_the_desktop(files: dict[str, bytes]) -> None:
    places = {"/".join(name.split("/")[:3]) if ".data/" in name else name.split("/")[0] for name in files}
    assert places == {"batchscope", INFO, f"batchscope-{VERSION}.data/data/share"}


def test_it_holds_all_sources_and_what_types_need(files: dict[str, bytes]) -> None:
    listed = ["git", "ls-files", "--", "app", "engine", "views", "resources"]
    done = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True)
    tracked = {f"batchscope/{name}" for name in done.stdout.splitlines() if "guide/decisions/" not in name}
    own = {f"batchscope/{name}" for name in ("__init__.py", "__main__.py", "py.typed")}
    assert {name for name in files if name.startswith("batchscope/")} == tracked | own
    assert not any(name.endswith((".kernel", ".pyc")) for name in files)


def test_its_description_fits_the_project(files: dict[str, bytes]) -> None:
    entries = ConfigParser(delimiters=("=",))
    entries.read_string(files[f"{INFO}/entry_points.txt"].decode())
    assert dict(entries["console_scripts"]) == {"batchscope": "batchscope.app.cli.entry:run_process"}
    about = HeaderParser().parsestr(files[f"{INFO}/METADATA"].decode())
    assert (about["Name"], about["Version"]) == ("batchscope", VERSION)
    assert {f"numba=={version('numba')}", "numpy>=2.0"} <= set(about.get_all("Requires-Dist", []))
    assert b"Tag: py3-none-any\n" in files[f"{INFO}/WHEEL"]
    for name, digest, size in csv.reader(files[f"{INFO}/RECORD"].decode().splitlines()):
        if name != f"{INFO}/RECORD":
            found = base64.urlsafe_b64encode(hashlib.sha256(files[name]).digest()).rstrip(b"=").decode()
            assert (digest, int(size)) == (f"sha256={found}", len(files[name])), name


def test_it_names_no_folder_of_the_builder(files: dict[str, bytes], work: Path) -> None:
    for folder in (ROOT, work, Path(sys.base_prefix)):
        if folder != Path("/usr"):  # where a system's own Python is, as it is for everybody
            assert [name for name, data in files.items() if os.fsencode(folder) in data] == []


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the packages of the wheel, as pip lays them down."""
    folder = tmp_path_factory.mktemp("installed")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


def test_an_installed_program_does_not_mind_a_users_own_modules(tmp_path: Path, installed: Path) -> None:
    for name in load("inside").PACKAGES:
        (tmp_path / f"{name}.py").write_text("raise SystemExit('the wrong module')\n")
    # A program of the user's that stands beside their own app.py, and the command itself.
    (tmp_path / "main.py").write_text("import batchscope\nprint(batchscope.InputError.__module__)\n")
    for words, said in (
        (["main.py"], "batchscope.engine.errors"),
        (["-m", "batchscope", "--version"], f"batchscope {VERSION}"),
        (["-m", "batchscope", "info", str(ROOT / "resources" / "example.swf.gz"), "--quiet"], "16,890 jobs"),
    ):
        done = run_installed(installed, words, tmp_path)
        assert done.returncode == 0, done.stderr
        assert said in done.stdout


def test_an_installed_program_passes_tests_of_the_command_line(tmp_path: Path, installed: Path) -> None:
    """A few, which need no kernel; `python -m tests.installed` runs all."""
    folder = copy_tests(tmp_path / "copy")
    words = ["-m", "pytest", "-q", "-k", "wrong_usage", "tests/app/cli/test_errors.py"]
    done = run_installed(installed, words, folder)
    assert (done.returncode, " passed" in done.stdout) == (0, True), done.stdout + done.stderr
    commands = (folder / "tests" / "app" / "cli" / "commands.py").read_text()
    assert "from batchscope.app.cli.main import main" in commands


def run_installed(source: Path, words: list[str], place: Path) -> subprocess.CompletedProcess[str]:
    """Run Python in a folder, with the packages of the wheel before those of this checkout."""
    variables = {**os.environ, "PYTHONPATH": str(source)}
    call = [sys.executable, *words]
    return subprocess.run(
        call, cwd=place, env=variables, capture_output=True, text=True, timeout=120, check=False
    )
