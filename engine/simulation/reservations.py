"""Reservations: when each waiting job would start, and on nodes, where."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from engine.compiler.kernels import inner_kernel
from engine.compiler.packed import unchanging
from engine.simulation.machine_state import NEVER, MachineState, write_draft
from engine.simulation.profile import Profile, hold, release
from engine.simulation.workload import Ints, Workload

UNSET = -1


class Reservations(NamedTuple):
    """The reservations of waiting jobs; those of one pass are of `jobs[:size[0]]`.

    A job holds from `start` for `length` seconds, on nodes `row_count` of `rows` from
    `first` on. `latest` is how late a relaxed reservation may be held, once a job
    had one, and a search may put one that is kept.
    """

    jobs: Ints  # (n,)
    size: Ints  # (1,)
    start: Ints  # (n,) s; NEVER without a reservation
    length: Ints  # (n,) s
    latest: Ints  # (n,) s, or UNSET
    rows: Ints  # (room, 1 + K) node and amounts
    first: Ints  # (n,)
    row_count: Ints  # (n,)
    used: Ints  # (1,) rows
    most_pieces: Ints  # (n,) rows that the job can need; 0 on a pool
    waiting_pieces: Ints  # (1,) that all waiting jobs together can need


def make_reservations(work: Workload, kept: bool) -> Reservations:
    """No reservations, and room for them where they are `kept` at all; none yet in `rows`."""
    jobs, (nodes, kinds) = len(work.submit) if kept else 0, work.capacity.shape
    most = np.zeros(jobs, np.int64)
    if nodes > 1 and len(work.submit):
        most = np.add.reduceat(np.minimum(work.group_tasks, nodes), work.group_offset[:-1])
    return Reservations(
        jobs=np.zeros(jobs, np.int64),
        size=np.zeros(1, np.int64),
        start=np.full(jobs, NEVER, np.int64),
        length=np.zeros(jobs, np.int64),
        latest=np.full(jobs, UNSET, np.int64),
        rows=np.zeros((0, 1 + kinds), np.int64),
        first=np.zeros(jobs, np.int64),
        row_count=np.zeros(jobs, np.int64),
        used=np.zeros(1, np.int64),
        most_pieces=most,
        waiting_pieces=np.zeros(1, np.int64),
    )


@cache
def no_reservations(kinds: int) -> Reservations:
    """Those of a pool of which nothing is planned."""
    none, one = np.zeros(0, np.int64), np.zeros(1, np.int64)
    rows = np.zeros((0, 1 + kinds), np.int64)
    return unchanging(Reservations(none, one, none, none, none, rows, none, none, one, none, one))


@inner_kernel
def book(
    reservations: Reservations,
    profile: Profile,
    work: Workload,
    machine: MachineState,
    job: int,
    start: int,
    length: int,
) -> None:
    """Reserve from `start` on; on nodes where the draft says, in the rows from `first[job]` on."""
    if machine.free.shape[0] > 1:
        reservations.row_count[job] = write_draft(
            work, machine.draft, reservations.rows, reservations.first[job]
        )
    reservations.start[job] = start
    reservations.length[job] = length
    hold(
        profile,
        work.need,
        job,
        start,
        start + length,
        reservations.rows,
        reservations.first[job],
        reservations.row_count[job],
    )


@inner_kernel
def rebook(reservations: Reservations, profile: Profile, work: Workload, job: int) -> None:
    """Put a job whose reservation was taken back to where it was."""
    begin = reservations.start[job]
    hold(
        profile,
        work.need,
        job,
        begin,
        begin + reservations.length[job],
        reservations.rows,
        reservations.first[job],
        reservations.row_count[job],
    )


@inner_kernel
def unbook(reservations: Reservations, profile: Profile, work: Workload, job: int) -> None:
    """Take the job's reservation back."""
    begin = reservations.start[job]
    release(
        profile,
        work.need,
        job,
        begin,
        begin + reservations.length[job],
        reservations.rows,
        reservations.first[job],
        reservations.row_count[job],
    )


@inner_kernel
def clear_reservations(reservations: Reservations) -> None:
    """No listed job has a reservation any more."""
    for index in range(reservations.size[0]):
        reservations.start[reservations.jobs[index]] = NEVER
    reservations.size[0] = 0
    reservations.used[0] = 0


@inner_kernel
def list_reservation(reservations: Reservations, job: int) -> None:
    """Add the job to those that `forget_booked` forgets, with its own rows from the next free one on."""
    reservations.jobs[reservations.size[0]] = job
    reservations.size[0] += 1
    reservations.used[0] += reservations.row_count[job]
