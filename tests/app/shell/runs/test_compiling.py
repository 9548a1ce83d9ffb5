"""A window's process compiles no kernel: children do, and only what needs one waits."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from engine.compiler.cache import kernel_folder
from tests.paths import ROOT

pytestmark = pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled")

PICTURE = """
import sys
from numba.core import event
from app.cli.main import main
with event.install_recorder("numba:compile") as compiled:
    assert main([sys.argv[1], "-p", "easy", "--screenshot", sys.argv[2]]) == 0
print(len(compiled.buffer))
"""

TWO_WINDOWS = """
import sys, time
from pathlib import Path
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication
from app.cli.start import quiet_platform
from app.model.settings import Settings
from app.shell.windows import Windows
from app.work.kernel_children import KernelChildren
from app.work.process import tune_process
from engine.compiler.compile_request import compile_elsewhere
from tests.app.shell.many_windows import until

tune_process()
app = QApplication([])
children = KernelChildren([sys.executable, "-c", "import time; time.sleep(100)"])
compile_elsewhere(children.compile_kernel)
with quiet_platform():
    windows = Windows(Settings(theme="light"))
    for _ in range(2):
        window = windows.make()
        window.show()
        window.open_path(Path(sys.argv[1]))
    first, second = windows.open
    waits = lambda window: window.workbench.executor.busy and window.workbench.is_open
    until(lambda: sum(job.waiters for job in children._jobs.values()) > 1 and waits(first) and waits(second))
    began = time.monotonic()
    second.close()
    second.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    app.processEvents()
    print(time.monotonic() - began)
    assert windows.open == [first] and waits(first)
    windows.close_all()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
children.close()
"""


@pytest.fixture
def cache(kernels: None, tmp_path: Path) -> Path:
    """A copy of the cache with all kernels, for a test to remove some of them."""
    place = tmp_path / "cache"
    place.mkdir(mode=0o700)
    # Other tests compile at the same time: what they are writing has a hidden name until it is whole.
    shutil.copytree(kernel_folder(), place / kernel_folder().name, ignore=shutil.ignore_patterns(".*"))
    return place


def lose(cache: Path, module: str) -> set[str]:
    """Remove the kernels of a module; their names."""
    lost = list(cache.glob(f"*/{module}.*.kernel"))
    for path in lost:
        path.unlink()
    return {path.name for path in lost}


def run_code(code: str, cache: Path, *words: object) -> str:
    """What a process with this cache prints."""
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, words)],
        cwd=ROOT,
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen", "NUMBA_CACHE_DIR": str(cache)},
        capture_output=True,
        text=True,
        check=False,
        timeout=280,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_no_kernel_is_compiled_in_a_window(cache: Path, site: Path, tmp_path: Path) -> None:
    lost = lose(cache, "views.raster.columns")
    assert run_code(PICTURE, cache, site, tmp_path / "window.png") == "0\n"
    assert (tmp_path / "window.png").exists()
    assert lost & {path.name for path in cache.glob("*/*.kernel")}, "children have compiled what was used"


def test_closing_a_window_waits_for_no_compile(cache: Path, site: Path) -> None:
    assert lose(cache, "engine.simulation.events")
    assert float(run_code(TWO_WINDOWS, cache, site)) < 50  # the child takes 100 s
