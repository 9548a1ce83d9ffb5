"""Schedules judged and measured side by side: on the same jobs, by the same expectations."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Mask
from engine.fairness.violations import Violations, judge
from engine.filter import Expression, match_any
from engine.metrics.compare import jobs_in_common
from engine.metrics.phase_metrics import Ranges, ranges_of
from engine.metrics.summary import Value, summary
from engine.metrics.users import UserTable, per_user
from engine.policy.share import Share
from engine.quantities import Jobs
from engine.schedule.schedule import Schedule
from engine.simulation.control import thread_pool

if TYPE_CHECKING:
    from engine.slurm.scheduler.phases import PhaseSpread


@dataclass(frozen=True, eq=False)
class Evaluation:
    """A schedule with its violated expected end times and its metrics.

    `jobs`, shape (n,), are the measured jobs, `capacity`, (users, K), the users' shares. `extra` names the
    metrics that take a parameter. `auction` is the schedule that is 100 % for values, `penalty` weighs the
    use of several resources. Runs that were cut short count for the jobs in `losing`, shape (n,): of the same
    selection, with those that some run did not complete; None: the same as `jobs`.
    """

    schedule: Schedule
    capacity: NDArray[np.int64]
    violations: Violations
    users: UserTable
    jobs: Mask
    extra: tuple[str, ...] = ()
    auction: Schedule | None = None
    penalty: str = "max"
    losing: Mask | None = None
    _ranges: dict[PhaseSpread, Ranges] = field(default_factory=dict, init=False, repr=False)

    @cached_property
    def summary(self) -> dict[str, Value]:
        """All metrics, computed at the first access. Raises InputError as `summary` does."""
        return self.measured()

    def measured(self) -> dict[str, Value]:
        """All metrics, computed now. Raises InputError as `summary` does."""
        return self._summary(self.schedule, self.violations, self.jobs)

    def over_phases(self, spread: PhaseSpread | None) -> Ranges:
        """The least and the largest of each metric over the phases of this run of a site, by name.

        They are computed at the first call for a spread. Empty where the run is not repeated, or its
        schedules are not kept. Raises InputError as `summary` does.
        """
        if spread is None or not spread.schedules:
            return {}
        if spread not in self._ranges:
            self._ranges[spread] = self._over_phases(spread.schedules)
        return self._ranges[spread]

    def _over_phases(self, further: Sequence[Schedule]) -> Ranges:
        # All phases are measured on the same jobs: those that ran in each of them.
        jobs, by = self.jobs & jobs_in_common(further), self.violations
        same = np.array_equal(jobs, self.jobs)
        summaries = [self.summary if same else self._summary(self.schedule, by, jobs)]
        for schedule in further:
            judged = judge(schedule, self.capacity, by.half_life, by.gap, by.exact_last)
            summaries.append(self._summary(schedule, judged, jobs))
        return ranges_of(summaries)

    def _summary(self, schedule: Schedule, violations: Violations, jobs: Mask) -> dict[str, Value]:
        return summary(schedule, violations, jobs, self.extra, self.auction, self.penalty, self.losing)

    @property
    def has_summary(self) -> bool:
        """True if the metrics were computed before."""
        return "summary" in vars(self)


def evaluate(
    schedules: Sequence[Schedule],
    share: Share,
    reference: Schedule,
    measure: Mask | None = None,
    extra: Sequence[str] = (),
    only: Expression | None = None,
    known: Sequence[Evaluation] = (),
    penalty: str = "max",
    threads: int = 1,
) -> list[Evaluation]:
    """Compare schedules of a trace with expected ends, and measure them on the jobs that all of them ran.

    `reference` is the schedule that determines fair shares: they are parts of its machine, also for schedules
    on other machines. `measure`, shape (n,), restricts the metrics to some jobs, to cut warm-up and
    cool-down. `extra` names metrics that take a parameter, as for `summary`. `only` restricts the metrics to
    jobs that match it under at least one of the schedules, so that all are measured on the same jobs. `known`
    are earlier evaluations with the same share, reference, `extra` and `penalty`: unchanged parts of them are
    reused. So many `threads` judge at a time.
    """
    if not schedules:
        return []
    # Schedules are compared on the jobs that all of them ran; where losses are measured, jobs that some
    # schedule lost count too.
    jobs = jobs_in_common(schedules)
    losing = np.ones(len(jobs), np.bool_) if measure is None else np.array(measure)
    if measure is not None:
        jobs &= measure
    # The capacity of shares is the reference's, so that a user's expectation does not depend on the run.
    if known:
        capacity = known[0].capacity
    else:
        capacity = share.capacity(reference.trace, reference.cluster, reference)
    before = {
        id(evaluation.schedule): evaluation for evaluation in known
    }  # schedules are compared as objects: they are large
    # Expected ends are the longest part: those of schedules that were judged before are taken over.
    to_judge = [schedule for schedule in schedules if id(schedule) not in before]
    with thread_pool(threads) as pool:
        fresh = pool.map(
            lambda schedule: judge(schedule, capacity, share.half_life, share.gap, share.exact_last), to_judge
        )
        judged = [
            (schedule, before[id(schedule)].violations if id(schedule) in before else next(fresh))
            for schedule in schedules
        ]
    # A filter selects a job where it matches under any schedule, or each run would be measured on others.
    if only is not None:
        runs = [
            Jobs(measured.trace, measured, simulated.tardiness, eet=simulated.eet)
            for measured, simulated in judged
        ]
        matching = match_any(only, runs)
        jobs &= matching
        losing &= matching
    # Values are told in % of the auction's, where an auction is among the runs.
    auction = next((candidate for candidate in schedules if candidate.policy.order == "auction"), None)
    evaluations = []
    for schedule, violations in judged:
        evaluation = before.get(id(schedule))
        if evaluation is not None and evaluation.auction is auction and _covers(evaluation, jobs, losing):
            evaluations.append(evaluation)
            continue
        evaluations.append(
            Evaluation(
                schedule=schedule,
                capacity=capacity,
                violations=violations,
                users=per_user(schedule, violations, jobs, penalty),
                jobs=jobs,
                extra=tuple(extra),
                auction=auction,
                penalty=penalty,
                losing=losing,
            )
        )
    return evaluations


def summaries_of(evaluations: Sequence[Evaluation]) -> list[dict[str, Value]]:
    """The metrics of all evaluations, computed on all cores. Raises InputError as `summary` does."""
    missing = [evaluation for evaluation in evaluations if not evaluation.has_summary]
    if len(missing) > 1:
        # They are put in the place of the property's value: Python 3.11 has one lock for the property of all.
        with thread_pool(min(len(missing), os.cpu_count() or 1)) as pool:
            for evaluation, values in zip(missing, pool.map(Evaluation.measured, missing), strict=True):
                vars(evaluation)["summary"] = values
    return [evaluation.summary for evaluation in evaluations]


def _covers(evaluation: Evaluation, jobs: Mask, losing: Mask) -> bool:
    """True if an evaluation measures these jobs, and counts the lost runs of these."""
    return np.array_equal(evaluation.jobs, jobs) and (
        evaluation.losing is not None and np.array_equal(evaluation.losing, losing)
    )
