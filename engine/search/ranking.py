"""The ranks of policies on a log, on the span where they may be tuned and on the one that is kept from that.

The spans are those of a search: the first two thirds of the log's time, and the rest, each simulated from an
empty machine and measured without its first tenth. A rank has bounds as in Mogstad, Romano, Shaikh & Wilhelm
2024 (Review of Economic Studies 91, 476-518): a policy comes behind those that are shown to be better, and
before those that are shown to be worse. Each pair is compared on the same weeks, by the 95 % interval of the
ratio of both means (`interval.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.errors import InputError
from engine.metrics.compare import jobs_in_common
from engine.metrics.summary import summary
from engine.policy.policy import Policy
from engine.reading.log import Log
from engine.run_source import schedules_of
from engine.schedule.responses import bounded_slowdown
from engine.schedule.schedule import Schedule
from engine.search.answer import Advantage
from engine.search.interval import FEWEST
from engine.search.search import split
from engine.search.span import WARM_UP
from engine.search.weeks import WEEK, weekly_change
from engine.simulation.control import Control
from engine.simulation.stages import Stages
from engine.trace import Trace
from engine.trace.scale import offered_load

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


def _waits(schedule: Schedule) -> Floats:
    return schedule.wait.astype(np.float64)


RANKED_BY: dict[str, Callable[[Schedule], Floats]] = {
    "bounded_slowdown_mean": bounded_slowdown,
    "wait_mean": _waits,
}
"""The metrics that policies can be ranked by, the smallest first: means of a value of each job."""

SHOWN = ("bounded_slowdown_mean", "wait_mean", "wait_max", "psf2")
"""The metrics that stand beside ranks."""


@dataclass(frozen=True)
class Standing:
    """A policy among others on a span: its metrics over jobs, its rank by the mean over weeks from 1, and the
    change of that mean against the baseline.

    The true rank is from `best` to `worst` where every pair is as shown; both are None where weeks are too
    few for any interval. Equal means share the better rank.
    """

    policy: Policy
    metrics: dict[str, float | None]
    rank: int
    best: int | None
    worst: int | None
    change: Advantage | None


@dataclass(frozen=True)
class RankedSpan:
    """The policies on a part of a log's time, in the order in which they were given.

    `jobs` are measured, of `weeks` by submission; `load` is the offered load of the part, as a share of the
    machine, None where it cannot be told.
    """

    jobs: int
    weeks: int
    load: float | None
    standings: tuple[Standing, ...]


@dataclass(frozen=True, eq=False)
class RankedLog:
    """The policies on both spans of a log: the one to tune them on (`train`), and the rest (`test`)."""

    log: Log
    train: RankedSpan
    test: RankedSpan


def with_baseline(policies: Sequence[Policy], baseline: Policy) -> list[Policy]:
    """The policies to rank, each once though it may be named twice, and the baseline though it may not be."""
    chosen = list(dict.fromkeys(policies))
    return chosen if baseline in chosen else [baseline, *chosen]


def rank_on(
    log: Log,
    policies: Sequence[Policy],
    baseline: Policy,
    by: str = "bounded_slowdown_mean",
    *,
    control: Control | None = None,
    report: Callable[[float], object] = lambda done: None,
) -> RankedLog:
    """Rank policies on both spans of a log, by a metric of RANKED_BY, against a `baseline` among them.

    `report` is called with the finished part, 0 to 1. Raises Cancelled, and InputError where a span has too
    few jobs or a policy does not fit the log.
    """
    if by not in RANKED_BY:
        raise InputError(f"policies are ranked by {' or '.join(RANKED_BY)}, not by {by}")
    control = control or Control()
    spans = []
    for part in split(log.trace):
        spans.append(_ranked(log, part, policies, policies.index(baseline), by, control))
        report(len(spans) / 2)
    return RankedLog(log, *spans)


def _ranked(
    log: Log, part: Trace, policies: Sequence[Policy], base: int, by: str, control: Control
) -> RankedSpan:
    """The policies on a part of a log. Raises Cancelled, InputError."""
    runs = [(log.machine(policy), policy) for policy in policies]
    schedules = schedules_of(part, runs, stages=Stages(control, len(runs)))
    begin, end = int(part.submit[0]), int(part.submit[-1])
    # Policies that refuse jobs leave unlike jobs: all are measured on those that every policy ran.
    jobs = jobs_in_common(schedules) & (part.submit >= begin + int(WARM_UP * (end - begin)))
    if not jobs.any():
        raise InputError(f"{part.name}: no job of a span was run by all of these policies")
    table = _weekly_means(schedules, jobs, by)
    metrics = [_metrics(schedule, jobs, by) for schedule in schedules]
    # Ranks are of what their bounds are of, the mean over weeks: with that over jobs, which papers print and
    # which stands beside it, a rank could lie outside its bounds.
    means = table.mean(axis=1)
    changes = [None if place == base else weekly_change(row, table[base]) for place, row in enumerate(table)]
    bounds = list(_rank_bounds(table))
    standings = tuple(
        Standing(policy, metrics[k], 1 + int((means < means[k]).sum()), *bounds[k], changes[k])
        for k, policy in enumerate(policies)
    )
    return RankedSpan(int(jobs.sum()), table.shape[1], offered_load(part, log.cluster.cpus), standings)


def _metrics(schedule: Schedule, jobs: Mask, by: str) -> dict[str, float | None]:
    known = summary(schedule, jobs=jobs)
    return {name: known[name] for name in dict.fromkeys((by, *SHOWN))}


def _weekly_means(schedules: Sequence[Schedule], jobs: Mask, by: str) -> Floats:
    """The mean over the jobs of each week, shape (policies, weeks); weeks without a job are left out."""
    submit = schedules[0].trace.submit[jobs]
    week = (submit - int(submit.min())) // WEEK
    jobs_of_week = np.bincount(week)
    there = jobs_of_week > 0
    return np.array(
        [
            np.bincount(week, RANKED_BY[by](schedule)[jobs])[there] / jobs_of_week[there]
            for schedule in schedules
        ]
    )


def _rank_bounds(table: Floats) -> Iterator[tuple[int | None, int | None]]:
    """The best and the worst rank of each policy, from its values by week, shape (policies, weeks)."""
    policies, weeks = table.shape
    if weeks < FEWEST:
        yield from [(None, None)] * policies
        return
    sides = np.zeros((policies, policies), np.int64)
    for one in range(policies):
        for other in range(one):
            advantage = weekly_change(table[one], table[other])
            # A pair is compared once: an interval need not turn with its ratio, and none may win both ways.
            side = 0 if advantage is None else advantage.side
            sides[one, other], sides[other, one] = side, -side
    for row in sides:
        yield 1 + int((row > 0).sum()), policies - int((row < 0).sum())
