"""The decision log while a simulation writes it: rows of integers that say why jobs wait."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.compiler.kernels import inner_kernel, kernel, tiny_kernel
from engine.compiler.packed_tuples import unchanging
from engine.schedule.compact import narrow
from engine.schedule.schedule import Decision, DecisionLog
from engine.simulation.workload import Ints

Column = NDArray[Any]

_HALF = 1 << 31

_RESERVED = int(Decision.RESERVED)
_BACKFILLED = int(Decision.BACKFILLED)
_UNTOLD = int(Decision.UNTOLD)
NOBODY = -1
REASON, AMOUNT, PROMISED, ROWS = range(4)
"""Columns of `LogBuffer.noted`: the `Decision` of the job's last logged reason, plus 1; the value of that
reason; its last logged reserved start, s, plus 1; and the rows about its reasons and reservations. 0 is none:
memory that is zero costs nothing until it is written."""

USUAL_ROWS = 3
"""Rows for each job that a log has room for at first; few logs need more."""

MOST_ROWS = 1000
"""The most rows about the reasons and reservations of one job. The last of them is UNTOLD: more was cut."""

FULL_ROWS, FEW_ROWS = 1 << 23, 16
"""A log of FULL_ROWS rows (256 MiB) is full: from then on each job gets only FEW_ROWS in total."""


class LogBuffer(NamedTuple):
    """Rows of (time, job, kind, value); a reason that did not change is not written again."""

    on: bool  # whether anything is logged
    full: int  # rows with which the log is full: FULL_ROWS
    rows: Ints  # (4, room) time in s, job, `Decision`, and the value that belongs to it
    used: Ints  # (1,) rows written
    noted: Ints  # (n, 4) of each job: the columns REASON, AMOUNT, PROMISED and ROWS


def make_log_buffer(on: bool, jobs: int, full: int = FULL_ROWS, room: int | None = None) -> LogBuffer:
    """An empty log for so many jobs; one without any rows where it is not `on`.

    It has `room` for as many rows: by default for USUAL_ROWS of each job.
    """
    if not on:
        return _no_log()
    return _log(on, jobs, full, USUAL_ROWS * jobs if room is None else room)


@cache
def _no_log() -> LogBuffer:
    return unchanging(_log(False, 0, FULL_ROWS, 0))


def _log(on: bool, size: int, full: int, room: int) -> LogBuffer:
    return LogBuffer(
        on=on,
        full=full,
        rows=np.empty((4, room), np.int64),
        used=np.zeros(1, np.int64),
        noted=np.zeros((size, 4), np.int64),
    )


def decision_log(log_buffer: LogBuffer) -> DecisionLog:
    """The rows that were written, in columns as narrow as their numbers allow."""
    rows, used = log_buffer.rows, int(log_buffer.used[0])
    types: tuple[type[np.signedinteger[Any]], ...] = (np.int32, np.int32, np.int8, np.int32)
    time, job, kind, value = (np.empty(used, each) for each in types)
    if _narrowed(rows, time, job, kind, value):
        return DecisionLog(time, job, kind, value)
    return DecisionLog(narrow(rows[0, :used]), job, kind, narrow(rows[3, :used]))


@kernel
def _narrowed(rows: Ints, time: Column, job: Column, kind: Column, value: Column) -> bool:
    """Copy the first rows into narrow columns, all of shape (n,); False if a time or a value does not fit.

    All rows are given, not a part, which may or may not be contiguous: two types.
    """
    beyond = 0
    # Adding half of the range turns "fits into 32 bits" into "no bit above the 32nd is set"; one loop
    # without a branch tests both columns.
    for row in range(len(time)):
        beyond |= ((rows[0, row] + _HALF) >> 32) | ((rows[3, row] + _HALF) >> 32)
    # Jobs and kinds always fit: these columns are of use to the caller even where the other two do not.
    for row in range(len(time)):
        job[row] = rows[1, row]
        kind[row] = rows[2, row]
    if beyond != 0:
        return False
    for row in range(len(time)):
        time[row] = rows[0, row]
        value[row] = rows[3, row]
    return True


@inner_kernel
def _write(log_buffer: LogBuffer, now: int, job: int, kind: int, value: int) -> None:
    row = log_buffer.used[0]
    log_buffer.rows[0, row] = now
    log_buffer.rows[1, row] = job
    log_buffer.rows[2, row] = kind
    log_buffer.rows[3, row] = value
    log_buffer.used[0] = row + 1


@inner_kernel
def _write_about_wait(log_buffer: LogBuffer, now: int, job: int, kind: int, value: int) -> None:
    """Write a row about why the job waits, unless the job has had as many rows as it may."""
    # Whichever of both bounds is reached, the count becomes MOST_ROWS: all tests below read that as no rows
    # left.
    log_buffer.noted[job, ROWS] += 1
    if log_buffer.noted[job, ROWS] >= (MOST_ROWS if log_buffer.used[0] < log_buffer.full else FEW_ROWS):
        log_buffer.noted[job, ROWS] = MOST_ROWS
        kind, value = _UNTOLD, 0
    _write(log_buffer, now, job, kind, value)


@inner_kernel
def forget_noted(log_buffer: LogBuffer, job: int) -> None:
    """Forget the last reason and reservation: a job that waits again, after a failure, is logged anew."""
    if log_buffer.on:
        log_buffer.noted[job, REASON] = log_buffer.noted[job, PROMISED] = 0


@tiny_kernel
def note_reserved(log_buffer: LogBuffer, now: int, job: int, start: int) -> None:
    """Log that the job is reserved to start at `start`, s, if that is new."""
    # The reserved start is kept plus 1, so that 0 stays the mark of a job that has none yet.
    if (
        log_buffer.on
        and log_buffer.noted[job, PROMISED] != start + 1
        and log_buffer.noted[job, ROWS] < MOST_ROWS
    ):
        log_buffer.noted[job, PROMISED] = start + 1
        _write_about_wait(log_buffer, now, job, _RESERVED, start)


@tiny_kernel
def note_backfilled(log_buffer: LogBuffer, now: int, job: int, passed: int) -> None:
    """Log that the job was backfilled: it started before `passed`, which waits in front of it."""
    if log_buffer.on:
        _write(log_buffer, now, job, _BACKFILLED, passed)


@tiny_kernel
def was_noted(log_buffer: LogBuffer, job: int, kind: int) -> bool:
    """Whether the last reason that was logged of the job is of this kind."""
    return bool(log_buffer.noted[job, REASON] == kind + 1)


@tiny_kernel
def is_new_reason(log_buffer: LogBuffer, job: int, kind: int) -> bool:
    """Whether a reason of this kind would be written: it differs from the last, and the job has rows left."""
    return bool(log_buffer.noted[job, REASON] != kind + 1 and log_buffer.noted[job, ROWS] < MOST_ROWS)


@tiny_kernel
def note_reason(log_buffer: LogBuffer, now: int, job: int, kind: int, value: int, exactly: bool) -> None:
    """Log why the job does not start at this pass; `exactly`: also when only the value has changed."""
    # A value such as the missing processors changes at almost each pass. Only for the job at the head of the
    # queue is that worth a row.
    same = log_buffer.noted[job, REASON] == kind + 1 and not (
        exactly and log_buffer.noted[job, AMOUNT] != value
    )
    if same or log_buffer.noted[job, ROWS] >= MOST_ROWS:
        return
    log_buffer.noted[job, REASON] = kind + 1
    log_buffer.noted[job, AMOUNT] = value
    _write_about_wait(log_buffer, now, job, kind, value)
