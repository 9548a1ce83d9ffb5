"""The decision log while it is written: why jobs wait, kept as rows of whole numbers."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.compiled import inner_kernel
from engine.schedule import Decision
from engine.simulation.workload import Ints

_RESERVED = int(Decision.RESERVED)
_BACKFILLED = int(Decision.BACKFILLED)
_BLOCKED = int(Decision.BLOCKED)
NOBODY = -1


class Journal(NamedTuple):
    """Rows of (time, job, kind, value). What is said again without a change is not written."""

    on: bool
    rows: Ints  # (room, 4)
    used: Ints  # (1,) rows written
    reserved: Ints  # (2,) job and time of the last reservation
    blocked: Ints  # (2,) job and shortage of the last blocked head


def make_journal(on: bool) -> Journal:
    """An empty log."""
    nothing = np.full(2, NOBODY, np.int64)
    return Journal(on, np.zeros((0, 4), np.int64), np.zeros(1, np.int64), nothing, nothing.copy())


@inner_kernel
def _write(journal: Journal, now: int, job: int, kind: int, value: int) -> None:
    row = journal.used[0]
    journal.rows[row, 0] = now
    journal.rows[row, 1] = job
    journal.rows[row, 2] = kind
    journal.rows[row, 3] = value
    journal.used[0] = row + 1


@inner_kernel
def note_reserved(journal: Journal, now: int, job: int, start: int) -> None:
    """The job is promised to start by `start`."""
    if not journal.on or (journal.reserved[0] == job and journal.reserved[1] == start):
        return
    journal.reserved[0] = job
    journal.reserved[1] = start
    _write(journal, now, job, _RESERVED, start)


@inner_kernel
def note_backfilled(journal: Journal, now: int, job: int, passed: int) -> None:
    """The job was started past the waiting job `passed`."""
    if journal.on:
        _write(journal, now, job, _BACKFILLED, passed)


@inner_kernel
def note_blocked(journal: Journal, now: int, job: int, short: int) -> None:
    """The head of the queue is short of so many processors (0: of RAM, or of room on one node)."""
    if not journal.on or (journal.blocked[0] == job and journal.blocked[1] == short):
        return
    journal.blocked[0] = job
    journal.blocked[1] = short
    _write(journal, now, job, _BLOCKED, short)
