"""The machine in use: what is free now, and what is promised to a waiting job."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.compiler.kernels import inner_kernel, kernel
from engine.simulation.placement import Draft, make_draft, no_draft, piece_amount, place
from engine.simulation.running import Running
from engine.simulation.workload import NO_SHAPE, Ints, Workload

NEVER = np.iinfo(np.int64).max


class MachineState(NamedTuple):
    """Free resources, K values a node, and the one reservation.

    `ahead` is what will be free when the reservation begins, less what it takes; `spare`
    is the smaller of `free` and `ahead`: what a job may use that runs on beyond that time.
    Both mean something only while `reserved_start[0]` is not NEVER. Totals count what jobs
    need: where some hold whole nodes, no less than is free in all. A job holds the
    `piece_count[job]` rows of `pieces` from `first_piece[job]` on; on a pool there are
    none, the job's total need says all.
    """

    free: Ints  # (nodes, K)
    free_total: Ints  # (K,) what no running job needs
    ahead_total: Ints  # (K,) scratch: the sum of `ahead` while it is worked out
    ahead_widest: Ints  # (K,) scratch: no node has more of it
    widest: Ints  # (K,) no node has more free than this; it may be less
    ahead: Ints  # (nodes, K)
    spare: Ints  # (nodes, K)
    reserved_start: Ints  # (1,) s
    pieces: Ints  # (rows, 1 + K) node and amounts
    first_piece: Ints  # (n,)
    piece_count: Ints  # (n,)
    pieces_used: Ints  # (1,)
    failed: Ints  # (shapes, 2) the last sweep in which a job of the shape did not fit into `free`, `spare`
    sweep: Ints  # (1,) number of the sweep; within one there is never more room than before
    draft: Draft
    placement: int


def make_machine_state(work: Workload, placement: int) -> MachineState:
    """The whole machine is free."""
    jobs, on_nodes = len(work.submit), len(work.capacity) > 1
    return MachineState(
        free=work.capacity.copy(),
        free_total=work.capacity.sum(axis=0),
        ahead_total=np.zeros(work.capacity.shape[1], np.int64),
        ahead_widest=np.zeros(work.capacity.shape[1], np.int64),
        widest=work.capacity.max(axis=0),
        ahead=np.zeros_like(work.capacity),
        spare=np.zeros_like(work.capacity),
        reserved_start=np.full(1, NEVER, np.int64),
        pieces=np.zeros((0, 1 + work.capacity.shape[1]), np.int64),
        first_piece=np.zeros(jobs, np.int64) if on_nodes else _no_pieces(jobs),
        piece_count=np.zeros(jobs, np.int64) if on_nodes else _no_pieces(jobs),
        pieces_used=np.zeros(1, np.int64),
        failed=np.zeros((int(work.shape.max(initial=0)) + 1 if on_nodes else 1, 2), np.int64),
        sweep=np.ones(1, np.int64),
        draft=make_draft(work) if on_nodes else no_draft(work.capacity.shape[1]),
        placement=placement,
    )


@lru_cache(maxsize=1)
def _no_pieces(jobs: int) -> Ints:
    """0 for each job: what runs on a pool holds no rows, and all simulations of a trace share them."""
    none = np.zeros(jobs, np.int64)
    none.flags.writeable = False
    return none


@inner_kernel
def within(need: Ints, job: int, limit: Ints) -> bool:
    """Whether the job needs no more than `limit`, K values, in total."""
    for k in range(limit.shape[0]):  # noqa: SIM110 - a generator does not compile
        if need[job, k] > limit[k]:
            return False
    return True


@inner_kernel
def fits_now(work: Workload, machine: MachineState, job: int) -> bool:
    """Whether the job fits into what is free; on nodes the draft then says where. Called within a sweep."""
    if not within(work.need, job, machine.free_total):
        return False
    if machine.free.shape[0] == 1:
        return True
    shape = work.shape[job]
    if shape != NO_SHAPE and machine.failed[shape, 0] == machine.sweep[0]:
        return False
    fits = within(work.task_need, job, machine.widest) and place(
        work, job, machine.free, machine.placement, machine.draft
    )
    if not fits and shape != NO_SHAPE:
        machine.failed[shape, 0] = machine.sweep[0]
    return fits


@inner_kernel
def fits_beside(work: Workload, machine: MachineState, job: int, expected: int) -> bool:
    """Whether the job fits now without touching what is reserved while it runs, until `expected`."""
    outlasts = expected > machine.reserved_start[0]
    limit = machine.spare if outlasts else machine.free
    if machine.free.shape[0] == 1:
        return within(work.need, job, limit[0])
    if not (within(work.need, job, machine.free_total) and within(work.task_need, job, machine.widest)):
        return False
    shape = work.shape[job]
    if shape == NO_SHAPE:
        return place(work, job, limit, machine.placement, machine.draft)
    if machine.failed[shape, 0] == machine.sweep[0] or (
        outlasts and machine.failed[shape, 1] == machine.sweep[0]
    ):
        return False
    fits = place(work, job, limit, machine.placement, machine.draft)
    if not fits:
        machine.failed[shape, 1 if outlasts else 0] = machine.sweep[0]
    return fits


@inner_kernel
def begin_sweep(machine: MachineState) -> None:
    """Find the most that is free on any node: a bound that turns away most jobs at once."""
    machine.sweep[0] += 1
    for k in range(machine.free.shape[1]):
        most = machine.free[0, k]
        for node in range(1, machine.free.shape[0]):
            most = max(most, machine.free[node, k])
        machine.widest[k] = most


def find_refused(work: Workload, machine: MachineState) -> NDArray[np.bool_]:
    """The jobs, shape (n,), that do not fit on the empty machine."""
    if len(work.capacity) == 1:
        too_large = work.need[:, 0] > work.capacity[0, 0]
        for k in range(1, work.need.shape[1]):
            too_large |= work.need[:, k] > work.capacity[0, k]
        return np.asarray(too_large, np.bool_)
    refused = np.zeros(len(work.submit), np.bool_)
    _find_refused(work, machine, refused)
    return refused


@kernel
def _find_refused(work: Workload, machine: MachineState, refused: NDArray[np.bool_]) -> None:
    for job in range(len(refused)):
        refused[job] = not fits_now(work, machine, job)


@inner_kernel
def occupy(work: Workload, machine: MachineState, job: int) -> None:
    """The job starts where the draft says."""
    for k in range(machine.free.shape[1]):
        machine.free_total[k] -= work.need[job, k]
    if machine.free.shape[0] == 1:
        for k in range(machine.free.shape[1]):
            machine.free[0, k] -= work.need[job, k]
        return
    first = machine.pieces_used[0]
    count = write_draft(work, machine.draft, machine.pieces, first)
    machine.first_piece[job] = first
    machine.piece_count[job] = count
    machine.pieces_used[0] = first + count
    take_free(machine, machine.pieces, first, count)


@inner_kernel
def take_free(machine: MachineState, pieces: Ints, first: int, count: int) -> None:
    """The `count` rows of `pieces` from `first` on are in use now."""
    for row in range(first, first + count):
        for k in range(machine.free.shape[1]):
            machine.free[pieces[row, 0], k] -= pieces[row, 1 + k]


@inner_kernel
def write_draft(work: Workload, draft: Draft, pieces: Ints, first: int) -> int:
    """Write where the draft puts the job into `pieces`, from row `first` on; returns how many rows."""
    size = draft.size[0]
    for piece in range(size):
        pieces[first + piece, 0] = draft.node[piece]
        for k in range(pieces.shape[1] - 1):
            pieces[first + piece, 1 + k] = piece_amount(work, draft, piece, k)
    return int(size)


@inner_kernel
def vacate(work: Workload, machine: MachineState, job: int) -> None:
    """The job ended and gives back what it held."""
    for k in range(machine.free.shape[1]):
        machine.free_total[k] += work.need[job, k]
    _give_back(work, machine, job, machine.free)


@inner_kernel
def reserve(work: Workload, machine: MachineState, run: Running, job: int) -> int:
    """Reserve the earliest time at which the job fits, given the expected ends; returns it in s.

    Sets `ahead` and `spare`. All jobs that are expected to end at one second give back
    their resources before the job is tried.
    """
    if run.beside:
        return _reserve_processors(machine, run, work.need[job, 0])
    for node in range(machine.free.shape[0]):
        for k in range(machine.free.shape[1]):
            machine.ahead[node, k] = machine.free[node, k]
    for k in range(machine.free.shape[1]):
        machine.ahead_total[k] = machine.free_total[k]
        machine.ahead_widest[k] = machine.widest[k]
    index = run.running[0] - 1
    time = NEVER
    while index >= 0:
        time = run.line_end[index]
        while index >= 0 and run.line_end[index] == time:
            ending = run.line[index]
            for k in range(machine.ahead_total.shape[0]):
                machine.ahead_total[k] += work.need[ending, k]
            _give_back(work, machine, ending, machine.ahead)
            if machine.ahead.shape[0] > 1:
                _widen(machine, ending)
            index -= 1
        if _fits_ahead(work, machine, job):
            break
    _withhold(work, machine, job)
    machine.reserved_start[0] = time
    for node in range(machine.free.shape[0]):
        for k in range(machine.free.shape[1]):
            machine.spare[node, k] = min(machine.free[node, k], machine.ahead[node, k])
    return time


@inner_kernel
def _reserve_processors(machine: MachineState, run: Running, procs: int) -> int:
    """The same on a pool without other resources."""
    free = machine.free[0, 0]
    ahead, time, index = free, NEVER, run.running[0] - 1
    while index >= 0 and ahead < procs:
        time = run.line_end[index]
        while index >= 0 and run.line_end[index] == time:
            ahead += run.line_procs[index]
            index -= 1
    machine.ahead[0, 0] = ahead - procs
    machine.spare[0, 0] = min(free, ahead - procs)
    machine.reserved_start[0] = time
    return int(time)


@inner_kernel
def _fits_ahead(work: Workload, machine: MachineState, job: int) -> bool:
    if not within(work.need, job, machine.ahead_total):
        return False
    if machine.ahead.shape[0] == 1:
        return True
    return within(work.task_need, job, machine.ahead_widest) and place(
        work, job, machine.ahead, machine.placement, machine.draft
    )


@inner_kernel
def _widen(machine: MachineState, ending: int) -> None:
    """Keep `ahead_widest` no less than what is free on the nodes that the job leaves."""
    first = machine.first_piece[ending]
    for row in range(first, first + machine.piece_count[ending]):
        node = machine.pieces[row, 0]
        for k in range(machine.ahead.shape[1]):
            machine.ahead_widest[k] = max(machine.ahead_widest[k], machine.ahead[node, k])


@inner_kernel
def use_spare(work: Workload, machine: MachineState, job: int, expected: int) -> None:
    """A job that just started beside the reservation takes from what is spare."""
    outlasts = expected > machine.reserved_start[0]
    if machine.free.shape[0] == 1:
        for k in range(machine.free.shape[1]):
            if outlasts:
                machine.ahead[0, k] -= work.need[job, k]
            machine.spare[0, k] = min(machine.free[0, k], machine.ahead[0, k])
        return
    first = machine.first_piece[job]
    for row in range(first, first + machine.piece_count[job]):
        node = machine.pieces[row, 0]
        for k in range(machine.free.shape[1]):
            if outlasts:
                machine.ahead[node, k] -= machine.pieces[row, 1 + k]
            machine.spare[node, k] = min(machine.free[node, k], machine.ahead[node, k])


@inner_kernel
def _give_back(work: Workload, machine: MachineState, job: int, to: Ints) -> None:
    if to.shape[0] == 1:
        for k in range(to.shape[1]):
            to[0, k] += work.need[job, k]
        return
    first = machine.first_piece[job]
    for row in range(first, first + machine.piece_count[job]):
        for k in range(to.shape[1]):
            to[machine.pieces[row, 0], k] += machine.pieces[row, 1 + k]


@inner_kernel
def _withhold(work: Workload, machine: MachineState, job: int) -> None:
    """Take the drafted job out of `ahead`."""
    if machine.ahead.shape[0] == 1:
        for k in range(machine.ahead.shape[1]):
            machine.ahead[0, k] -= work.need[job, k]
        return
    draft = machine.draft
    for piece in range(draft.size[0]):
        for k in range(machine.ahead.shape[1]):
            machine.ahead[draft.node[piece], k] -= piece_amount(work, draft, piece, k)
