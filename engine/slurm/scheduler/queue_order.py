"""The order in which both schedulers try the jobs of the queue."""

from __future__ import annotations

import numpy as np

from engine.compiler.kernels import inner_kernel, kernel
from engine.slurm.scheduler.state import NOT_STARTED, Ints, SiteRun


@kernel
def sorted_queue(s: SiteRun) -> Ints:
    """Places in the queue as slurmctld sorts it: see `precedes`; equal jobs by submission."""
    waiting, width = s.state.waiting[0], 1
    order, other = np.arange(waiting), np.empty(waiting, np.int64)
    # Merge sort from runs of one job: equal jobs stay in order of submission.
    while width < waiting:
        for low in range(0, waiting, 2 * width):
            middle, high = min(low + width, waiting), min(low + 2 * width, waiting)
            left, right = low, middle
            for at in range(low, high):
                later = left >= middle
                if not later and right < high:
                    later = precedes(s, s.state.queue[order[right]], s.state.queue[order[left]])
                other[at] = order[right] if later else order[left]
                right, left = right + later, left + (not later)
        order, other = other, order
        width *= 2
    return order


@inner_kernel
def precedes(s: SiteRun, first: int, second: int) -> bool:
    """Whether a job goes before another one: it may preempt it, or runs in a reservation, or by tier, or by
    priority.
    """
    # As slurmctld's order of the queue: preemption, reservation, partition's tier, priority, in this order.
    p = s.preemption
    if len(p.kind):
        if p.beats[p.kind[first], p.kind[second]]:
            return True
        if p.beats[p.kind[second], p.kind[first]]:
            return False
    inside, other = s.jobs.inside[first] >= 0, s.jobs.inside[second] >= 0
    if inside != other:
        return bool(inside)
    tier = s.machine.tier[s.jobs.part[first]] - s.machine.tier[s.jobs.part[second]]
    if tier != 0:
        return bool(tier > 0)
    return bool(s.state.priority[first] > s.state.priority[second])


@kernel
def without_started(s: SiteRun, order: Ints) -> Ints:
    """Remove started jobs from the queue; returns the order of the others."""
    state, left = s.state, 0
    place = np.empty(len(order), np.int64)
    # The queue closes up; `place` says where each job of it has gone, -1 for started ones.
    for k in range(state.waiting[0]):
        job = state.queue[k]
        place[k] = left
        if state.start[job] == NOT_STARTED:
            state.queue[left] = job
            left += 1
        else:
            place[k] = -1
    state.waiting[0] = left
    # The order names places in the queue, which have moved: it is renamed, and stays sorted.
    kept, count = np.empty(left, np.int64), 0
    for k in range(len(order)):
        if place[order[k]] >= 0:
            kept[count] = place[order[k]]
            count += 1
    return kept
