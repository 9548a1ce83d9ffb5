"""The machine in use: the free resources, and the one reservation of EASY backfilling."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.compiler.bits import bit_of, bits_from, end_of_run, lowest_bit
from engine.compiler.kernels import inner_kernel, kernel
from engine.compiler.packed_tuples import packed
from engine.simulation.placement import AMOUNTS, NODE, NODES, Draft, make_draft, no_draft, piece_amount, place
from engine.simulation.running import Running
from engine.simulation.workload import NO_SHAPE, Ints, Workload

NEVER = np.iinfo(np.int64).max


class MachineState(NamedTuple):
    """Free amounts of K resources on each node, and the one reservation of EASY.

    `ahead` is free when the reservation begins, after the reserved job has taken its part; `spare` is the
    minimum of `free` and `ahead`: a job that runs on beyond the reserved start must fit into it. Both are
    valid only while `reserved_start[0]` is not NEVER.

    A running job holds the rows `first_piece[job]:first_piece[job] + piece_count[job]` of `pieces`. On a pool
    there are no rows: the job's total need says all.
    """

    free: Ints  # (nodes, K) free now
    free_total: Ints  # (K,) capacity less the needs of running jobs: never less than the sum of `free`
    ahead_total: Ints  # (K,) scratch: the sum of `ahead` while it is computed
    ahead_widest: Ints  # (K,) scratch: upper bound of `ahead` over the nodes
    widest: Ints  # (K,) upper bound of `free` over the nodes
    ahead: Ints  # (nodes, K) free at the reserved start, without the reserved job's part
    spare: Ints  # (nodes, K) min(free, ahead)
    reserved_start: Ints  # (1,) s, or NEVER without a reservation
    pieces: Ints  # (rows, AMOUNTS + K) nodes, and the amounts that a job holds on each of them
    first_piece: Ints  # (n,) the job's first row in `pieces`
    piece_count: Ints  # (n,) number of its rows
    pieces_used: Ints  # (1,) rows of `pieces` written so far
    failed: Ints  # (shapes, 2) last sweep in which a job of the shape did not fit into `free`, into `spare`
    sweep: Ints  # (1,) number of the sweep; within a sweep resources are taken and never freed
    draft: Draft  # where the job that was placed last would run
    placement: int  # index into PLACEMENTS


def make_machine_state(work: Workload, placement: int) -> MachineState:
    """The state of an empty machine; `placement` is an index into PLACEMENTS."""
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
        pieces=np.zeros((0, AMOUNTS + work.capacity.shape[1]), np.int64),
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
    """Zeros for all jobs, which all simulations of a trace on a pool share: there jobs hold no rows."""
    none = np.zeros(jobs, np.int64)
    none.flags.writeable = False
    return none


@inner_kernel
def within(need: Ints, job: int, limit: Ints) -> bool:
    """Whether the job's row of `need`, (n, K), is at most `limit`, (K,), in each resource."""
    for k in range(limit.shape[0]):  # noqa: SIM110 - a generator does not compile
        if need[job, k] > limit[k]:
            return False
    return True


@inner_kernel
def fits_now(work: Workload, machine: MachineState, job: int) -> bool:
    """Whether the job fits into the free resources; on nodes the draft then says where.

    Called within a sweep: a shape that did not fit earlier in it does not fit now.
    """
    # From the cheapest test to the dearest: totals, shapes that failed before, the widest node, and then
    # nodes one by one.
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
    # Within a sweep room only shrinks, so the same shape need not be tried again.
    if not fits and shape != NO_SHAPE:
        machine.failed[shape, 0] = machine.sweep[0]
    return fits


@inner_kernel
def fits_beside(work: Workload, machine: MachineState, job: int, expected: int) -> bool:
    """Whether the job, expected to end at `expected` (s), fits now without a delay of the reservation."""
    # A job that ends before the reservation may use all that is free, another only what is spare then.
    outlasts = expected > machine.reserved_start[0]
    limit = machine.spare if outlasts else machine.free
    if machine.free.shape[0] == 1:
        return within(work.need, job, limit[0])
    if not (within(work.need, job, machine.free_total) and within(work.task_need, job, machine.widest)):
        return False
    if len(work.power) > 0 and not within(work.power, job, limit[limit.shape[0] - 1]):
        return False
    shape = work.shape[job]
    if shape == NO_SHAPE:
        return place(work, job, limit, machine.placement, machine.draft)
    # Nothing is freed within a sweep: a shape that did not fit in it does not fit later in it.
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
    """Begin a sweep: find the largest free amount on any node, a bound that rejects most jobs at once."""
    # A new number makes all notes of shapes that failed void.
    machine.sweep[0] += 1
    for k in range(machine.free.shape[1]):
        most = machine.free[0, k]
        for node in range(1, machine.free.shape[0]):
            most = max(most, machine.free[node, k])
        machine.widest[k] = most


def find_refused(work: Workload, machine: MachineState) -> NDArray[np.bool_]:
    """The mask of the jobs, shape (n,), that do not fit on the empty machine."""
    if len(work.capacity) == 1:
        too_large = work.need[:, 0] > work.capacity[0, 0]
        for k in range(1, work.need.shape[1]):
            too_large |= work.need[:, k] > work.capacity[0, k]
        return np.asarray(too_large, np.bool_)
    refused = np.zeros(len(work.submit), np.bool_)
    # Packed: else each combination of read-only arrays would be a type of its own, compiled anew.
    _find_refused(packed(work), packed(machine), refused)
    return refused


@kernel
def _find_refused(work: Workload, machine: MachineState, refused: NDArray[np.bool_]) -> None:
    for job in range(len(refused)):
        refused[job] = not fits_now(work, machine, job)


@inner_kernel
def occupy(work: Workload, machine: MachineState, job: int) -> None:
    """Take the job's resources where the draft places it."""
    # Totals are kept beside the nodes, as most tests need no more.
    for k in range(machine.free.shape[1]):
        machine.free_total[k] -= work.need[job, k]
    if machine.free.shape[0] == 1:
        for k in range(machine.free.shape[1]):
            machine.free[0, k] -= work.need[job, k]
        return
    first = machine.pieces_used[0]
    count = write_draft(work, machine.draft, job, machine.pieces, first)
    machine.first_piece[job] = first
    machine.piece_count[job] = count
    machine.pieces_used[0] = first + count
    take_free(machine, machine.pieces, first, count)


@inner_kernel
def take_free(machine: MachineState, pieces: Ints, first: int, count: int) -> None:
    """Take the amounts of `count` rows of `pieces`, from row `first` on, from the free ones."""
    for row in range(first, first + count):
        _add(machine.free, pieces, row, -1)


@inner_kernel
def write_draft(work: Workload, draft: Draft, job: int, pieces: Ints, first: int) -> int:
    """Write the draft's nodes and amounts into `pieces` from row `first` on; returns the number of rows.

    Pieces that take the same on nodes of one word, in order of their numbers, are one row.
    Under a cap on power the last row is what the job, whose draft it is, takes of that.
    """
    kinds, row, before, told = work.capacity.shape[1], first - 1, len(work.capacity), 0
    for piece in range(draft.size[0]):
        # All that the row is made of is read before it is written: the compiler cannot know that writing a
        # table leaves the others as they are, and would read each of them again for each resource.
        node, bits, group, tasks = (
            draft.node[piece],
            draft.bits[piece],
            draft.group[piece],
            draft.tasks[piece],
        )
        whole = work.exclusive[group]
        # A row tells its nodes in ascending order, which is the order of the pieces that it joins.
        alike = node > before and node >> 6 == before >> 6 and draft.group[told] == group
        alike = alike and draft.tasks[told] == tasks
        for k in range(kinds if whole else 0):
            alike = alike and work.capacity[node, k] == work.capacity[before, k]
        before, told = node, piece
        if alike:
            pieces[row, NODES] |= bits
            continue
        row += 1
        pieces[row, NODE] = node
        pieces[row, NODES] = bits
        for k in range(kinds):
            pieces[row, AMOUNTS + k] = work.capacity[node, k] if whole else tasks * work.group_need[group, k]
    # The last node stands for the power of the machine.
    if len(work.power) > 0:
        row += 1
        pieces[row, NODE] = len(work.capacity) - 1
        pieces[row, NODES] = bit_of(len(work.capacity) - 1)
        for k in range(kinds):
            pieces[row, AMOUNTS + k] = work.power[job, k]
    return int(row - first + 1)


@inner_kernel
def vacate(work: Workload, machine: MachineState, job: int) -> None:
    """Free the resources of a job that ended or was stopped."""
    for k in range(machine.free.shape[1]):
        machine.free_total[k] += work.need[job, k]
    _give_back(work, machine, job, machine.free)


@inner_kernel
def reserve(work: Workload, machine: MachineState, run: Running, job: int) -> int:
    """Reserve for the job at the earliest time at which it fits, by the expected ends; returns that time, s.

    Sets `ahead` and `spare`. This is the shadow time of EASY backfilling.
    """
    if run.beside:
        return _reserve_processors(machine, run, work.need[job, 0])
    look_ahead(machine)
    # Let the running jobs end in the order of their expected ends until the job fits. Jobs that end in the
    # same second all free their resources before the job is tried.
    index = run.running[0] - 1
    time = NEVER
    while index >= 0:
        time = run.line_end[index]
        while index >= 0 and run.line_end[index] == time:
            end_ahead(work, machine, run.line[index])
            index -= 1
        if fits_ahead(work, machine, job):
            break
    reserve_ahead(work, machine, job, time)
    return time


@inner_kernel
def look_ahead(machine: MachineState) -> None:
    """Let `ahead` be what is free now, before the first end of a running job."""
    for node in range(machine.free.shape[0]):
        for k in range(machine.free.shape[1]):
            machine.ahead[node, k] = machine.free[node, k]
    for k in range(machine.free.shape[1]):
        machine.ahead_total[k] = machine.free_total[k]
        machine.ahead_widest[k] = machine.widest[k]


@inner_kernel
def end_ahead(work: Workload, machine: MachineState, ending: int) -> None:
    """Give what a running job holds back to `ahead`."""
    for k in range(machine.ahead_total.shape[0]):
        machine.ahead_total[k] += work.need[ending, k]
    _give_back(work, machine, ending, machine.ahead)
    if machine.ahead.shape[0] > 1:
        _widen(machine, ending)


@inner_kernel
def reserve_ahead(work: Workload, machine: MachineState, job: int, time: int) -> None:
    """Reserve for the job, which fits into `ahead`, from `time` on, s."""
    _withhold(work, machine, job)
    machine.reserved_start[0] = time
    for node in range(machine.free.shape[0]):
        for k in range(machine.free.shape[1]):
            machine.spare[node, k] = min(machine.free[node, k], machine.ahead[node, k])


@inner_kernel
def _reserve_processors(machine: MachineState, run: Running, procs: int) -> int:
    """`reserve` on a pool of processors alone, without a look into arrays by job."""
    free = machine.free[0, 0]
    ahead, time, index = free, NEVER, run.running[0] - 1
    # Jobs end in order of their expected ends; those that end together count together, as the reservation
    # begins after all of them.
    while index >= 0 and ahead < procs:
        time = run.line_end[index]
        while index >= 0 and run.line_end[index] == time:
            ahead += run.line_procs[index]
            index -= 1
    machine.ahead[0, 0] = ahead - procs
    # What may be used beyond the reservation: at most what is free now, at most what is left then.
    machine.spare[0, 0] = min(free, ahead - procs)
    machine.reserved_start[0] = time
    return int(time)


@inner_kernel
def fits_ahead(work: Workload, machine: MachineState, job: int) -> bool:
    """Whether the job fits into `ahead`; on nodes the draft then says where."""
    # The same tests as for now, from the cheapest to the dearest, on what is free at the reservation.
    if not within(work.need, job, machine.ahead_total):
        return False
    if machine.ahead.shape[0] == 1:
        return True
    return within(work.task_need, job, machine.ahead_widest) and place(
        work, job, machine.ahead, machine.placement, machine.draft
    )


@inner_kernel
def _widen(machine: MachineState, ending: int) -> None:
    """Raise `ahead_widest` to what is free on the nodes that the job leaves."""
    first = machine.first_piece[ending]
    for row in range(first, first + machine.piece_count[ending]):
        word, bits = machine.pieces[row, NODE] & ~63, machine.pieces[row, NODES]
        while bits != 0:
            low = lowest_bit(bits)
            end = end_of_run(bits, low)
            bits = bits_from(bits, end)
            # Nothing but this job's nodes has more than before: the greatest of the others still holds.
            for k in range(machine.ahead.shape[1]):
                widest = machine.ahead_widest[k]
                for node in range(word + low, word + end):
                    widest = max(widest, machine.ahead[node, k])
                machine.ahead_widest[k] = widest


@inner_kernel
def use_spare(work: Workload, machine: MachineState, job: int, expected: int) -> None:
    """Update `ahead` and `spare` for a job that was just backfilled, to end at `expected`, s."""
    # A job that outlasts the reservation takes from what is free then; every job takes from now.
    outlasts = expected > machine.reserved_start[0]
    if machine.free.shape[0] == 1:
        for k in range(machine.free.shape[1]):
            if outlasts:
                machine.ahead[0, k] -= work.need[job, k]
            machine.spare[0, k] = min(machine.free[0, k], machine.ahead[0, k])
        return
    first = machine.first_piece[job]
    # Only the nodes on which the job was placed have changed.
    for row in range(first, first + machine.piece_count[job]):
        if outlasts:
            _add(machine.ahead, machine.pieces, row, -1)
        word, bits = machine.pieces[row, NODE] & ~63, machine.pieces[row, NODES]
        while bits != 0:
            node = word + lowest_bit(bits)
            bits ^= bit_of(node)
            for k in range(machine.free.shape[1]):
                machine.spare[node, k] = min(machine.free[node, k], machine.ahead[node, k])


@inner_kernel
def _give_back(work: Workload, machine: MachineState, job: int, to: Ints) -> None:
    if to.shape[0] == 1:
        for k in range(to.shape[1]):
            to[0, k] += work.need[job, k]
        return
    first = machine.first_piece[job]
    for row in range(first, first + machine.piece_count[job]):
        _add(to, machine.pieces, row, 1)


@inner_kernel
def _add(to: Ints, pieces: Ints, row: int, times: int) -> None:
    """Add `times` the amounts in a row of `pieces` to those of its nodes in `to`, (nodes, K)."""
    word, bits = pieces[row, NODE] & ~63, pieces[row, NODES]
    while bits != 0:
        # Nodes mostly come in runs, which one loop takes without a look at each bit.
        low = lowest_bit(bits)
        end = end_of_run(bits, low)
        bits = bits_from(bits, end)
        for k in range(to.shape[1]):
            amount = times * pieces[row, AMOUNTS + k]
            for node in range(word + low, word + end):
                to[node, k] += amount


@inner_kernel
def _withhold(work: Workload, machine: MachineState, job: int) -> None:
    """Subtract the drafted job, for which the reservation is made, from `ahead`."""
    if machine.ahead.shape[0] == 1:
        for k in range(machine.ahead.shape[1]):
            machine.ahead[0, k] -= work.need[job, k]
        return
    # The draft of the last placement is of the blocked job: these nodes are reserved for it.
    draft = machine.draft
    for piece in range(draft.size[0]):
        word = draft.node[piece] & ~63
        for k in range(machine.ahead.shape[1]):
            amount, bits = piece_amount(work, draft, piece, k), draft.bits[piece]
            while bits != 0:
                bit = lowest_bit(bits)
                bits ^= bit_of(bit)
                machine.ahead[word + bit, k] -= amount
    if len(work.power) > 0:
        for k in range(machine.ahead.shape[1]):
            machine.ahead[len(work.capacity) - 1, k] -= work.power[job, k]
