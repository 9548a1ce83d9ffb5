"""Limits on running jobs, resources, and resources times time, with their counters; and closed nodes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from engine.compiler.kernels import inner_kernel
from engine.schedule.site_limits import PARTS
from engine.slurm.scheduler.node_choice import different_nodes
from engine.slurm.scheduler.state import Ints, Mask, SiteBounds, SiteClosures, SiteRun

UNBOUNDED = 1 << 60


class RunningLimit(NamedTuple):
    """A limit of what runs at once: so many jobs, and so much of each resource, (K,).

    `spent`, (K,), limits resources times seconds of all that ever ran, empty where nothing does; `fades` says
    whether that is forgotten as usage is. `ahead`, (K,), limits what those that run may still take, likewise.
    """

    jobs: int
    amounts: tuple[int, ...]
    spent: tuple[int, ...] = ()
    fades: bool = True
    ahead: tuple[int, ...] = ()


def no_bounds(jobs: int, kinds: int) -> SiteBounds:
    """No limit at all."""
    return make_bounds([()] * jobs, [], np.zeros((jobs, kinds), np.int64))


def make_bounds(
    of_jobs: list[tuple[int, ...]],
    bounds: list[RunningLimit],
    total: Ints,
    ticks: int = 1,
    set_aside: Mask | None = None,
    counted: list[tuple[int, ...]] | None = None,
    by_node: int = -1,
) -> SiteBounds:
    """The bounds as arrays, given the numbers of each job's bounds and the amounts that it takes, (n, K).

    `ticks` is the number of ticks in a second, and `set_aside`, (K,), that of `SiteBounds`: all by default.
    `counted` are the numbers of bounds that each job counts towards without being held back by them, and
    `by_node` is the column of nodes among the amounts.
    """
    kinds = total.shape[1]
    timed = any(bound.spent or bound.ahead for bound in bounds)
    others = [()] * len(of_jobs) if counted is None else counted
    # A job's bounds that hold it come first, then those that it only counts towards.
    rows = [(*own, *more) for own, more in zip(of_jobs, others, strict=True)]
    offset = np.concatenate(([0], np.cumsum([len(own) for own in rows]))).astype(np.int64)
    most = np.array([bound.amounts for bound in bounds], np.int64).reshape(len(bounds), kinds)
    return SiteBounds(
        offset=offset,
        bound=np.array([number for own in rows for number in own], np.int64),
        holds=np.array(
            [k < len(own) for own, row in zip(of_jobs, rows, strict=True) for k in range(len(row))], np.bool_
        ),
        total=np.ascontiguousarray(total),
        by_node=np.full(1, by_node, np.int64),
        most_jobs=np.array([bound.jobs for bound in bounds], np.int64),
        most=np.ascontiguousarray(most),
        run=np.zeros(len(bounds), np.int64),
        used=np.zeros((len(bounds), kinds), np.int64),
        set_aside=np.ones(kinds, np.bool_) if set_aside is None else set_aside,
        **_spending(bounds if timed else [], kinds, ticks),
    )


def _spending(bounds: list[RunningLimit], kinds: int, ticks: int) -> dict[str, Any]:
    """The arrays of limits of resources times time; without rows if there are none."""
    # Bounds without a limit of this kind get one that nothing reaches, so that kernels need no test.
    none = (UNBOUNDED,) * kinds
    most = [[float(amount) * ticks for amount in bound.spent or none] for bound in bounds]
    ahead = [
        [amount if amount == UNBOUNDED else amount * ticks for amount in bound.ahead or none]
        for bound in bounds
    ]
    return {
        "most_ahead": np.array(ahead, np.int64).reshape(len(bounds), kinds),
        "most_spent": np.array(most, np.float64).reshape(len(bounds), kinds),
        "spent": np.zeros((len(bounds), kinds)),
        "ahead": np.zeros((len(bounds), kinds), np.int64),
        "fades": np.array([bound.fades for bound in bounds], np.bool_),
    }


def of_chosen(bounds: SiteBounds, chosen: Ints) -> SiteBounds:
    """The bounds of the chosen jobs alone."""
    sizes = np.diff(bounds.offset)[chosen]
    offset = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
    rows = np.repeat(bounds.offset[chosen] - offset[:-1], sizes) + np.arange(offset[-1])
    return bounds._replace(
        offset=offset, bound=bounds.bound[rows], holds=bounds.holds[rows], total=bounds.total[chosen]
    )


def make_closures(closed: list[tuple[int, int, Mask]]) -> SiteClosures:
    """The closures as arrays, in order of their ends, from (first tick, last tick, mask of nodes (N,))."""
    closed = sorted(closed, key=lambda closure: (closure[1], closure[0]))
    nodes = [np.flatnonzero(mask) for _, _, mask in closed]
    return SiteClosures(
        first=np.array([first for first, _, _ in closed], np.int64),
        last=np.array([last for _, last, _ in closed], np.int64),
        offset=np.concatenate(([0], np.cumsum([len(node) for node in nodes]))).astype(np.int64),
        nodes=np.concatenate([np.zeros(0, np.int64), *nodes]).astype(np.int64),
    )


@inner_kernel
def allowed(s: SiteRun, job: int) -> bool:
    """Whether a job may start now under all bounds that hold it back."""
    return bool(held_by(s, job) < 0)


@inner_kernel
def held_by(s: SiteRun, job: int) -> int:
    """The first bound that holds a job back now, and what of it, as `SiteLimits.held_by` reads it; or -1."""
    bounds = s.bounds
    # The first bound that is reached is the one that is named, as slurmctld names one reason alone.
    for row in range(bounds.offset[job], bounds.offset[job + 1]):
        if not bounds.holds[row]:
            continue
        number = bounds.bound[row]
        if bounds.run[number] >= bounds.most_jobs[number]:
            return int(number * PARTS)
        for k in range(bounds.total.shape[1]):
            if bounds.used[number, k] + bounds.total[job, k] > bounds.most[number, k]:
                return int(number * PARTS + 1 + k)
        # Minutes that may be used up (GrpTRESMins) are kept only where some limit of the site has them.
        if len(bounds.most_spent):
            part = _used_up(s, job, number)
            if part >= 0:
                return int(number * PARTS + part)
    return -1


@inner_kernel
def allowed_on(s: SiteRun, job: int, rows: int) -> bool:
    """Whether a job that is allowed may start on the nodes of the scratch rows: their number counts, too."""
    return bool(held_on(s, job, rows) < 0)


@inner_kernel
def held_on(s: SiteRun, job: int, rows: int) -> int:
    """The bound that keeps a job that is allowed from the nodes of the scratch rows, as `held_by`."""
    total, column = s.bounds.total, s.bounds.by_node[0]
    if column < 0:
        return -1
    # The limit counts nodes that differ, which are known only now that the job is placed.
    least, total[job, column] = total[job, column], different_nodes(s, rows)
    # No more than was tested before the placement.
    if total[job, column] <= least:
        return -1
    held = held_by(s, job)
    # The job does not start: its amount is what is known beforehand again.
    if held >= 0:
        total[job, column] = least
    return held


@inner_kernel
def _used_up(s: SiteRun, job: int, number: int) -> int:
    """The part of a bound of resources times time that has none left for a job or, if `safe`, not all that it
    may take; as `SiteLimits.held_by` counts them, or -1.
    """
    bounds, kinds = s.bounds, s.bounds.total.shape[1]
    for k in range(kinds):
        # A resource that the job does not take cannot be used up for it.
        if bounds.total[job, k] == 0:
            continue
        if bounds.spent[number, k] >= bounds.most_spent[number, k]:
            return int(1 + kinds + k)
        # What running jobs will still use up to their limits counts, too.
        taken = bounds.ahead[number, k] + bounds.total[job, k] * s.jobs.limit[job]
        if taken > bounds.most_ahead[number, k]:
            return int(1 + 2 * kinds + k)
        # With AccountingStorageEnforce=safe a job starts only if all that it may use is left.
        aside = s.rules.safe and bounds.set_aside[k]
        if aside and bounds.spent[number, k] + taken > bounds.most_spent[number, k]:
            return int(1 + kinds + k)
    return -1


@inner_kernel
def count_towards(s: SiteRun, job: int, sign: int) -> None:
    """Count a job that starts (`sign` 1) or ends (-1) towards its bounds."""
    bounds = s.bounds
    for row in range(bounds.offset[job], bounds.offset[job + 1]):
        number = bounds.bound[row]
        bounds.run[number] += sign
        for k in range(bounds.total.shape[1]):
            bounds.used[number, k] += sign * bounds.total[job, k]
        if len(bounds.ahead):
            # Only what the job has not been charged for yet is still ahead of it.
            left = s.state.start[job] + s.jobs.limit[job] - s.state.charged[job]
            for k in range(bounds.total.shape[1]):
                bounds.ahead[number, k] += sign * bounds.total[job, k] * left


@inner_kernel
def spend(s: SiteRun, job: int, ticks: int) -> None:
    """Count `ticks` of a job's runtime towards its limits of resources times time."""
    bounds = s.bounds
    if len(bounds.spent) == 0:
        return
    for row in range(bounds.offset[job], bounds.offset[job + 1]):
        number = bounds.bound[row]
        for k in range(bounds.total.shape[1]):
            # What was ahead is spent now.
            bounds.spent[number, k] += float(bounds.total[job, k] * ticks)
            bounds.ahead[number, k] -= bounds.total[job, k] * ticks


@inner_kernel
def fade_spent(s: SiteRun, factor: float) -> None:
    """Decay what is spent by a factor, for bounds that decay like usage."""
    for number in range(len(s.bounds.spent)):
        if s.bounds.fades[number]:
            for k in range(s.bounds.spent.shape[1]):
                s.bounds.spent[number, k] *= factor


@inner_kernel
def will_fade(s: SiteRun) -> bool:
    """Whether anything spent can still decay, so that a limit may allow more later."""
    if s.weights.half_life <= 0:
        return False
    for number in range(len(s.bounds.spent)):
        for k in range(s.bounds.spent.shape[1]):
            # A spent amount below one unit is as good as nothing, and its decay allows no more.
            bounded = s.bounds.most_spent[number, k] < UNBOUNDED
            if bounded and s.bounds.fades[number] and s.bounds.spent[number, k] >= 1.0:
                return True
    return False


@inner_kernel
def in_time(s: SiteRun, job: int, start: int) -> bool:
    """Whether a job that starts at `start` does so during its reservation, if it has one.

    Its time limit may end later: slurmctld then ends the job with the reservation.
    """
    inside = s.jobs.inside[job]
    if inside < 0:
        return True
    return bool(s.closures.first[inside] <= start < s.closures.last[inside])


@inner_kernel
def shut_closed(s: SiteRun, job: int, now: int) -> None:
    """Take from the usable nodes those that are closed at some time while a job would run from now on."""
    closures = s.closures
    for at in range(len(closures.first)):
        if closes(s, job, at, now):
            for k in range(closures.offset[at], closures.offset[at + 1]):
                s.scratch.usable[closures.nodes[k]] = False


@inner_kernel
def closes(s: SiteRun, job: int, at: int, now: int) -> bool:
    """Whether a closure is in the way of a job which would start now: any but that of its own reservation."""
    closures = s.closures
    if at == s.jobs.inside[job]:
        return False
    return bool(closures.last[at] > now and closures.first[at] <= now + s.jobs.limit[job])
