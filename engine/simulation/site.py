"""The machine in use: what is free now, and what is promised to a waiting job."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.compiler.kernels import inner_kernel, kernel
from engine.simulation.placement import Draft, make_draft, piece_amount, place
from engine.simulation.running import Running
from engine.simulation.workload import NO_SHAPE, Ints, Workload

NEVER = np.iinfo(np.int64).max


class Site(NamedTuple):
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


def make_site(work: Workload, placement: int) -> Site:
    """The whole machine is free."""
    jobs = len(work.submit)
    return Site(
        free=work.capacity.copy(),
        free_total=work.capacity.sum(axis=0),
        ahead_total=np.zeros(work.capacity.shape[1], np.int64),
        ahead_widest=np.zeros(work.capacity.shape[1], np.int64),
        widest=work.capacity.max(axis=0),
        ahead=np.zeros_like(work.capacity),
        spare=np.zeros_like(work.capacity),
        reserved_start=np.full(1, NEVER, np.int64),
        pieces=np.zeros((0, 1 + work.capacity.shape[1]), np.int64),
        first_piece=np.zeros(jobs, np.int64),
        piece_count=np.zeros(jobs, np.int64),
        pieces_used=np.zeros(1, np.int64),
        failed=np.zeros((int(work.shape.max(initial=0)) + 1, 2), np.int64),
        sweep=np.ones(1, np.int64),
        draft=make_draft(work),
        placement=placement,
    )


@inner_kernel
def within(need: Ints, job: int, limit: Ints) -> bool:
    """Whether the job needs no more than `limit`, K values, in total."""
    for k in range(limit.shape[0]):  # noqa: SIM110 - a generator does not compile
        if need[job, k] > limit[k]:
            return False
    return True


@inner_kernel
def fits_now(work: Workload, site: Site, job: int) -> bool:
    """Whether the job fits into what is free; on nodes the draft then says where. Called within a sweep."""
    if not within(work.need, job, site.free_total):
        return False
    if site.free.shape[0] == 1:
        return True
    shape = work.shape[job]
    if shape != NO_SHAPE and site.failed[shape, 0] == site.sweep[0]:
        return False
    fits = within(work.task_need, job, site.widest) and place(
        work, job, site.free, site.placement, site.draft
    )
    if not fits and shape != NO_SHAPE:
        site.failed[shape, 0] = site.sweep[0]
    return fits


@inner_kernel
def fits_beside(work: Workload, site: Site, job: int, expected: int) -> bool:
    """Whether the job fits now without touching what is reserved while it runs, until `expected`."""
    outlasts = expected > site.reserved_start[0]
    limit = site.spare if outlasts else site.free
    if site.free.shape[0] == 1:
        return within(work.need, job, limit[0])
    if not (within(work.need, job, site.free_total) and within(work.task_need, job, site.widest)):
        return False
    shape = work.shape[job]
    if shape == NO_SHAPE:
        return place(work, job, limit, site.placement, site.draft)
    if site.failed[shape, 0] == site.sweep[0] or (outlasts and site.failed[shape, 1] == site.sweep[0]):
        return False
    fits = place(work, job, limit, site.placement, site.draft)
    if not fits:
        site.failed[shape, 1 if outlasts else 0] = site.sweep[0]
    return fits


@inner_kernel
def begin_sweep(site: Site) -> None:
    """Find the most that is free on any node: a bound that turns away most jobs at once."""
    site.sweep[0] += 1
    for k in range(site.free.shape[1]):
        most = site.free[0, k]
        for node in range(1, site.free.shape[0]):
            most = max(most, site.free[node, k])
        site.widest[k] = most


def find_refused(work: Workload, site: Site) -> NDArray[np.bool_]:
    """The jobs, shape (n,), that do not fit on the empty machine."""
    if len(work.capacity) == 1:
        return np.asarray((work.need > work.capacity[0]).any(axis=1))
    refused = np.zeros(len(work.submit), np.bool_)
    _find_refused(work, site, refused)
    return refused


@kernel
def _find_refused(work: Workload, site: Site, refused: NDArray[np.bool_]) -> None:
    for job in range(len(refused)):
        refused[job] = not fits_now(work, site, job)


@inner_kernel
def occupy(work: Workload, site: Site, job: int) -> None:
    """The job starts where the draft says."""
    for k in range(site.free.shape[1]):
        site.free_total[k] -= work.need[job, k]
    if site.free.shape[0] == 1:
        for k in range(site.free.shape[1]):
            site.free[0, k] -= work.need[job, k]
        return
    first = site.pieces_used[0]
    count = write_draft(work, site.draft, site.pieces, first)
    site.first_piece[job] = first
    site.piece_count[job] = count
    site.pieces_used[0] = first + count
    take_free(site, site.pieces, first, count)


@inner_kernel
def take_free(site: Site, pieces: Ints, first: int, count: int) -> None:
    """The `count` rows of `pieces` from `first` on are in use now."""
    for row in range(first, first + count):
        for k in range(site.free.shape[1]):
            site.free[pieces[row, 0], k] -= pieces[row, 1 + k]


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
def vacate(work: Workload, site: Site, job: int) -> None:
    """The job ended and gives back what it held."""
    for k in range(site.free.shape[1]):
        site.free_total[k] += work.need[job, k]
    _give_back(work, site, job, site.free)


@inner_kernel
def reserve(work: Workload, site: Site, run: Running, job: int) -> int:
    """Reserve the earliest time at which the job fits, given the expected ends; returns it in s.

    Sets `ahead` and `spare`. All jobs that are expected to end at one second give back
    their resources before the job is tried.
    """
    for node in range(site.free.shape[0]):
        for k in range(site.free.shape[1]):
            site.ahead[node, k] = site.free[node, k]
    for k in range(site.free.shape[1]):
        site.ahead_total[k] = site.free_total[k]
        site.ahead_widest[k] = site.widest[k]
    index = run.counts[0] - 1
    time = NEVER
    while index >= 0:
        time = run.line_end[index]
        while index >= 0 and run.line_end[index] == time:
            ending = run.line[index]
            for k in range(site.ahead_total.shape[0]):
                site.ahead_total[k] += work.need[ending, k]
            _give_back(work, site, ending, site.ahead)
            if site.ahead.shape[0] > 1:
                _widen(site, ending)
            index -= 1
        if _fits_ahead(work, site, job):
            break
    _withhold(work, site, job)
    site.reserved_start[0] = time
    for node in range(site.free.shape[0]):
        for k in range(site.free.shape[1]):
            site.spare[node, k] = min(site.free[node, k], site.ahead[node, k])
    return time


@inner_kernel
def _fits_ahead(work: Workload, site: Site, job: int) -> bool:
    if not within(work.need, job, site.ahead_total):
        return False
    if site.ahead.shape[0] == 1:
        return True
    return within(work.task_need, job, site.ahead_widest) and place(
        work, job, site.ahead, site.placement, site.draft
    )


@inner_kernel
def _widen(site: Site, ending: int) -> None:
    """Keep `ahead_widest` no less than what is free on the nodes that the job leaves."""
    first = site.first_piece[ending]
    for row in range(first, first + site.piece_count[ending]):
        node = site.pieces[row, 0]
        for k in range(site.ahead.shape[1]):
            site.ahead_widest[k] = max(site.ahead_widest[k], site.ahead[node, k])


@inner_kernel
def use_spare(work: Workload, site: Site, job: int, expected: int) -> None:
    """A job that just started beside the reservation takes from what is spare."""
    outlasts = expected > site.reserved_start[0]
    if site.free.shape[0] == 1:
        for k in range(site.free.shape[1]):
            if outlasts:
                site.ahead[0, k] -= work.need[job, k]
            site.spare[0, k] = min(site.free[0, k], site.ahead[0, k])
        return
    first = site.first_piece[job]
    for row in range(first, first + site.piece_count[job]):
        node = site.pieces[row, 0]
        for k in range(site.free.shape[1]):
            if outlasts:
                site.ahead[node, k] -= site.pieces[row, 1 + k]
            site.spare[node, k] = min(site.free[node, k], site.ahead[node, k])


@inner_kernel
def _give_back(work: Workload, site: Site, job: int, to: Ints) -> None:
    if to.shape[0] == 1:
        for k in range(to.shape[1]):
            to[0, k] += work.need[job, k]
        return
    first = site.first_piece[job]
    for row in range(first, first + site.piece_count[job]):
        for k in range(to.shape[1]):
            to[site.pieces[row, 0], k] += site.pieces[row, 1 + k]


@inner_kernel
def _withhold(work: Workload, site: Site, job: int) -> None:
    """Take the drafted job out of `ahead`."""
    if site.ahead.shape[0] == 1:
        for k in range(site.ahead.shape[1]):
            site.ahead[0, k] -= work.need[job, k]
        return
    draft = site.draft
    for piece in range(draft.size[0]):
        for k in range(site.ahead.shape[1]):
            site.ahead[draft.node[piece], k] -= piece_amount(work, draft, piece, k)
