"""Two runs and all that is shown of their difference; worked out away from the GUI thread."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.quantities import Jobs
from engine.trace import Names, Trace
from views.data.results import Result, verdicts_of

if TYPE_CHECKING:
    from engine.fairness.violations import UserSteps
    from engine.metrics.difference import Difference, GroupChanges
    from engine.slurm.scheduler.verdicts import SiteVerdicts

TOO_FEW = "A difference needs two finished runs."
"""Text where the difference of two runs has nothing to show."""

ChangesBy = Literal["user", "account", "queue", "class", "hour", "weekday"]

CHANGES_BY: dict[ChangesBy, str] = {
    "user": "User",
    "account": "Account",
    "queue": "Queue",
    "class": "Size class",
    "hour": "Hour of the day",
    "weekday": "Day of the week",
}
"""Groupings of changes; hours and days are those of submissions."""

NONE = "None of the matching jobs ran in both runs"
"""The message if the runs have no job in common."""


@dataclass(frozen=True, eq=False)
class Comparison:
    """A comparison of a second run with a first run.

    It covers the measured jobs that both runs ran. `steps` are the second run's violated expected ends at
    each minute minus those of the first run, `first_steps`; None if either run has no expected ends.
    """

    first: Result
    second: Result
    difference: Difference
    steps: UserSteps | None
    first_steps: UserSteps | None

    @cached_property
    def jobs(self) -> Jobs:
        """All jobs as a filter sees them: as they fare under the second run."""
        return self.second.fared

    @property
    def trace(self) -> Trace:
        """The trace of both runs."""
        return self.second.schedule.trace

    def by(self, grouping: ChangesBy) -> Names:
        """The group of each job of the trace."""
        from engine.metrics.groups import GROUPINGS

        return GROUPINGS[grouping](self.trace)

    def changes(self, groups: Names) -> GroupChanges:
        """Hours of waiting that groups of jobs won and lost."""
        from engine.metrics.difference import group_changes

        return group_changes(groups, self.difference.jobs, self.difference.change)

    @property
    def count(self) -> int:
        """The number of compared jobs."""
        return int(self.difference.jobs.sum())

    @property
    def wait(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The wait of each compared job under either run, in s, shape (jobs,) each."""
        jobs = self.difference.jobs
        return self.first.schedule.wait[jobs], self.second.schedule.wait[jobs]


class RunPair(NamedTuple):
    """Two finished runs to compare."""

    first: Result
    second: Result


def compare(first: Result, second: Result) -> Comparison:
    """Compute the difference of two runs of the same trace."""
    from engine.metrics.difference import difference, steps_difference

    losing = None if first.losing is None or second.losing is None else first.losing & second.losing
    moved = difference(first.schedule, second.schedule, first.measured & second.measured, losing)
    before, after = (_steps(result, moved.jobs) for result in (first, second))
    both = None if before is None or after is None else steps_difference(before, after)
    return Comparison(first, second, moved, both, before if both is not None else None)


def _steps(result: Result, jobs: NDArray[np.bool_]) -> UserSteps | None:
    """The heatmap of a run, of the compared jobs."""
    from engine.fairness.violations import violation_steps

    violations = result.violations
    return None if violations is None else violation_steps(result.schedule, violations, jobs)


def answer(comparison: Comparison) -> str:
    """The main changes, in a sentence or two; of sites also what chance explains, and their verdict."""
    verdicts = verdicts_of([comparison.first, comparison.second])
    from engine.verdict.moved_claims import moved_text

    said = moved_text(comparison.difference, (comparison.first.name, comparison.second.name))
    return "\n".join([said, *belief_lines(verdicts, comparison.difference)])


def belief_lines(verdicts: SiteVerdicts, difference: Difference) -> list[str]:
    """Lines on how far the difference of two runs is to be believed; none where neither is of a site."""
    lines = [verdicts.change_line(0, 1, difference.jobs), *verdicts.sentences]
    return [f"{line}." for line in lines if line]
