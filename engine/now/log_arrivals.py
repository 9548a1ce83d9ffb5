"""The jobs that came in the last weeks before a time of a log, as they may come after it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from engine.arrays import Ints
from engine.machine.cluster import Cluster
from engine.now.log_queue import QueuedJobs
from engine.now.prediction import Coming, Past
from engine.now.used_parts import used_parts
from engine.trace import Trace

WEEKS = 8
"""Weeks before a time that jobs are taken of, at most."""

AHEAD_S = 3 * 86_400
"""s for which further jobs come; later ones hardly touch those that wait now."""

MOST_COMING = 2_000
"""Further jobs, at most; the first are taken, so that a replay stays short."""

_WEEK_S = 7 * 86_400


def weeks_before(submit: Ints, time: int, ahead: int = AHEAD_S) -> Iterator[tuple[int, int, int]]:
    """Where the same time of each earlier week begins, s, and the first and last of what came from there on.

    `submit`, (n,), ascends, and counts up to `time`: `ahead` s are looked at, a week at most, and MOST_COMING
    jobs. The latest week comes first; none where less than a week lies before the time.
    """
    for week in range(1, WEEKS + 1):
        begin = time - week * _WEEK_S
        if not len(submit) or begin < submit[0]:
            return
        first, last = np.searchsorted(submit, (begin, begin + ahead)).tolist()
        yield begin, first, min(last, first + MOST_COMING)


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
        arrivals = []
        for begin, first, last in weeks_before(self._submit, time):
            chosen = self._order[first:last]
            arrivals.append(
                Coming(
                    tuple(self._jobs.waiting(job, begin, None) for job in chosen.tolist()),
                    self._trace.submit[chosen] - begin,
                    np.maximum(self._trace.runtime[chosen], 1),
                )
            )
        return tuple(arrivals)


def past_of(machine: Cluster, trace: Trace | None, arrivals: bool) -> Past:
    """What a log says about jobs that come after its last submission; without a log, nothing.

    With `arrivals` these are those of its last weeks, or none where it is shorter than a week.
    """
    if trace is None:
        return Past()
    part = np.minimum(trace.runtime / np.maximum(trace.walltime, 1), 1.0)
    used = used_parts(part, trace.user.codes, trace.user.names)
    if not arrivals:
        return Past(used)
    return Past(used, LogArrivals(machine, trace).before(int(trace.submit.max(initial=0)) + 1))
