"""What may run at once: counters of jobs and resources that limits bound, and nodes closed for a time."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.compiler.kernels import inner_kernel
from engine.site.state import Ints, Mask, SiteBounds, SiteClosures, SiteRun

UNBOUNDED = 1 << 60


class Bound(NamedTuple):
    """A limit of what runs at once: so many jobs, and so much of each resource, (K,)."""

    jobs: int
    amounts: tuple[int, ...]


def no_bounds(jobs: int, kinds: int) -> SiteBounds:
    """No limit at all."""
    return make_bounds([()] * jobs, [], np.zeros((jobs, kinds), np.int64))


def make_bounds(of_jobs: list[tuple[int, ...]], bounds: list[Bound], total: Ints) -> SiteBounds:
    """The numbers of the bounds of each job, and what each job takes of every resource, (n, K), as arrays."""
    kinds = total.shape[1]
    offset = np.concatenate(([0], np.cumsum([len(own) for own in of_jobs]))).astype(np.int64)
    most = np.array([bound.amounts for bound in bounds], np.int64).reshape(len(bounds), kinds)
    return SiteBounds(
        offset=offset,
        bound=np.array([number for own in of_jobs for number in own], np.int64),
        total=np.ascontiguousarray(total),
        most_jobs=np.array([bound.jobs for bound in bounds], np.int64),
        most=np.ascontiguousarray(most),
        run=np.zeros(len(bounds), np.int64),
        used=np.zeros((len(bounds), kinds), np.int64),
    )


def of_chosen(bounds: SiteBounds, chosen: Ints) -> SiteBounds:
    """The bounds of the chosen jobs alone."""
    sizes = np.diff(bounds.offset)[chosen]
    offset = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
    rows = np.repeat(bounds.offset[chosen] - offset[:-1], sizes) + np.arange(offset[-1])
    return bounds._replace(offset=offset, bound=bounds.bound[rows], total=bounds.total[chosen])


def make_closures(closed: list[tuple[int, int, Mask]]) -> SiteClosures:
    """Nodes, (N,), that are closed from a tick to another, as arrays in the order of their ends."""
    closed = sorted(closed, key=lambda one: (one[1], one[0]))
    nodes = [np.flatnonzero(mask) for _, _, mask in closed]
    return SiteClosures(
        first=np.array([first for first, _, _ in closed], np.int64),
        last=np.array([last for _, last, _ in closed], np.int64),
        offset=np.concatenate(([0], np.cumsum([len(one) for one in nodes]))).astype(np.int64),
        nodes=np.concatenate([np.zeros(0, np.int64), *nodes]).astype(np.int64),
    )


@inner_kernel
def allowed(s: SiteRun, job: int) -> bool:
    """Whether all bounds of a job leave room for it beside what runs."""
    bounds = s.bounds
    for row in range(bounds.offset[job], bounds.offset[job + 1]):
        number = bounds.bound[row]
        if bounds.run[number] >= bounds.most_jobs[number]:
            return False
        for k in range(bounds.total.shape[1]):
            if bounds.used[number, k] + bounds.total[job, k] > bounds.most[number, k]:
                return False
    return True


@inner_kernel
def count_towards(s: SiteRun, job: int, sign: int) -> None:
    """Count a job that starts (`sign` 1) or ends (-1) towards its bounds."""
    bounds = s.bounds
    for row in range(bounds.offset[job], bounds.offset[job + 1]):
        number = bounds.bound[row]
        bounds.run[number] += sign
        for k in range(bounds.total.shape[1]):
            bounds.used[number, k] += sign * bounds.total[job, k]


@inner_kernel
def shut_closed(s: SiteRun, job: int, now: int) -> None:
    """Take from the usable nodes those that are closed at some time while a job would run from now on."""
    closures = s.closures
    for at in range(len(closures.first)):
        if closures.last[at] > now and closures.first[at] <= now + s.jobs.limit[job]:
            for k in range(closures.offset[at], closures.offset[at + 1]):
                s.scratch.usable[closures.nodes[k]] = False
