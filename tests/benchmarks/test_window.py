"""The window under load: first paint, the longest gap of its thread, frames while zooming, memory.

Each figure is measured in a process of its own, since imports and compiled code are part of it.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from tests.paths import SHARED, needs

CURIE = SHARED / "traces" / "CEA-Curie-2011-2.1-cln.swf.gz"
SCRIPT = Path(__file__).with_name("window_under_load.py")
ANSWERS = Path(__file__).with_name("window_answers.py")


def measure(cache: Path | None = None, script: Path = SCRIPT) -> dict[str, float]:
    environment = dict(os.environ, QT_QPA_PLATFORM="offscreen")
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # a program that was started before keeps it
    if cache is not None:
        environment["NUMBA_CACHE_DIR"] = str(cache)
    command = [sys.executable, str(script), str(CURIE)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    figures: dict[str, float] = json.loads(done.stdout)
    return figures


@needs(CURIE)
@pytest.mark.parametrize("cache", ["warm", "cold"])
def test_curie_is_opened_and_four_runs_go(benchmark: BenchmarkFixture, tmp_path: Path, cache: str) -> None:
    if cache == "warm":
        measure()  # whatever is not compiled yet
    figures = benchmark.pedantic(measure, args=(tmp_path if cache == "cold" else None,), rounds=1)
    benchmark.extra_info.update(figures)
    print(f"\n{cache} cache: {figures}")


@needs(CURIE)
def test_curie_is_searched_and_its_tabs_and_charts_fold(benchmark: BenchmarkFixture) -> None:
    figures = benchmark.pedantic(measure, kwargs={"script": ANSWERS}, rounds=1)
    benchmark.extra_info.update(figures)
    print(f"\n{figures}")
