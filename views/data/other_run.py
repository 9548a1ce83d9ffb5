"""A run that another run is compared with."""

from __future__ import annotations

from typing import NamedTuple

from engine.schedule.schedule import Schedule


class OtherRun(NamedTuple):
    """A run of the same trace as the shown run: its schedule, name and colour."""

    schedule: Schedule
    name: str
    colour: str
