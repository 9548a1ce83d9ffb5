"""Child processes of this program, which run its own code and nobody else's."""

from __future__ import annotations

import sys

SHOWS_RECORDED = "what shows a recorded schedule is compiled"
"""What is printed as soon as a log can be read and its own schedule shown."""


def command(module: str, *words: str) -> list[str]:
    """The command that runs a module of this program with these words.

    With `-m` alone Python looks first in the folder that one stands in, where anything may lie.
    """
    return [sys.executable, "-P", "-m", module, *words]
