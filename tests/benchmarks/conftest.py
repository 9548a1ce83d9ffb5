"""Benchmarks run when they are asked for, with `--benchmark-only`, and never among the tests."""

from collections.abc import Iterator
from typing import Any

import pytest

from app.work.process import tune_allocator
from tests.benchmarks.goals import GOALS_MS, GOALS_OF_FIGURES, OTHERS


def pytest_ignore_collect(config: pytest.Config) -> bool | None:
    """Leave this folder out of ordinary runs."""
    return None if config.getoption("benchmark_only", default=False) else True


@pytest.fixture(autouse=True, scope="session")
def _allocator_of_a_window() -> None:
    """Memory is given out as in a window, where a run pays for the pages that it touches first."""
    tune_allocator()


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Print what was measured beside its goal, and beside other simulators."""
    session = getattr(config, "_benchmarksession", None)
    lines = [line for bench in getattr(session, "benchmarks", ()) for line in _compared(bench)]
    if lines:
        terminalreporter.section("fastest rounds beside goals and other simulators")
        terminalreporter.write("\n".join(lines) + "\n")


def _compared(bench: Any) -> Iterator[str]:
    if bench.name in GOALS_MS:
        yield _row(f"{bench.name}, ms", 1000 * bench.stats.min, GOALS_MS[bench.name])
    for figure in GOALS_OF_FIGURES.keys() & bench.extra_info.keys():
        yield _row(f"{bench.name}, {figure}", bench.extra_info[figure], GOALS_OF_FIGURES[figure])
    if "memory_mib" in bench.extra_info:
        yield f"{bench.name}: {bench.stats.min:.2f} s, {bench.extra_info['memory_mib']} MiB"
        for other, (seconds, mib) in OTHERS[bench.extra_info["policy"]].items():
            yield f"    {other}: {seconds:.2f} s, {mib} MiB"


def _row(what: str, measured: float, goal: float) -> str:
    return f"{what}: {measured:.4g} (goal {goal:g}{'' if measured <= goal else ', MISSED'})"
