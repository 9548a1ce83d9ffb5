"""Queue depth: the total wait so far of all waiting jobs (Tang et al. 2013, section 4.2)."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

import numpy as np

from engine.arrays import Floats, Ints
from engine.metrics.stays import stays_of_jobs
from engine.schedule.schedule import Schedule

MINUTE = 60


@dataclass(frozen=True, eq=False)
class QueueDepth:
    """The depth at every moment: `value[i]` minutes at `time[i]` (s), and `slope[i]` more each second.

    All of shape (m,); times ascend strictly. Before the first the depth is 0, and after the last.
    """

    time: Ints
    value: Floats
    slope: Floats

    def at(self, time: float) -> float:
        """The depth at a time, s; at a start without the job that starts."""
        index = bisect_right(self.time, time) - 1
        if index < 0:
            return 0.0
        return float(self.value[index] + self.slope[index] * (time - self.time[index]))


def queue_depth(schedule: Schedule) -> QueueDepth:
    """The queue depth over the whole schedule, of the jobs that it runs.

    A job that a failure stopped starts a new wait then, from 0.
    """
    stays = stays_of_jobs(schedule, np.flatnonzero(schedule.ran))
    waits = stays.start > stays.came
    submit, start = stays.came[waits], stays.start[waits]
    order = np.argsort(start, kind="stable")
    start = start[order]
    time = np.sort(np.concatenate((submit, start)), kind="stable")  # merges two sorted runs
    time = time[np.append(time[1:] != time[:-1], True)[: len(time)]]
    # Columns are used again in place and let go as early as they can be: they are long.
    came, began = np.searchsorted(submit, time, "right"), np.searchsorted(start, time, "right")
    del start
    seconds = _sums(submit[order])[began]
    del order
    seconds -= _sums(submit)[came]
    del submit
    came -= began
    del began
    seconds += came * time
    return QueueDepth(time, seconds / MINUTE, came / MINUTE)


def mean_queue_depth(wait: Ints, span: int) -> float | None:
    """The time-average over `span` seconds, in minutes; None where there is no span.

    A wait Q adds Q^2 / 2 to the area under the depth; `wait` has an entry for each wait, s.
    """
    if span <= 0:
        return None
    return float((wait.astype(np.float64) ** 2).sum()) / (2 * span * MINUTE)


def max_queue_depth(submit: Ints, start: Ints) -> float | None:
    """The deepest the queue ever is, in minutes; None without jobs. `submit` ascends, in seconds.

    The depth only falls when a job starts, so it is deepest just before a start.
    """
    if len(submit) == 0:
        return None
    # The depth before a start at time t is the number of waiting jobs times t, less the sum of their
    # submissions: both are differences of sums over all submissions and all starts.
    order = np.argsort(start, kind="stable")
    moment = start[order]
    began = np.searchsorted(moment, moment, "left")
    seconds = _sums(submit[order])[began]
    del order
    # Jobs that come in the second of the start count as waiting, with a wait of 0.
    came = np.searchsorted(submit, moment, "right")
    seconds -= _sums(submit)[came]
    # Number of waiting jobs: those that came, less those that had started before. Arrays are used again in
    # place, since logs may have many millions of jobs.
    came -= began
    del began
    came *= moment
    seconds += came
    return float(seconds.max()) / MINUTE


def _sums(values: Ints) -> Ints:
    """Sums of the first 0, 1, ... n values."""
    return np.concatenate(([0], np.cumsum(values)))
