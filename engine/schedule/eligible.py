"""From when on nothing but the queue keeps a job from starting, as far as its log tells."""

from __future__ import annotations

import numpy as np

from engine.arrays import Ints
from engine.schedule.schedule import Schedule
from engine.trace.dependencies import NOBODY, predecessors


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


def wait_in_queue_from(schedule: Schedule) -> Ints:
    """The time from which each job waited for the queue alone, (n,), s: from its submission to its start."""
    return np.clip(could_start(schedule), schedule.submit, np.maximum(schedule.start, schedule.submit))
