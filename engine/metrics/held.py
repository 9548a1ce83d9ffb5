"""Loss of capacity, but for jobs that something else than the queue kept from starting."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from engine.metrics.loss import Loss, loss_of_capacity
from engine.schedule.schedule import Schedule
from engine.trace.dependencies import NOBODY, predecessors

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]


def loss_but_for_holds(schedule: Schedule, jobs: Mask) -> Loss:
    """The loss of capacity over `jobs`, shape (n,): jobs ask for processors from their submission on, but
    would have fit only when they were not held, and what they follow had ended.
    """
    loss = loss_of_capacity(schedule, jobs)
    free = could_start(schedule)
    if loss.fit is None or not (jobs & (free > schedule.submit)).any():
        return loss
    came = np.minimum(free, schedule.start)
    # The first submission of all stays, from which the machine's time counts.
    first = np.flatnonzero(jobs)[np.argmin(schedule.submit[jobs])]
    came[first] = schedule.submit[first]
    later = loss_of_capacity(replace(schedule, came=came), jobs)
    return Loss(loss.demand, later.fit, later.fragmented)


def could_start(schedule: Schedule) -> Ints:
    """The time from which nothing but the queue kept each job from starting, (n,), s."""
    trace, policy = schedule.trace, schedule.policy
    free = np.array(schedule.submit)
    if policy.simulated and policy.site is None:  # real machines obey holds, and so does a site's model
        return free
    if trace.held is not None:
        free += trace.held
    if policy.simulated and not trace.dependencies:
        return free
    before = predecessors(trace)
    follows = (before != NOBODY) & schedule.ran[before]
    return np.where(follows, np.maximum(free, schedule.end[before]), free)
