"""The contents of the page of a site's twin, as plain values."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.schedule.schedule import Schedule

if TYPE_CHECKING:
    from engine.metrics.fit import Fit
    from engine.metrics.twin import Nearness, Twin

TWIN_BY = {"queue": "Queue", "account": "Account", "size": "Size class", "week": "Week"}
"""How waits can be grouped, with titles."""


@dataclass(frozen=True, eq=False)
class TwinLook:
    """A site's schedule beside the one that the log recorded.

    `site` names its files, `cycle` is that of its backfiller in s, `left_out` says what of the files is not
    simulated. `fit` is what was fitted to the log's first half, of which the schedule has the accepted
    estimates, and `fit_verdict` says how near the rest of the log comes with them; empty while that is
    simulated.
    """

    site: str
    schedule: Schedule
    twin: Twin
    cycle: int
    left_out: tuple[str, ...]
    fit: Fit | None = None
    fit_verdict: str = ""

    @property
    def groupings(self) -> dict[str, str]:
        """How waits of this log can be grouped, with titles: by week only if it is a week long."""
        return {by: title for by, title in TWIN_BY.items() if by != "week" or self.twin.weeks}

    @cached_property
    def jobs(self) -> NDArray[np.int64]:
        """The jobs that ran both by the log and in the simulation, as entries of the trace."""
        return np.flatnonzero(self.schedule.ran & (self.schedule.trace.wait >= 0))

    def groups(self, by: str) -> list[Nearness]:
        """All jobs, then the groups: weeks in their order, others with the most jobs first."""
        own = [group for group in self.twin.groups if group.by == by]
        return [self.twin.whole, *(own if by == "week" else sorted(own, key=lambda group: -group.jobs))]
