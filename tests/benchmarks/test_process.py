"""A whole process of the command line, as other simulators are timed: start, read, simulate, write."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from tests.benchmarks.goals import OTHERS
from tests.benchmarks.logs import KTH_SP2
from tests.paths import ROOT, needs

# The child says itself how much memory it used at most.
RUN = """
import atexit, json, resource
from app.cli.main import run_process
use = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
atexit.register(lambda: print(json.dumps({"memory_mib": use()})))
run_process()
"""


def run(policy: str, output: Path) -> dict[str, float]:
    return run_command("simulate", str(KTH_SP2), "-p", policy, "-o", str(output), "--quiet")


def run_command(*arguments: str) -> dict[str, float]:
    command = [sys.executable, "-c", RUN, *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    figures: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return figures


@needs(KTH_SP2)
@pytest.mark.parametrize("policy", OTHERS)
def test_whole_process_kth_sp2(benchmark: BenchmarkFixture, tmp_path: Path, policy: str) -> None:
    output = tmp_path / "schedule.csv"
    figures = benchmark.pedantic(run, args=(policy, output), rounds=5, warmup_rounds=1)
    assert len(output.read_text("utf-8").splitlines()) == 1 + 28_481
    benchmark.extra_info.update(figures, policy=policy)


@needs(KTH_SP2)
@pytest.mark.parametrize("command", ["info", "compare"])
def test_second_start_kth_sp2(benchmark: BenchmarkFixture, command: str) -> None:
    policies = ["-p", "easy", "-p", "just"] if command == "compare" else []
    figures = benchmark.pedantic(
        run_command, args=(command, str(KTH_SP2), *policies, "--quiet"), rounds=5, warmup_rounds=1
    )
    assert figures["memory_mib"] > 0


def test_import(benchmark: BenchmarkFixture) -> None:
    done = benchmark.pedantic(
        subprocess.run,
        args=([sys.executable, "-c", "import batchscope"],),
        kwargs={"cwd": ROOT, "check": True},
        rounds=5,
        warmup_rounds=1,
    )
    assert done.returncode == 0
