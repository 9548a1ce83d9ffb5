"""The title above figures. Imported at start: nothing of the engine that computes."""

from __future__ import annotations

from textwrap import shorten

from engine.filter import Expression
from engine.trace import Trace

TITLE = 100
"""Characters that fit over a figure."""


_WHAT_IF = ("scaled", "walltime_cap", "right_sized")
"""The rules of quality notes on what a what-if changes in the jobs of a log begin like this."""


def title_of(trace: Trace, only: Expression | None) -> str:
    """The title of figures of the jobs that match `only`, and of jobs that a what-if changed.

    The name of such a trace says what was changed. The title is empty where all jobs are shown as logged.
    """
    changed = any(note.rule.startswith(_WHAT_IF) for note in trace.notes)
    if only is None and not changed:
        return ""
    under = f", under: {only}" if only is not None else ""
    return shorten(f"{trace.name}{under}", TITLE, placeholder=" …")
