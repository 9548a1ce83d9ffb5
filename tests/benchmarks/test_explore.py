"""A slider that is dragged, a formula that is typed: from a step or key to its pictures, gaps of the window.

Measured in a process of its own, as the window is used. Goals on KTH-SP2 with two runs: 8 schedules
a second, 100 ms from a step or key to its pictures, no gap over 50 ms.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from tests.benchmarks.logs import CEA_CURIE, KTH_SP2
from tests.paths import needs

FOLDER = Path(__file__).parent


def measure(program: str, *arguments: str | Path) -> dict[str, float]:
    root = str(FOLDER.parents[1])
    environment = dict(os.environ, QT_QPA_PLATFORM="offscreen", PYTHONPATH=root)
    command = [sys.executable, str(FOLDER / program), *map(str, arguments)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    figures: dict[str, float] = json.loads(done.stdout)
    return figures


@needs(KTH_SP2)
@needs(CEA_CURIE)
@pytest.mark.parametrize(
    ("log", "policy", "key"),
    [
        (KTH_SP2, "easy:relaxed=0.5", "relaxed"),
        (KTH_SP2, "fairshare-easy", "half_life"),
        (CEA_CURIE, "fairshare-easy", "half_life"),
    ],
)
def test_a_slider_is_dragged(benchmark: BenchmarkFixture, log: Path, policy: str, key: str) -> None:
    figures = benchmark.pedantic(measure, args=("window_while_dragged.py", log, policy, key), rounds=1)
    benchmark.extra_info.update(figures)
    print(f"\n{log.name}, {policy}: {figures}")


@needs(KTH_SP2)
def test_a_formula_is_typed(benchmark: BenchmarkFixture) -> None:
    figures = benchmark.pedantic(measure, args=("window_while_typed.py", KTH_SP2), rounds=1)
    benchmark.extra_info.update(figures)
    print(f"\n{figures}")
