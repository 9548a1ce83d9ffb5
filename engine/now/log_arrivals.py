"""The jobs that came in the last weeks before a time of a log, as they may come after it."""

from __future__ import annotations

import numpy as np

from engine.machine.cluster import Cluster
from engine.now.log_queue import QueuedJobs
from engine.now.prediction import Coming, Past
from engine.trace import Trace

WEEKS = 8
"""Weeks before a time that jobs are taken of, at most."""

AHEAD_S = 3 * 86_400
"""s for which further jobs come; later ones hardly touch those that wait now."""

MOST_COMING = 2_000
"""Further jobs, at most; the first are taken, so that a replay stays short."""

_WEEK_S = 7 * 86_400


class LogArrivals:
    """The submissions of a log on a machine: what came a week, two weeks ... before a time.

    Jobs come in the rhythm of days and weeks, so those of the same hours of earlier weeks are taken, whole
    weeks one by one rather than mixed: jobs of a user come together.
    """

    def __init__(self, machine: Cluster, trace: Trace) -> None:
        self._trace, self._jobs = trace, QueuedJobs(machine, trace)
        self._order = np.argsort(trace.submit, kind="stable")
        self._submit = trace.submit[self._order]

    def before(self, time: int) -> tuple[Coming, ...]:
        """What came in AHEAD_S from each time that lies whole weeks before `time`, s; the latest week first.

        Empty where less than a week of the log lies before it. Nothing of `time` or later is used.
        """
        found = []
        for week in range(1, WEEKS + 1):
            begin = time - week * _WEEK_S
            if begin < self._submit[0]:
                break
            first, last = np.searchsorted(self._submit, (begin, begin + AHEAD_S))
            chosen = self._order[first : min(last, first + MOST_COMING)]
            found.append(
                Coming(
                    tuple(self._jobs.waiting(job, begin, None) for job in chosen.tolist()),
                    self._trace.submit[chosen] - begin,
                    np.maximum(self._trace.runtime[chosen], 1),
                )
            )
        return tuple(found)


def past_of(machine: Cluster, trace: Trace | None, arrivals: bool) -> Past:
    """What a log says about jobs that come after its last submission; without a log, nothing.

    With `arrivals` these are those of its last weeks, or none where it is shorter than a week.
    """
    if trace is None:
        return Past()
    used = np.minimum(trace.runtime / np.maximum(trace.walltime, 1), 1.0)
    if not arrivals:
        return Past(used)
    return Past(used, LogArrivals(machine, trace).before(int(trace.submit.max(initial=0)) + 1))
