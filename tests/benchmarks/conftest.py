"""Benchmarks run when they are asked for, with `--benchmark-only`, and never among the tests."""

from __future__ import annotations

import pytest


def pytest_ignore_collect(config: pytest.Config) -> bool | None:
    """Leave this folder out of ordinary runs."""
    return None if config.getoption("benchmark_only", default=False) else True
