"""A plugin that remembers which failed tests hung or crashed, so that a second run does not excuse them."""

from __future__ import annotations

import re

import pytest

CACHED = "batchscope/hung_or_crashed"

_SIGNS = re.compile(
    r"TimeoutExpired|Timeout \(\d+:\d\d:\d\d|Fatal Python error|Segmentation fault|crashed while running|"
    r"no end after \d|ended with status -\d"
)
"""How a subprocess that did not end, a crash, or a lost process of tests shows in the report of a failure."""


class Hangs:
    """Collector of the failed tests of a run that hung or crashed."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._tests: set[str] = set()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and _SIGNS.search("\n".join([report.longreprtext, report.capstderr])):
            self._tests.add(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        cache = getattr(self._config, "cache", None)  # absent where the plugin is switched off
        if cache is not None and not hasattr(self._config, "workerinput"):
            cache.set(CACHED, sorted(self._tests))


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Hangs(config), "hangs")
