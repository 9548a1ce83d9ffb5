"""Child processes of this program, which run its own code and nobody else's."""

from __future__ import annotations

import sys

SIMULATES_EASY = "what simulates EASY backfilling on a pool is compiled"
"""The line that is printed as soon as a log can be read and simulated under `easy`."""

SHOWS_RECORDED = "what shows a recorded schedule is compiled"
"""The line that is printed as soon as a log's own schedule can be shown."""


def command(module: str, *words: str) -> list[str]:
    """The command that runs a module of this program with these arguments.

    With plain `-m` Python searches the working directory first, which may contain any files.
    """
    return [sys.executable, "-P", "-m", module, *words]
