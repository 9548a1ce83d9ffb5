"""Reservations: the planned start of each waiting job and, on a machine of nodes, its planned nodes."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from engine.compiler.kernels import inner_kernel
from engine.compiler.packed_tuples import unchanging
from engine.simulation.machine_state import NEVER, MachineState, write_draft
from engine.simulation.placement import AMOUNTS
from engine.simulation.profile.lines import hold, release
from engine.simulation.profile.state import Profile
from engine.simulation.workload import Ints, Workload

UNSET = -1


class Reservations(NamedTuple):
    """The reservations of waiting jobs, of n jobs and K resources.

    Job j holds its resources from `start[j]` for `length[j]`; on a machine of nodes it holds the rows
    `first[j]:first[j] + row_count[j]` of `rows`. Reservations that are made anew at each pass are listed in
    `jobs[:size[0]]`, so that they can be cleared without a look at all jobs.
    """

    jobs: Ints  # (n,) jobs with a reservation of the current pass
    size: Ints  # (1,) number of these
    start: Ints  # (n,) s; NEVER without a reservation
    length: Ints  # (n,) s, time for which the reservation holds
    latest: Ints  # (n,) s, or UNSET: the latest start of a relaxed reservation, or that a search may plan
    since: Ints  # (n,) stamp of the profile when this start was last known to be the earliest
    rows: Ints  # (room, AMOUNTS + K) nodes, and the amounts that are reserved on each of them
    first: Ints  # (n,) the job's first row in `rows`
    row_count: Ints  # (n,) number of rows that the job's reservation takes
    used: Ints  # (1,) rows of `rows` in use: the next free row
    most_pieces: Ints  # (n,) the largest number of rows that the job can need; 0 on a pool
    waiting_pieces: Ints  # (1,) the sum of `most_pieces` over the waiting jobs


def make_reservations(work: Workload, kept: bool) -> Reservations:
    """An empty table; with entries for all jobs only where `kept` says that the policy reserves.

    `rows` is empty at first: it grows with the other tables (`engine.simulation.tables`).
    """
    jobs, (nodes, kinds) = len(work.submit) if kept else 0, work.capacity.shape
    most = np.zeros(jobs, np.int64)
    # A task of a group is on one node, and a group cannot be on more nodes than there are: so many rows are
    # enough for any placement of the job.
    if nodes > 1 and len(work.submit):
        most = np.add.reduceat(np.minimum(work.group_tasks, nodes), work.group_offset[:-1])
    return Reservations(
        jobs=np.zeros(jobs, np.int64),
        size=np.zeros(1, np.int64),
        start=np.full(jobs, NEVER, np.int64),
        length=np.zeros(jobs, np.int64),
        latest=np.full(jobs, UNSET, np.int64),
        since=np.zeros(jobs, np.int64),
        rows=np.zeros((0, AMOUNTS + kinds), np.int64),
        first=np.zeros(jobs, np.int64),
        row_count=np.zeros(jobs, np.int64),
        used=np.zeros(1, np.int64),
        most_pieces=most,
        waiting_pieces=np.zeros(1, np.int64),
    )


@cache
def no_reservations(kinds: int) -> Reservations:
    """The empty table of a pool whose policy makes no plan; all such simulations share it."""
    none, single = np.zeros(0, np.int64), np.zeros(1, np.int64)
    rows = np.zeros((0, AMOUNTS + kinds), np.int64)
    return unchanging(
        Reservations(none, single, none, none, none, none, rows, none, none, single, none, single)
    )


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
    """Reserve the job from `start` on for `length`, both s; on nodes where the last draft places it."""
    # The draft of the last search is this job's own: its nodes are what is reserved.
    if machine.free.shape[0] > 1:
        reservations.row_count[job] = write_draft(
            work, machine.draft, job, reservations.rows, reservations.first[job]
        )
    reservations.start[job] = start
    reservations.length[job] = length
    rebook(reservations, profile, work, job)


@inner_kernel
def rebook(reservations: Reservations, profile: Profile, work: Workload, job: int) -> None:
    """Hold what the job's entry reserves in the profile: that of a new reservation, or of one taken back."""
    begin = reservations.start[job]
    end = begin + reservations.length[job]
    rows, first, count = reservations.rows, reservations.first[job], reservations.row_count[job]
    hold(profile, work.need, job, begin, end, rows, first, count)


@inner_kernel
def unbook(reservations: Reservations, profile: Profile, work: Workload, job: int) -> None:
    """Release what the job's reservation holds in the profile; its entry stays, for `rebook`."""
    begin = reservations.start[job]
    end = begin + reservations.length[job]
    rows, first, count = reservations.rows, reservations.first[job], reservations.row_count[job]
    release(profile, work.need, job, begin, end, rows, first, count)


@inner_kernel
def clear_reservations(reservations: Reservations) -> None:
    """Drop the reservations of all listed jobs."""
    for index in range(reservations.size[0]):
        reservations.start[reservations.jobs[index]] = NEVER
    reservations.size[0] = 0
    reservations.used[0] = 0


@inner_kernel
def list_reservation(reservations: Reservations, job: int) -> None:
    """Add the job to the list that `clear_reservations` drops; its rows are in use from now on."""
    reservations.jobs[reservations.size[0]] = job
    reservations.size[0] += 1
    reservations.used[0] += reservations.row_count[job]
