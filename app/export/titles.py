"""The title above figures. Imported at start: nothing of the engine that computes."""

from __future__ import annotations

from textwrap import shorten

from engine.filter import Expression
from engine.trace import Trace

TITLE = 100
"""Characters that fit over a figure."""


def title_of(trace: Trace, only: Expression | None) -> str:
    """The title of figures of the jobs that match `only`; empty where all are shown."""
    return shorten(f"{trace.name}, under: {only}", TITLE, placeholder=" …") if only is not None else ""
