"""The same arguments give the same schedule: again, in several threads, and without compiling."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from engine.policy import parse_policy
from engine.simulation.run import simulate
from engine.trace import Trace
from engine.trace.read import read_trace
from tests.paths import SHARED, needs

TRACE = SHARED / "traces" / "KTH-SP2-filtered.swf.gz"
POLICIES = (
    "easy",
    "just",
    "conservative",
    "fairshare-easy",
    "easy:estimate=last2",
    "tuned-2d:queue_depth=400",
)
JOBS = 500

CHILD = """
import json
from tests.engine.simulation.test_repeatable import POLICIES, starts
print(json.dumps({policy: starts(policy) for policy in POLICIES}))
"""


@cache
def trace() -> Trace:
    return read_trace(TRACE).take(np.arange(JOBS))


def starts(policy: str) -> list[int]:
    found: list[int] = simulate(trace(), trace().cluster, parse_policy(policy)).start.tolist()
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
    """In a child process, since kernels are compiled or not for all of a process."""
    root = Path(__file__).resolve().parents[3]
    child = subprocess.run(
        [sys.executable, "-c", CHILD],
        cwd=root,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert child.returncode == 0, child.stderr
    assert json.loads(child.stdout) == {policy: starts(policy) for policy in POLICIES}
