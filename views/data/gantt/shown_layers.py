"""The optional layers of a Gantt chart besides the jobs."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class GanttLayers:
    """Layers of a Gantt chart besides its jobs; each is shown or not."""

    down: bool = True  # a hatch where nodes are down
    waits: bool = False  # a line from a job's submission to its start
    reservations: bool = False  # where waiting jobs are planned to start, at an instant
    idle: bool = False  # a hatch where processors idle that waiting jobs ask for
    backfilled: bool = (
        False  # stripes over backfilled jobs, and arrows to jobs that the selected job overtook
    )
    shift: bool = True  # the places of the selected job in other runs


LAYER_NAMES = {
    "down": ("&Down nodes", "Hatch nodes while they are down (rows of processors or nodes)"),
    "waits": (
        "&Waits",
        "A line from each submission to its start, where jobs are large enough to be distinguished",
    ),
    "reservations": (
        "&Planned starts",
        "The planned places of the jobs that wait at the marked instant (otherwise at the mouse), and of the "
        "selected job: dashed if they started early or on time, solid if late",
    ),
    "idle": (
        "&Idle while jobs wait",
        "Hatch processors that run nothing while waiting jobs ask for as many (rows of processors or nodes)",
    ),
    "backfilled": (
        "&Backfilled jobs",
        "Stripes over jobs that were backfilled; arrows from the selected job to the waiting job "
        "that it overtook, and from the jobs that overtook it",
    ),
    "shift": (
        "&Shift of the selected job",
        "Where the selected job ran in the other runs, in their colours, and how far it moved",
    ),
}
"""The layers as a menu offers them, with what they show."""
