"""What a Gantt chart can show besides the jobs themselves."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Layers:
    """Each is shown or not."""

    waits: bool = False  # a line from a job's submission to its start
    reservations: bool = False  # those that waiting jobs have at the time under the mouse
    idle: bool = False  # a hatch where processors idle that waiting jobs ask for


LAYER_NAMES = {
    "waits": ("&Waits", "A line from each submission to its start, where jobs can be told apart"),
    "reservations": (
        "&Reservations",
        "Where the jobs that wait at the time under the mouse are promised to start, and the selected ones",
    ),
    "idle": (
        "&Idle while jobs wait",
        "Hatch processors that run nothing while waiting jobs ask for as many (rows of processors or nodes)",
    ),
}
"""The layers as a menu offers them, with what they show."""
