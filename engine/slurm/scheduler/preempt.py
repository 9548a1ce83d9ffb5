"""Preemption by requeue or cancel: the running jobs that end for another job, as chosen by `cons_tres`.

Candidates are taken away by rank and number of nodes until the job fits. They are then sorted again, the last
of them first and the others by how many of the found nodes they are on, and taken away once more, so that
fewer jobs end: `preempt_reorder_count` is 1. Of those that were taken away, the ones on the chosen nodes end.
The job starts in a later pass, on what has come free, and preempts no others for the time `patience`. A job
with a grace runs on for that time, and until the next check of time limits or until another job would preempt
it once more.
"""

from __future__ import annotations

import numpy as np

from engine.compiler.kernels import inner_kernel
from engine.slurm.scheduler.places import end_sooner, next_check, place, take
from engine.slurm.scheduler.state import Ints, Mask, SitePreemption, SiteRun
from engine.slurm.scheduler.stops import record_stop

MOST_TIMES = 50
"""The most times that a job is preempted.

Jobs that start again before those that they were preempted for would otherwise be preempted for ever.
"""
WIDEST = 65_535
"""The most nodes that count when candidates are sorted."""

_LONG_AGO = -(1 << 60)


def no_preemption() -> SitePreemption:
    """Nobody is preempted."""
    none = np.zeros(0, np.int64)
    pairs = np.zeros((0, 2), np.int64)
    return SitePreemption(
        *(none, np.zeros((0, 0), np.bool_), np.zeros(0, np.bool_)),
        *(none, none, none, none, none, none, pairs),
    )


def make_preemption(kind: Ints, beats: Mask, requeues: Mask, grace: Ints, rank: Ints) -> SitePreemption:
    """The state of preemption before anything runs; the arguments are as in `SitePreemption`."""
    count = len(kind)
    return SitePreemption(
        kind=kind,
        beats=beats,
        requeues=requeues,
        grace=grace,
        rank=rank,
        by=np.full(count, -1, np.int64),
        until=np.zeros(count, np.int64),
        since=np.full(count, _LONG_AGO, np.int64),
        times=np.zeros(count, np.int64),
        candidates=np.zeros((count, 2), np.int64),
    )


@inner_kernel
def preempt(s: SiteRun, job: int, now: int) -> bool:
    """End running jobs for a job that does not fit on `s.scratch.usable`; returns whether any ends."""
    p, free = s.preemption, s.scratch.free
    # A job that has chosen candidates waits for their end before it chooses again.
    if len(p.kind) == 0 or now < p.since[job] + s.rules.patience:
        return False
    candidates = _candidates(s, job, now)
    if candidates == 0:
        return False
    taken, rows = _fit(s, job, candidates)
    # The first that fit may be more than are needed: those that free most of the chosen nodes come first now.
    if rows >= 0 and taken > 1:
        last = p.candidates[taken - 1, 0]
        for k in range(candidates):
            other = p.candidates[k, 0]
            # The last one, without which the job did not fit, stays first.
            p.candidates[k, 1] = -_shared(s, other, rows) - (1 << 40) * (other == last)
        _sort(p.candidates, candidates)
        taken, rows = _fit(s, job, candidates)
    # Each of them ends after its grace time, once; jobs off the chosen nodes go on.
    changed = False
    if rows >= 0:
        p.since[job] = now
        for k in range(taken):
            other = p.candidates[k, 0]
            if not _shared(s, other, rows):
                continue
            # A job is told to end once: its grace time does not begin again.
            if p.by[other] < 0:
                p.by[other] = job
                p.times[other] += 1
                p.until[other] = now + p.grace[other]
                if p.grace[other] > 0:
                    end_sooner(s, other, p.until[other], next_check(s, p.until[other]))
                    changed = True
            if now >= p.until[other]:
                end_sooner(s, other, now + 1, now + 1)
                changed = True
    # The scratch is left as it was found: what is free now.
    for node in range(free.shape[0]):
        for k in range(free.shape[1]):
            free[node, k] = s.state.free[node, k]
    return changed


@inner_kernel
def _candidates(s: SiteRun, job: int, now: int) -> int:
    """Write the running jobs that a job may preempt into `candidates`, by rank; how many."""
    p, count = s.preemption, 0
    for k in range(s.state.running[0]):
        other = s.state.line[k]
        if not p.beats[p.kind[job], p.kind[other]]:
            continue
        ends = p.by[other] >= 0  # with a grace it may be chosen again
        if (ends and p.grace[other] == 0) or (not ends and p.times[other] >= MOST_TIMES):
            continue
        if s.state.start[other] + s.rules.exempt > now:
            continue
        p.candidates[count, 0], p.candidates[count, 1] = other, p.rank[other] + _width(s, other)
        count += 1
    _sort(p.candidates, count)
    return count


@inner_kernel
def _width(s: SiteRun, job: int) -> int:
    """The number of nodes on which a job runs."""
    # A job of several groups may have several rows on one node, which counts once.
    nodes, begin = 0, s.state.first[job]
    for at in range(begin, begin + s.state.places[job]):
        again = False
        for before in range(begin, at):
            again = again or s.state.rows[before, 0] == s.state.rows[at, 0]
        nodes += not again
    return min(nodes, WIDEST)


@inner_kernel
def _sort(pairs: Ints, count: int) -> None:
    """Sort (job, key) by key, then job."""
    # Insertion sort: candidates are few, and equal keys must come in order of jobs.
    for k in range(1, count):
        job, key, at = pairs[k, 0], pairs[k, 1], k
        while at > 0 and (pairs[at - 1, 1] > key or (pairs[at - 1, 1] == key and pairs[at - 1, 0] > job)):
            pairs[at, 0], pairs[at, 1] = pairs[at - 1, 0], pairs[at - 1, 1]
            at -= 1
        pairs[at, 0], pairs[at, 1] = job, key


@inner_kernel
def _fit(s: SiteRun, job: int, count: int) -> tuple[int, int]:
    """Remove candidates until the job fits; returns their number, and the number of scratch rows or -1."""
    free, rows, taken = s.scratch.free, -1, 0
    # The trial frees nodes in a copy: nobody is ended before it is known that this helps.
    for node in range(free.shape[0]):
        for k in range(free.shape[1]):
            free[node, k] = s.state.free[node, k]
    while rows < 0 and taken < count:
        other = s.preemption.candidates[taken, 0]
        begin = s.state.first[other]
        for at in range(begin, begin + s.state.places[other]):
            take(s, free, s.state.rows, at, -1)
        taken += 1
        rows = place(s, job, free, s.scratch.usable)
    return taken, rows


@inner_kernel
def _shared(s: SiteRun, other: int, rows: int) -> int:
    """On how many of the nodes of the scratch rows a running job is."""
    nodes, begin = 0, s.state.first[other]
    for at in range(begin, begin + s.state.places[other]):
        again = False  # a node with several groups of the job counts once
        for before in range(begin, at):
            again = again or s.state.rows[before, 0] == s.state.rows[at, 0]
        there = False
        for k in range(rows):
            there = there or s.scratch.rows[k, 0] == s.state.rows[at, 0]
        nodes += there and not again
    return nodes


@inner_kernel
def ended_for_other(s: SiteRun, job: int, now: int) -> bool:
    """Note that a job has ended; returns whether it is requeued, because it was preempted."""
    p = s.preemption
    if len(p.kind) == 0 or p.by[job] < 0:
        return False
    by = p.by[job]
    if s.jobs.runtime[job] >= s.stops.runtime[job]:  # it would have ended by now
        p.by[job] = -1
        return False
    if not p.requeues[job]:  # it has ended for good, and `by` says for whom
        return False
    p.by[job] = -1  # the next run may be preempted again
    record_stop(s, job, now, by)
    return True
