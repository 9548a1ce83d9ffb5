"""The same arguments give the same schedule: again, in several threads, and without compiling."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

import numpy as np
import pytest

from engine.logs.read import read_trace
from engine.policy.policy import parse_policy
from engine.simulation import run
from engine.simulation.make.scheduler import make_scheduler
from engine.trace import Trace
from tests.paths import ROOT, SHARED, needs

TRACE = SHARED / "traces" / "KTH-SP2-filtered.swf.gz"
POLICIES = (
    "easy",
    "just",
    "conservative",
    "fairshare-easy",
    "easy:estimate=last2",
    "tuned-2d:queue_depth=400",
    "easy:relaxed=0.2,max_user_jobs=9,backfill=sjf",
    "metric:bf=0.5,window=3",
)
JOBS = 250

CHILD = """
import json
from tests.engine.simulation.test_repeatable import POLICIES, count_from_start, starts
count_from_start()
print(json.dumps({policy: starts(policy) for policy in POLICIES}))
"""


class FromStart(np.ndarray[Any, Any]):
    """An array that is never indexed from its end: compiled code does not look whether it is."""

    def __getitem__(self, index: Any) -> Any:
        _refuse_negative(index)
        return super().__getitem__(index)

    def __setitem__(self, index: Any, value: Any) -> None:
        _refuse_negative(index)
        super().__setitem__(index, value)


def _refuse_negative(index: Any) -> None:
    for number in index if isinstance(index, tuple) else (index,):
        if isinstance(number, int | np.integer) and number < 0:
            raise IndexError(f"index {index} counts from the end")


def count_from_start() -> None:
    """Let schedulers refuse indices below 0 from now on."""

    def watched(value: Any) -> Any:
        if isinstance(value, tuple):
            return type(value)(*map(watched, value))
        return value.view(FromStart) if isinstance(value, np.ndarray) else value

    def make_watched(*arguments: Any) -> Any:
        return tuple(map(watched, make_scheduler(*arguments)))

    run.make_scheduler = make_watched


@cache
def trace() -> Trace:
    return read_trace(TRACE).take(np.arange(JOBS))


def starts(policy: str) -> list[int]:
    found: list[int] = run.simulate(trace(), trace().cluster, parse_policy(policy)).start.tolist()
    return found


def at_once(work: Callable[[str], list[int]], policy: str) -> list[list[int]]:
    with ThreadPoolExecutor(2) as threads:
        return [done.result() for done in [threads.submit(work, policy) for _ in range(4)]]


@needs(TRACE)
@pytest.mark.parametrize("policy", POLICIES)
def test_again_and_in_two_threads_at_once(policy: str) -> None:
    first = starts(policy)
    assert starts(policy) == first
    assert at_once(starts, policy) == [first] * 4


@needs(TRACE)
def test_as_plain_python() -> None:
    """In a child process, since kernels are compiled or not for all of a process. No index is below 0."""
    child = subprocess.run(
        [sys.executable, "-c", CHILD],
        cwd=ROOT,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert child.returncode == 0, child.stderr
    assert json.loads(child.stdout) == {policy: starts(policy) for policy in POLICIES}
