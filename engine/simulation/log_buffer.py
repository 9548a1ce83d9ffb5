"""The decision log while a simulation writes it: rows of integers that say why jobs wait."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from engine.compiler.kernels import inner_kernel, tiny_kernel
from engine.compiler.packed import unchanging
from engine.schedule.schedule import Decision
from engine.simulation.workload import Ints

_RESERVED = int(Decision.RESERVED)
_BACKFILLED = int(Decision.BACKFILLED)
_UNTOLD = int(Decision.UNTOLD)
NOBODY = -1

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
    reason: Ints  # (n,) `Decision` of the job's last logged reason, or NOBODY
    amount: Ints  # (n,) value of that reason
    promised: Ints  # (n,) s, the job's last logged reserved start, or NOBODY
    rows_about: Ints  # (n,) rows written about the job's reasons and reservations


def make_log_buffer(on: bool, jobs: int, full: int = FULL_ROWS) -> LogBuffer:
    """An empty log for so many jobs; one without any rows where it is not `on`."""
    if not on:
        return _no_log()
    return _log(on, jobs, full)


@cache
def _no_log() -> LogBuffer:
    return unchanging(_log(False, 0, FULL_ROWS))


def _log(on: bool, size: int, full: int) -> LogBuffer:
    return LogBuffer(
        on=on,
        full=full,
        rows=np.zeros((4, 0), np.int64),
        used=np.zeros(1, np.int64),
        reason=np.full(size, NOBODY, np.int64),
        amount=np.full(size, NOBODY, np.int64),
        promised=np.full(size, NOBODY, np.int64),
        rows_about=np.zeros(size, np.int64),
    )


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
    log_buffer.rows_about[job] += 1
    if log_buffer.rows_about[job] >= (MOST_ROWS if log_buffer.used[0] < log_buffer.full else FEW_ROWS):
        log_buffer.rows_about[job] = MOST_ROWS
        kind, value = _UNTOLD, 0
    _write(log_buffer, now, job, kind, value)


@inner_kernel
def forget_noted(log_buffer: LogBuffer, job: int) -> None:
    """Forget the last reason and reservation: a job that waits again, after a failure, is logged anew."""
    if log_buffer.on:
        log_buffer.reason[job] = log_buffer.amount[job] = log_buffer.promised[job] = NOBODY


@tiny_kernel
def note_reserved(log_buffer: LogBuffer, now: int, job: int, start: int) -> None:
    """Log that the job is reserved to start at `start`, s, if that is new."""
    if log_buffer.on and log_buffer.promised[job] != start and log_buffer.rows_about[job] < MOST_ROWS:
        log_buffer.promised[job] = start
        _write_about_wait(log_buffer, now, job, _RESERVED, start)


@tiny_kernel
def note_backfilled(log_buffer: LogBuffer, now: int, job: int, passed: int) -> None:
    """Log that the job was backfilled: it started before `passed`, which waits in front of it."""
    if log_buffer.on:
        _write(log_buffer, now, job, _BACKFILLED, passed)


@tiny_kernel
def is_new_reason(log_buffer: LogBuffer, job: int, kind: int) -> bool:
    """Whether a reason of this kind would be written: it differs from the last, and the job has rows left."""
    return bool(log_buffer.reason[job] != kind and log_buffer.rows_about[job] < MOST_ROWS)


@tiny_kernel
def note_reason(log_buffer: LogBuffer, now: int, job: int, kind: int, value: int, exactly: bool) -> None:
    """Log why the job does not start at this pass; `exactly`: also when only the value has changed."""
    same = log_buffer.reason[job] == kind and not (exactly and log_buffer.amount[job] != value)
    if same or log_buffer.rows_about[job] >= MOST_ROWS:
        return
    log_buffer.reason[job] = kind
    log_buffer.amount[job] = value
    _write_about_wait(log_buffer, now, job, kind, value)
