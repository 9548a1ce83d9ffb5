"""The contents of the page of a site's twin, as plain values."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.schedule.schedule import Schedule

if TYPE_CHECKING:
    from engine.metrics.fit import SiteFit
    from engine.metrics.site_twin import SiteTwin
    from engine.metrics.twin import Nearness, Twin

TWIN_BY = {"queue": "Queue", "account": "Account", "size": "Size class", "week": "Week"}
"""How waits can be grouped, with titles."""


@dataclass(frozen=True, eq=False)
class TwinLook:
    """A site's schedule beside the one that the log recorded.

    `ticked` is the fit with estimates accepted that the schedule does not have yet.
    """

    answer: SiteTwin
    ticked: SiteFit | None = None

    @property
    def site(self) -> str:
        """The name of the site's files."""
        return str(self.answer.site.path)

    @property
    def schedule(self) -> Schedule:
        """The site's schedule, with what is accepted of a fit."""
        return self.answer.schedule

    @property
    def twin(self) -> Twin:
        """Its distance to the recorded schedule."""
        return self.answer.twin

    @property
    def fit(self) -> SiteFit | None:
        """What was fitted to the log's first half, as it is ticked."""
        return self.ticked or self.answer.fit

    @property
    def fit_verdict(self) -> str:
        """How near the rest of the log comes with the accepted estimates; empty while that is simulated."""
        return "" if self.ticked is not None else self.answer.fit_verdict

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
        groups = [group for group in self.twin.groups if group.by == by]
        return [self.twin.whole, *(groups if by == "week" else sorted(groups, key=lambda group: -group.jobs))]
