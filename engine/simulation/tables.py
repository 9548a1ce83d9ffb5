"""The tables that grow while a simulation runs: checks whether one is too short, and longer copies.

A kernel cannot allocate them, so it stops before a second for which one may be too short, and Python
continues it with longer tables.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from engine.compiler.kernels import inner_kernel, step_kernel
from engine.errors import InputError
from engine.limits import MAX_TABLE_BYTES
from engine.simulation.arrivals import at_turn, known_arrivals
from engine.simulation.failures.node_failures import next_failure, pieces_that_fail
from engine.simulation.plans.search import most_moved
from engine.simulation.profile.lines import has_room_for_all, make_room, with_room
from engine.simulation.scheduler import KEPT, Scheduler
from engine.simulation.tuner import CHANGES, CHECKS

T = TypeVar("T", bound=np.generic)

TABLES = range(8)
_CHECKS, _CHANGES, _DECISIONS, _STOPS, _STARTS, _PIECES, _RESERVATIONS, _STEPS = TABLES


@step_kernel
def tables_are_short(s: Scheduler, now: int) -> bool:
    """Whether the events at `now` could write more rows than a table has.

    `s.rows_wanted`, shape (TABLES,), then holds the rows that each table needs which is too short.
    """
    # `or short` stands last, so that each table is asked: one growth then serves them all.
    short = False
    if len(s.tuner.due) > 0:
        short = _wants(s, _CHECKS, s.tuner.used[CHECKS] + 1, len(s.tuner.time)) or short
    if len(s.tuner.busy) > 0:
        short = _wants(s, _CHANGES, s.tuner.used[CHANGES] + 1, len(s.tuner.busy)) or short
    if not (s.log_buffer.on or s.rules.plans or s.machine.free.shape[0] > 1 or s.rules.preempts):
        return short
    # At most all that wait by the end of this second can start, or be planned, in its pass.
    first = end = s.loop.submitted[0]
    known = known_arrivals(s.arrivals, len(s.work.submit))
    while end < known and s.work.submit[at_turn(s.arrivals, end)] == now:
        end += 1
    waiting = s.queue.bounds[1] - s.queue.bounds[0] + end - first
    fails = next_failure(s.outage_state) == now or s.rules.preempts
    # A failed node, or a job of high value, sends jobs back to the queue, in the worst case all that run.
    if fails:
        waiting += s.run.running[0] - s.outage_state.lasting[0]
        short = (
            _wants(s, _STOPS, s.outage_state.used[0] + s.run.running[0], len(s.outage_state.stopped)) or short
        )
    if s.log_buffer.on:
        decisions = s.log_buffer.used[0] + 3 * waiting
        short = _wants(s, _DECISIONS, decisions, s.log_buffer.rows.shape[1]) or short
    if s.rules.preempts:
        short = _wants(s, _STARTS, s.run.begun[0] + waiting, len(s.run.started)) or short
    if s.machine.free.shape[0] == 1:
        return (s.rules.plans and _steps_are_short(s, now, waiting)) or short
    return _pieces_are_short(s, now, waiting, first, end, fails) or short


@inner_kernel
def _wants(s: Scheduler, table: int, rows: int, room: int) -> bool:
    """Whether the table needs more `rows` than its `room`; if so, they are noted in `s.rows_wanted`."""
    if rows <= room:
        return False
    s.rows_wanted[table] = rows
    return True


@inner_kernel
def _pieces_are_short(s: Scheduler, now: int, waiting: int, first: int, end: int, fails: bool) -> bool:
    """Whether, on nodes, the tables of pieces of jobs and of reservations may be too short.

    The jobs with the turns `first:end` are submitted now, so that at most `waiting` jobs wait; `fails` says
    that a node fails now, or that jobs may be stopped for others.
    """
    pieces = s.reservations.waiting_pieces[0]
    arriving = 0
    for turn in range(first, end):
        arriving += s.reservations.most_pieces[at_turn(s.arrivals, turn)]
    if fails:
        arriving += pieces_that_fail(s, now)
    short = _wants(s, _STARTS, s.run.begun[0] + waiting, len(s.run.started))
    short = (
        _wants(s, _PIECES, s.machine.pieces_used[0] + pieces + arriving, s.machine.pieces.shape[0]) or short
    )
    if not s.rules.plans:
        return short
    # Kept reservations have their rows already; otherwise every pass writes those of all jobs.
    new = arriving if s.rules.depth == KEPT else pieces + arriving
    short = _wants(s, _RESERVATIONS, s.reservations.used[0] + new, s.reservations.rows.shape[0]) or short
    return _steps_are_short(s, now, pieces + arriving) or short


@inner_kernel
def _steps_are_short(s: Scheduler, now: int, pieces: int) -> bool:
    """Whether the profiles may be too short for `pieces` pieces of waiting jobs.

    Running jobs whose expected end is moved at this second need room for theirs too.
    """
    # The tail of `line` has the earliest expected ends, so the loop reads only the jobs that overrun now.
    index = s.run.running[0] - 1
    while index >= 0 and s.run.line_end[index] <= now:
        pieces += max(1, s.machine.piece_count[s.run.line[index]])
        index -= 1
    if s.rules.searches and not _can_search(s, pieces):
        # How many rows are missing is not known in advance: the table grows by its own rule, and is asked
        # again.
        return _wants(s, _STEPS, len(s.profile.time) + 1, len(s.profile.time))
    if (s.rules.resumes and not make_room(s.plan, pieces)) or not make_room(s.profile, pieces):
        return _wants(s, _STEPS, len(s.profile.time) + 1, len(s.profile.time))
    return False


@inner_kernel
def _can_search(s: Scheduler, pieces: int) -> bool:
    """Whether there is room for a search that moves jobs of `pieces` pieces in all, beside running ones."""
    for index in range(s.run.running[0]):
        pieces += max(1, s.machine.piece_count[s.run.leaving[index]])
    return has_room_for_all(s.profile, pieces, most_moved(s.search))


def with_larger_tables(s: Scheduler) -> Scheduler:
    """The scheduler with longer copies of the tables that were found too short: twice as long or more.

    Raises InputError where one would take more than MAX_TABLE_BYTES.
    """
    for table in np.flatnonzero(s.rows_wanted).tolist():
        s = _GROWN[table](s, int(s.rows_wanted[table]))
    s.rows_wanted[:] = 0
    return s


def _with_checks(s: Scheduler, rows: int) -> Scheduler:
    tuner = s.tuner
    check_values = _longer(tuner.check_values, rows, 1024, "checks of what is tuned")
    time = np.zeros(len(check_values), np.int64)
    time[: len(tuner.time)] = tuner.time
    return s._replace(tuner=tuner._replace(time=time, check_values=check_values))


def _with_changes(s: Scheduler, rows: int) -> Scheduler:
    busy = _longer(s.tuner.busy, rows, 0, "changes of the utilization")
    return s._replace(tuner=s.tuner._replace(busy=busy))


def _with_decisions(s: Scheduler, rows: int) -> Scheduler:
    old, used = s.log_buffer.rows, int(s.log_buffer.used[0])
    length = _length(old.shape[1], rows, 0, 8 * len(old), "decisions")
    longer = np.empty((len(old), length), np.int64)
    longer[:, :used] = old[:, :used]
    return s._replace(log_buffer=s.log_buffer._replace(rows=longer))


def _with_stops(s: Scheduler, rows: int) -> Scheduler:
    stopped = _longer(s.outage_state.stopped, rows, len(s.start), "runs that were cut short")
    return s._replace(outage_state=s.outage_state._replace(stopped=stopped))


def _with_starts(s: Scheduler, rows: int) -> Scheduler:
    return s._replace(run=s.run._replace(started=_longer(s.run.started, rows, 0, "starts of jobs")))


def _with_pieces(s: Scheduler, rows: int) -> Scheduler:
    least = len(s.start) + int(s.reservations.most_pieces.max(initial=0))
    pieces = _longer(s.machine.pieces, rows, least, "pieces of nodes that runs take")
    return s._replace(machine=s.machine._replace(pieces=pieces))


def _with_reservations(s: Scheduler, rows: int) -> Scheduler:
    """Compact the rows of kept reservations, without those of started jobs, into a table half empty."""
    # Without kept reservations each pass writes the rows anew, so that the old ones need not be moved.
    reservations, what = s.reservations, "pieces of nodes that reservations take"
    if s.rules.depth != KEPT:
        return s._replace(
            reservations=reservations._replace(rows=_longer(reservations.rows, rows, len(s.start), what))
        )
    # Kept reservations are compacted on the way: only jobs that still wait keep their rows, each with the
    # room that it may need at most.
    kept = int(reservations.waiting_pieces[0]) + rows - int(reservations.used[0])
    room, row_bytes = len(reservations.rows) // 2, 8 * reservations.rows.shape[1]
    longer = np.zeros(
        (_length(room, 2 * kept, len(s.start), row_bytes, what), reservations.rows.shape[1]), np.int64
    )
    used = 0
    for job in s.queue.jobs[s.queue.bounds[0] : s.queue.bounds[1]]:
        first, count = reservations.first[job], reservations.row_count[job]
        longer[used : used + count] = reservations.rows[first : first + count]
        reservations.first[job] = used
        used += int(reservations.most_pieces[job])
    reservations.used[0] = used
    return s._replace(reservations=reservations._replace(rows=longer))


def _with_steps(s: Scheduler, rows: int) -> Scheduler:
    """Lengthen both profiles alike, since one is copied into the other."""
    old, row_bytes = len(s.profile.time), 8 * (2 + s.profile.free.shape[1])
    more = _length(old, rows, 0, row_bytes, "steps of what is planned") - old
    plan = with_room(s.plan, more) if s.rules.depth != KEPT else s.plan
    return s._replace(profile=with_room(s.profile, more), plan=plan)


_GROWN: dict[int, Callable[[Scheduler, int], Scheduler]] = {
    _CHECKS: _with_checks,
    _CHANGES: _with_changes,
    _DECISIONS: _with_decisions,
    _STOPS: _with_stops,
    _STARTS: _with_starts,
    _PIECES: _with_pieces,
    _RESERVATIONS: _with_reservations,
    _STEPS: _with_steps,
}


def _longer(table: NDArray[T], rows: int, least: int, what: str) -> NDArray[T]:
    """A longer copy of a table; rows that are never written take no memory."""
    row_bytes = table.itemsize * int(np.prod(table.shape[1:]))
    length = _length(len(table), rows, least, row_bytes, what)
    longer: NDArray[Any] = np.zeros((length, *table.shape[1:]), table.dtype)
    longer[: len(table)] = table
    return longer


def _length(old: int, rows: int, least: int, row_bytes: int, what: str) -> int:
    """The length of a table for at least `rows` rows: twice the old length where the limit allows that."""
    most = MAX_TABLE_BYTES // row_bytes
    if rows > most:
        raise InputError(
            f"this run has more than {most:,} {what}, which is all that the program keeps: "
            "simulate fewer jobs, or a shorter part of the log"
        )
    return min(max(2 * old, rows, least), most)
