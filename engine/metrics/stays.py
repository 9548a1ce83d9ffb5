"""Waits and runs in sequence: jobs that failures stopped, and jobs that are added."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.arrays import Ints
from engine.schedule.schedule import Schedule
from engine.trace import Pieces

OUTAGE = -1
"""In the place of a job: a node that is down."""


class Stays(NamedTuple):
    """Rows, each a wait from `came` to `start` and a run until `end`, s, in order of `came`."""

    job: Ints  # (rows,) index into the trace, or OUTAGE
    came: Ints  # (rows,)
    start: Ints  # (rows,)
    end: Ints  # (rows,)
    procs: Ints  # (rows,)
    pieces: Pieces  # of each row: where it ran


def stays_of_jobs(schedule: Schedule, ran: Ints, added: bool = True) -> Stays:
    """The stays of some jobs, which the schedule runs; `ran` are their indices, ascending.

    With them are those of the jobs like these that the run's workload adds, unless `added` is false.
    """
    own = _own_stays(schedule, ran)
    chosen = np.flatnonzero(np.isin(schedule.added.job, ran)) if added and len(schedule.added) else ran[:0]
    if not len(chosen):
        return own
    more = schedule.added
    job = more.job[chosen]
    both = Stays(
        np.append(own.job, job),
        np.append(own.came, schedule.submit[job]),  # they come with the jobs that they are like
        np.append(own.start, more.start[chosen]),
        np.append(own.end, more.end[chosen]),
        np.append(own.procs, schedule.procs[job]),
        _joined(own.pieces, more.pieces.take(chosen)),
    )
    return _in_order(both)


def _own_stays(schedule: Schedule, ran: Ints) -> Stays:
    submit, procs = schedule.submit, schedule.procs
    own = np.flatnonzero(np.isin(schedule.stopped.job, ran)) if len(schedule.stopped) else ran[:0]
    if not len(own):
        if len(ran) == len(submit):  # nothing is copied where all jobs ran
            stays = Stays(ran, submit, schedule.start, schedule.end, procs, schedule.pieces)
        else:
            pieces = schedule.pieces.take(ran)
            stays = Stays(ran, submit[ran], schedule.start[ran], schedule.end[ran], procs[ran], pieces)
        return stays if schedule.came is None else _in_order(stays)
    stopped = schedule.stopped
    job = np.concatenate((ran, stopped.job[own]))
    start = np.concatenate((schedule.start[ran], stopped.start[own]))
    end = np.concatenate((schedule.end[ran], stopped.end[own]))
    pieces = _joined(schedule.pieces.take(ran), stopped.pieces.take(own))
    order = np.lexsort((start, job))
    job, start, end = job[order], start[order], end[order]
    again = np.concatenate(([False], job[1:] == job[:-1]))
    came = np.where(again, np.roll(end, 1), submit[job])
    return _in_order(Stays(job, came, start, end, procs[job], pieces.take(order)))


def with_outages(schedule: Schedule, stays: Stays) -> Stays:
    """The stays, and the outages of nodes during them as runs without a wait."""
    if not len(schedule.outages) or not len(stays.job):
        return stays
    # Only the time between the first submission and the last end counts: outages are cut to it.
    down = schedule.outages.clipped(int(stays.came.min()), int(stays.end.max()))
    whole = schedule.cluster.capacity()[down.node]
    # An outage takes everything that its node has.
    there = dict(zip(schedule.cluster.resources, whole.T, strict=True))
    none = np.zeros(len(down), np.int64)
    columns = {name: there.get(name, none) for name in stays.pieces.columns} | {"node": down.node}
    both = Stays(
        job=np.append(stays.job, np.full(len(down), OUTAGE)),
        came=np.append(stays.came, down.start),
        start=np.append(stays.start, down.start),
        end=np.append(stays.end, down.end),
        procs=np.append(stays.procs, whole[:, 0]),
        pieces=_joined(stays.pieces, Pieces(np.arange(len(down) + 1), columns)),
    )
    return _in_order(both)


def _joined(first: Pieces, second: Pieces) -> Pieces:
    offset = np.concatenate((first.offset, first.offset[-1] + second.offset[1:]))
    return Pieces(offset, {name: np.concatenate((first[name], second[name])) for name in first.columns})


def _in_order(stays: Stays) -> Stays:
    order = np.argsort(stays.came, kind="stable")
    job, came, start, end, procs, pieces = stays
    return Stays(job[order], came[order], start[order], end[order], procs[order], pieces.take(order))
