"""The sections of a report, in their order."""

from __future__ import annotations

from engine.report.changes import changes, noise
from engine.report.ends import ends
from engine.report.machine import capacity, longest_waits, used
from engine.report.ranking import ranking
from engine.report.section import Compared, Section


def sections_of(compared: Compared) -> list[Section]:
    """All sections for these runs; sections that need two runs are left out for a single run."""
    several = [ranking, changes, noise] if len(compared.names) > 1 else []
    return [say(compared) for say in (*several, ends, capacity, longest_waits, used)]
