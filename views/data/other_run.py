"""A run that another one is seen against."""

from __future__ import annotations

from typing import NamedTuple

from engine.schedule.schedule import Schedule


class OtherRun(NamedTuple):
    """A run of the same trace as the one that is shown: its schedule, what it is called, and its colour."""

    schedule: Schedule
    name: str
    colour: str
