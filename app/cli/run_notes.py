"""Notes on runs, printed on standard error: how the jobs of a run differ from those of the log."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from engine.policy.policy import Policy
from engine.schedule.schedule import Schedule
from engine.trace import Note
from engine.words import counted, counted_text


def say_changes(name: str, notes: Sequence[Note]) -> None:
    """Print what was changed of the jobs of a trace or run."""
    for note in notes:
        print(f"{name}: {counted_text(note.count, note.text)}", file=sys.stderr)


def say_notes(schedule: Schedule, policy: Policy, name: str) -> None:
    """Print what a run changed of the jobs, and what it did not compute of all of them."""
    say_changes(name, schedule.trace.changes)
    if schedule.fair_sample is not None:
        jobs = counted(schedule.fair_sample, "job")
        print(f"{policy}: fair starts of {jobs}, a sample drawn by a seed: all take long", file=sys.stderr)
    if schedule.log.cut_short:
        jobs = counted(schedule.log.cut_short, "job")
        print(f"{policy}: not all reasons of {jobs} are kept, they changed too often", file=sys.stderr)
