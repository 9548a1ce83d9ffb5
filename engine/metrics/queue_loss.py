"""Loss of capacity, but for jobs that something else than the queue kept from starting."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from engine.metrics.loss import Loss, loss_of_capacity
from engine.schedule.eligible import could_start
from engine.schedule.schedule import Schedule

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
