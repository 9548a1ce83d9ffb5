"""The accuracies of sites on the open log, which what-ifs on them carry."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from engine.policy.policy import Policy, site_policy
from engine.reading.options import Reading
from engine.schedule.schedule import Schedule
from engine.simulation.control import Control

if TYPE_CHECKING:
    from engine.schedule.accuracy import TwinAccuracy
    from engine.slurm.scheduler.phases import PhaseSpread

_MOST = 50


class Accuracies:
    """The accuracies that were worked out last, of the log as it is. For use in threads."""

    def __init__(self) -> None:
        self._known: dict[tuple[Path | None, Reading, Policy], TwinAccuracy | None] = {}

    def of(
        self,
        schedule: Schedule,
        spread: PhaseSpread | None,
        path: Path | None,
        reading: Reading,
        control: Control,
    ) -> TwinAccuracy | None:
        """The accuracy of the site that a schedule is of, or a change of, on the jobs as logged; None for
        other policies.

        It is kept for the log at `path`, read by `reading`. Raises Cancelled.
        """
        from engine.slurm.scheduler.verdicts import is_change, site_accuracy

        site = schedule.policy.site
        if site is None:
            return None
        # Changes of a site share the accuracy of the unchanged site, which takes a simulation to find.
        key = path, reading, site_policy(site.unchanged)
        if is_change(schedule) and key in self._known:
            return self._known[key]
        accuracy = site_accuracy(schedule, spread, control=control)
        # The oldest go; a dictionary keeps its order.
        while len(self._known) >= _MOST:
            self._known.pop(next(iter(self._known)), None)
        self._known[key] = accuracy
        return accuracy
