"""Dependencies of jobs: jobs that are submitted after the end of others, and traces as they were submitted.

If a trace's `dependencies` are on, a job with a preceding job in the trace is submitted its think time after
the end of that job in the schedule (fields 17 and 18 of the Standard Workload Format): users react to the
machine, as in a closed loop (Feitelson 2014, Workload Modeling, section 8.4). All other jobs are submitted at
the times in the log.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

import numpy as np

from engine.arrays import Ints
from engine.trace.trace import MISSING, Note, Trace

NOBODY = -1
"""Stands for the preceding job's index of a job that follows none."""

_TASKS = 1 << 62
"""The least number of an array's task, larger than the number of any job."""

_ID = re.compile(r"(\d{1,15})|(\d{1,9})_(\d{1,8})", re.ASCII)


def predecessors(trace: Trace) -> Ints:
    """The job that precedes each job, an index into the trace, shape (n,), or NOBODY.

    Where users react, it is the job that the user's habit names. Else, of several jobs with the number in the
    log, it is the last before the job; jobs that are not before the job, or not in the trace, do not count.
    """
    if trace.follows is not None:
        return trace.follows
    jobs = np.arange(len(trace))
    follows = np.full(len(trace), NOBODY, np.int64)
    asking = np.flatnonzero(trace.preceding > 0)
    if not len(asking):
        return follows
    number = _numbers(trace)
    order = np.lexsort((jobs, number))
    # The position after the last entry (number, job) before (preceding, job).
    known, code = np.unique(number, return_inverse=True)
    place = np.searchsorted(known, trace.preceding[asking])
    held = known[np.minimum(place, len(known) - 1)] == trace.preceding[asking]
    asking, place = asking[held], place[held]
    line = code[order] * len(trace) + order
    at = np.searchsorted(line, place * len(trace) + asking) - 1
    found = (at >= 0) & (code[order[np.maximum(at, 0)]] == place)
    follows[asking[found]] = order[at[found]]
    return follows


def think_times(trace: Trace) -> Ints:
    """Seconds from the end of the preceding job to the submission of each job, shape (n,); missing times are
    0.
    """
    return np.maximum(trace.think_time, 0)


def workflows(trace: Trace) -> Ints:
    """The first job in the chain of preceding jobs of each job, shape (n,), which identifies its workflow."""
    follows = predecessors(trace)
    first = np.where(follows == NOBODY, np.arange(len(trace)), follows)
    while True:
        further = first[first]
        if np.array_equal(further, first):
            return np.asarray(first, np.int64)
        first = further


def following(trace: Trace) -> Trace:
    """The same trace with its dependencies on, if any job has a preceding job; its notes count them.

    Its name includes that, because all its schedules except the recorded schedule differ.
    """
    follows = predecessors(trace)
    many = int(np.count_nonzero(follows != NOBODY))
    unknown = int(np.count_nonzero(trace.preceding > 0)) - many
    return replace(trace, name=f"{trace.name}, dependencies on", dependencies=True).with_notes(
        Note(
            "follow", "submitted at the end of the job that they follow and their think time after it", many
        ),
        Note("follow_unknown", "follow a job that is not in front of them: submitted as logged", unknown),
    )


@dataclass(frozen=True, eq=False)
class AsSubmitted:
    """A trace whose jobs were submitted at other times, as a trace without dependencies, sorted by time.

    Job k of `trace` is job `job[k]` of the original trace.
    """

    trace: Trace
    job: Ints

    def back(self, values: Ints) -> Ints:
        """A column of this trace, shape (n,), in the order of the original trace."""
        there = np.empty_like(values)
        there[self.job] = values
        return there


def as_submitted(trace: Trace, submit: Ints) -> AsSubmitted:
    """The trace as it was submitted at these times, shape (n,), s."""
    order = np.argsort(submit, kind="stable")
    shown = replace(
        trace.take(order), submit=np.array(submit[order]), dependencies=False, came=None, follows=None
    )
    return AsSubmitted(shown, order)


def job_number(job_id: str) -> int:
    """The number by which other jobs refer to a job; for a task of an array (`12_7`) a unique number.

    MISSING for other ids.
    """
    match = _ID.fullmatch(job_id)
    if match is None:
        return MISSING
    if match[1] is not None:
        return int(match[1])
    return _TASKS + (int(match[3]) << 30) + int(match[2])


def _numbers(trace: Trace) -> Ints:
    """The jobs' own numbers, shape (n,); for jobs without one a number that no job refers to."""
    if np.issubdtype(trace.job_id.dtype, np.integer):
        return np.asarray(trace.job_id, np.int64)
    return np.fromiter(map(job_number, map(str, trace.job_id)), np.int64, len(trace))
