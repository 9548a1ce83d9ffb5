"""Code that lies in the folder that one stands in is never run."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.work.kernel_compilation import KernelCompilation
from tests.paths import ROOT

TRAP = "import pathlib; pathlib.Path({mark!r}).write_text(__name__); raise SystemExit(3)\n"
LOG = "".join(f"{job} {job} -1 10 2 -1 -1 2 60 -1 1 1 1 1 1 1 -1 -1\n" for job in range(1, 9))


@pytest.fixture
def mark(tmp_path: Path) -> Path:
    """What the code in the folder would write."""
    return tmp_path / "was-run"


@pytest.fixture
def hostile(tmp_path: Path, mark: Path) -> Path:
    """A folder with a log, and modules named like ours and like those that we use."""
    folder = tmp_path / "project"
    trap = TRAP.format(mark=str(mark))
    for package in ("app", "app/work", "app/cli", "engine", "views"):
        (folder / package).mkdir(parents=True)
        (folder / package / "__init__.py").write_text(trap)
    for module in ("numpy", "pathlib", "argparse", "app/__main__", "app/work/compile_kernels"):
        (folder / f"{module}.py").write_text(trap)
    (folder / "log.swf").write_text(LOG)
    return folder


def info(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    clean = {
        name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONSAFEPATH")
    }
    return subprocess.run(
        [*command, "info", "log.swf"],
        cwd=folder,
        env=clean,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def test_the_command_runs_none_of_it(hostile: Path, mark: Path) -> None:
    program = Path(sys.executable).with_name("batchscope")
    done = info(hostile, str(program))
    assert (done.returncode, mark.exists()) == (0, False), done.stderr
    assert "8 jobs" in done.stdout


def test_neither_does_the_module_where_no_other_has_its_name(hostile: Path, mark: Path) -> None:
    (hostile / "app").rename(hostile / "other")
    done = info(hostile, sys.executable, "-m", "app")
    assert (done.returncode, mark.exists()) == (0, False), done.stderr
    assert "8 jobs" in done.stdout


def test_the_module_runs_from_its_own_folder(hostile: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "app", "info", str(hostile / "log.swf")],
        cwd=ROOT, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled")
def test_nor_do_the_processes_that_compile_kernels(
    qtbot: QtBot,
    hostile: Path,
    mark: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(hostile)
    monkeypatch.delenv("PYTHONPATH", raising=False)
    compilation = KernelCompilation()
    with qtbot.waitSignal(compilation.finished, timeout=400_000):
        compilation.start()
    assert not mark.exists()
    assert capfd.readouterr().err == "", "both did their work"
