"""The accuracies of sites on the open log, which what-ifs on them carry."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from app.model.reading import read_checked
from engine.policy.policy import Policy
from engine.reading.options import Reading
from engine.schedule.schedule import Schedule
from engine.simulation.control import Control
from engine.study import machine_of
from engine.trace.scale import Scaling, is_what_if

if TYPE_CHECKING:
    from engine.schedule.accuracy import Accuracy

_MOST = 50


class Accuracies:
    """The accuracies that were worked out last, of the log and machine as they are. For use in threads."""

    def __init__(self) -> None:
        self._known: dict[tuple[Path | None, Reading, Policy], Accuracy | None] = {}

    def of(
        self, schedule: Schedule, path: Path | None, reading: Reading, control: Control
    ) -> Accuracy | None:
        """The accuracy of the site model that made a schedule; None for other policies.

        Where the what-if changes the jobs, the log at `path` is read once more as it is. Raises Cancelled.
        """
        from engine.simulation.twin_accuracy import twin_accuracy

        site = schedule.policy.site
        if site is None:
            return None
        key = path, reading, schedule.policy
        own = not is_what_if(schedule.trace)
        if (
            not (own and schedule.cluster == machine_of(schedule.policy, schedule.trace.cluster))
            and key in self._known
        ):
            return self._known[key]
        if own or path is None:
            log = None
        else:
            log, _ = read_checked(path, control, None, Scaling(), reading)
        found = twin_accuracy(schedule, log, control) if own or log is not None else None
        while len(self._known) >= _MOST:
            self._known.pop(next(iter(self._known)), None)
        self._known[key] = found
        return found
