"""The data that charts and tables show of a study: its finished runs, each with its metrics."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engine.metrics.catalog import METRICS
from engine.metrics.metric import Metric
from engine.metrics.metric_names import parse_metric
from engine.policy.baseline import baseline_place
from engine.quantities import Jobs, Missing
from engine.schedule.schedule import Schedule
from engine.shown_text import escaped
from engine.study import numbered, run_name
from views.theme.palette import run_colour

if TYPE_CHECKING:
    from engine.fairness.violations import Violations
    from engine.metrics.phase_metrics import Ranges
    from engine.metrics.users import UserTable
    from engine.schedule.processors import Boxes
    from engine.slurm.scheduler.phases import PhaseSpread
    from engine.slurm.scheduler.verdicts import RunVerdict, SiteVerdicts


NO_JOBS = "No job to compare: none matches the filter or the limit of metrics"
"""The message where no job of the runs is measured."""


@dataclass(frozen=True, eq=False)
class Result:
    """A finished run: its schedule, judged and measured.

    `measure` gives the `summary`, and `users` has one row per user, over the `jobs`
    that were measured, shape (n,): with None all that were run. `violations` is None where no
    expected end times are computed, `boxes` where no processors were given. `ghost` is the run as
    it was before its policy was explored. `title` is the name that a reader gave the run, if any, and
    `label` the short one of a run of a site; `number` is above 1 if earlier runs have the same name.
    `verdict` says how far a run of a site is to be believed. `over_phases` gives the ranges of metrics over
    phases of such a run. `losing`, shape (n,), are the jobs whose losses to failures count. `of_groups` keeps
    what was worked out of users, queues...
    """

    run_id: int
    schedule: Schedule
    measure: Callable[[], Mapping[str, float | int | None]]
    users: UserTable
    violations: Violations | None = None
    jobs: NDArray[np.bool_] | None = None
    boxes: Boxes | None = None
    ghost: Result | None = None
    title: str = ""
    label: str = ""
    number: int = 1
    verdict: RunVerdict | None = None
    losing: NDArray[np.bool_] | None = None
    over_phases: Callable[[PhaseSpread | None], Ranges] = lambda _: {}
    of_groups: dict[Hashable, NDArray[np.float64] | Missing] = field(
        default_factory=dict, init=False, repr=False
    )

    @property
    def alone(self) -> Result:
        """The same without the run that it is compared with, and with what was worked out of it."""
        return self if self.ghost is None else self._with(ghost=None)

    def called(self, title: str, label: str, number: int = 1) -> Result:
        """The same under another title, label and number."""
        same = (title, label, number) == (self.title, self.label, self.number)
        return self if same else self._with(title=title, label=label, number=number)

    def judged(self, verdict: RunVerdict | None) -> Result:
        """The same with another verdict."""
        return self if verdict == self.verdict else self._with(verdict=verdict)

    def _with(self, **changes: Any) -> Result:
        changed = replace(self, **changes)
        changed.of_groups.update(self.of_groups)
        return changed

    @property
    def summary(self) -> Mapping[str, float | int | None]:
        """A value, or None, by metric name; a thread works them out after what is drawn."""
        return self.measure()

    @property
    def ranges(self) -> Ranges:
        """The range of each metric over the phases of a site's run, by name; worked out as the summary is."""
        return self.over_phases(self.spread)

    @property
    def spread(self) -> PhaseSpread | None:
        """A site's run over phases of slurmctld's loops; None where it is not repeated."""
        return None if self.verdict is None else self.verdict.spread

    @property
    def fared(self) -> Jobs:
        """The jobs as they fared, from which quantities are worked out."""
        if self.violations is None:
            return Jobs(self.schedule.trace, self.schedule)
        return Jobs(self.schedule.trace, self.schedule, self.violations.tardiness, eet=self.violations.eet)

    @property
    def measured(self) -> NDArray[np.bool_]:
        """The jobs that metrics are taken of, shape (n,)."""
        return self.schedule.ran if self.jobs is None else self.jobs

    @property
    def name(self) -> str:
        """The run's title, else its policy as legends spell it, and a machine that is not the log's own."""
        return numbered(escaped(self.title or self.label or self.spelling), self.number)

    @property
    def own_name(self) -> str:
        """The name as it was given, for files that programs read."""
        return numbered(self.title or self.spelling, self.number)

    @property
    def believed(self) -> str:
        """How near the site comes to its log, in a few words; empty for other policies."""
        return self.verdict.brief if self.verdict is not None else ""

    @property
    def description(self) -> str:
        """The name for readers without the window: a title with the policy that it abbreviates."""
        called = self.title or self.label
        return f"{numbered(called, self.number)} = {self.spelling}" if called else self.own_name

    @property
    def spelling(self) -> str:
        """The policy, and the machine where it is not the log's own."""
        return run_name(self.schedule.policy, self.schedule.cluster, self.schedule.trace.cluster)

    @property
    def colour(self) -> str:
        """The run's colour, `#rrggbb`, in every chart."""
        return run_colour(self.run_id)


def verdicts_of(results: Sequence[Result]) -> SiteVerdicts:
    """How far the runs of sites among these are to be believed."""
    from engine.slurm.scheduler.verdicts import SiteVerdicts

    return SiteVerdicts(
        tuple(result.name for result in results),
        tuple(result.schedule for result in results),
        tuple(result.verdict for result in results),
    )


def place_of_baseline(results: Sequence[Result], *chosen: int | None) -> int:
    """The place of the run that others are compared with: the first of the `chosen` ids that is there, else
    the usual one's; 0 without runs.
    """
    ids = [result.run_id for result in results]
    return baseline_place(ids, [result.schedule.policy for result in results], *chosen)


def has_jobs(results: Sequence[Result]) -> bool:
    """True if any job of these runs is measured."""
    return any(result.measured.any() for result in results)


def further_metrics(results: Sequence[Result]) -> list[Metric]:
    """The metrics of these runs beside those of the catalogue: a user's own, and those with a parameter."""
    names = dict.fromkeys(name for result in results for name in result.summary if name not in METRICS)
    return [parse_metric(name) for name in names]
