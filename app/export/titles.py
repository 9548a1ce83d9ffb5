"""The title above figures. Imported at start: nothing of the engine that computes."""

from __future__ import annotations

from textwrap import shorten

from engine.filter import Expression
from engine.trace import Trace
from engine.trace.scale import is_what_if

TITLE = 100
"""Characters that fit over a figure."""


def title_of(trace: Trace, only: Expression | None) -> str:
    """The title of figures of the jobs that match `only`, and of jobs that a what-if changed.

    The name of such a trace says what was changed. The title is empty where all jobs are shown as logged.
    """
    if only is None and not is_what_if(trace):
        return ""
    under = f", under: {only}" if only is not None else ""
    return shorten(f"{trace.shown_name}{under}", TITLE, placeholder=" …")
