"""One scheduling pass: who starts now (Goponenko et al. 2022, Algorithms 1 and 2).

The queue is swept in order and jobs that fit start. The first that does not fit gets a
reservation at the earliest time at which it fits (`depth` 1), or none (`depth` 0), or ends
the pass (`depth` stop). Jobs behind it start only if they fit now beside the reservation.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.compiled import inner_kernel
from engine.fairness.usage import usage_started
from engine.simulation.journal import NOBODY, Journal, note_backfilled, note_blocked, note_reserved
from engine.simulation.order import STATIC, Order, put_in_order
from engine.simulation.queue import Queue, remove, remove_at
from engine.simulation.running import Running, add_running
from engine.simulation.site import (
    NEVER,
    Site,
    begin_sweep,
    fits_beside,
    fits_now,
    keep_promise,
    occupy,
    reserve,
)
from engine.simulation.workload import Ints, Workload

STOP = -1


class Scheduler(NamedTuple):
    """Everything that a pass works with; all of it arrays that it changes in place."""

    work: Workload
    site: Site
    run: Running
    queue: Queue
    behind: Queue  # the same jobs in backfill order; the queue itself where that is its own
    own_backfill_order: bool
    order: Order
    journal: Journal
    depth: int  # STOP, 0 or 1
    by_arrival: bool  # both orders are that of submission
    head: Ints  # (1,) the job that the last pass found blocked, or NOBODY
    least: Ints  # (1,) no waiting job asks for fewer processors
    refused: NDArray[np.bool_]  # (n,) too large for the empty machine
    most_rows: int  # that one pass can add to a table
    reached: Ints  # (2,) jobs submitted and passes made so far
    start: Ints  # (n,) s


@inner_kernel
def scheduling_pass(s: Scheduler, now: int) -> None:
    """A full pass; where nothing can start it is only made for the log, which wants the reason."""
    s.site.reserved_start[0] = NEVER
    s.head[0] = NOBODY
    if s.site.free_total[0] < s.least[0] and not s.journal.on:
        return
    if s.site.free.shape[0] > 1:
        begin_sweep(s.site)
    queue = s.queue
    if s.order.code != STATIC:
        put_in_order(s.order, queue, now)
    while queue.bounds[0] < queue.bounds[1]:
        job = queue.jobs[queue.bounds[0]]
        if not fits_now(s.work, s.site, job):
            _pass_blocked(s, now, job)
            break
        queue.bounds[0] += 1
        if s.own_backfill_order:
            remove(s.behind, job)
        _start(s, now, job)


@inner_kernel
def try_arrived(s: Scheduler, now: int, first: int, end: int) -> None:
    """A pass where nothing changed but that the jobs `first:end` came and wait behind the same head.

    Whoever waited already could not start a moment ago and has no more room now.
    """
    if s.depth == STOP:
        return
    for job in range(first, end):
        if not s.refused[job] and fits_beside(s.work, s.site, job, now + s.work.estimate[job]):
            remove(s.queue, job)
            if s.own_backfill_order:
                remove(s.behind, job)
            _backfill(s, now, job)


@inner_kernel
def _pass_blocked(s: Scheduler, now: int, head: int) -> None:
    """Go past the blocked head of the queue, as far as the policy allows."""
    s.head[0] = head
    note_blocked(s.journal, now, head, max(0, s.work.need[head, 0] - s.site.free_total[0]))
    if s.depth == STOP:
        return
    if s.depth > 0:
        reserved = reserve(s.work, s.site, s.run, head)
        note_reserved(s.journal, now, head, reserved)
    behind = s.behind
    place = behind.bounds[0]
    least = s.work.need[head, 0]
    while place < behind.bounds[1] and s.site.free_total[0] > 0:
        job = behind.jobs[place]
        if job != head and fits_beside(s.work, s.site, job, now + s.work.estimate[job]):
            remove_at(behind, place)
            if s.own_backfill_order:
                remove(s.queue, job)
            _backfill(s, now, job)
        else:
            least = min(least, s.work.need[job, 0])
        place += 1
    s.least[0] = least if place == behind.bounds[1] else 1


@inner_kernel
def _backfill(s: Scheduler, now: int, job: int) -> None:
    _start(s, now, job)
    if s.depth > 0:
        keep_promise(s.work, s.site, job, now + s.work.estimate[job])
    note_backfilled(s.journal, now, job, s.head[0])


@inner_kernel
def _start(s: Scheduler, now: int, job: int) -> None:
    """Start a job that fits: where the last placement drafted it."""
    s.start[job] = now
    occupy(s.work, s.site, job)
    add_running(s.run, job, now + s.work.runtime[job], now + s.work.estimate[job])
    if s.order.code != STATIC:
        usage_started(s.order.usage, job, now)
