"""Absurd dates of jobs: those that cannot be, that come after the log itself, or that stretch it by years."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np

from engine.arrays import Ints, Mask
from engine.trace.records import UNIX_TIMES, Numbers, Records, note_lines
from engine.trace.sentinels import NO_VALUE
from engine.trace.trace import Note

_DAY, _YEAR = 86_400, 365 * 86_400
_FEWEST = 3  # jobs of a log, so that a single odd date among them can stretch it

LATE = "in 2106 or later (2^32 - 2 s since 1970 and above, which is what unset numbers look like)"
"""The times of `late`, in words."""


def late(records: Records) -> Mask:
    """The records that are submitted, start or end at NO_VALUE s since 1970 or later, shape (n,)."""
    none = np.zeros(len(records), np.bool_)
    columns = (records.submit, records.wait, records.runtime)
    # Most logs have no such time: their columns are not widened for the sums.
    if records.zero + sum(max(int(column.max(initial=0)), 0) for column in columns) < NO_VALUE:
        return none
    submit = records.zero + records.submit.astype(np.int64)
    start = submit + np.maximum(records.wait, 0).astype(np.int64)
    known = (records.submit >= 0) & (records.wait >= 0)
    end = start + np.maximum(records.runtime, 0).astype(np.int64)
    return np.asarray((submit >= NO_VALUE) | (known & (end >= NO_VALUE)))


def notes_on_dates(records: Records, index: Ints) -> list[Note]:
    """Notes on jobs that are kept: submitted after the log was written, or far from all others.

    `index` are these records in order of submission, shape (k,).
    """
    submit, line = records.submit[index].astype(np.int64), records.line[index]
    return [_ahead_note(records, submit, line), _stretch_note(records, index, submit, line)]


def _ahead_note(records: Records, submit: Ints, line: Numbers) -> Note:
    """A note on jobs that are submitted over a day after the log's file was written.

    They are kept: copies have other dates than their logs, and dumps of queues, lists of reservations and
    generated logs have times to come.
    """
    if records.written is None or not UNIX_TIMES < records.written < NO_VALUE:
        return Note("ahead_of_file", "", 0)  # packages and archives give files dates of 1970 or 1980
    written = datetime.fromtimestamp(records.written, UTC)
    text = f"jobs submitted over a day after the log's file was written ({written:%Y-%m-%d}): kept"
    return note_lines("ahead_of_file", text, records.zero + submit > records.written + _DAY, line)


def _stretch_note(records: Records, index: Ints, submit: Ints, line: Numbers) -> Note:
    """A note on the job that begins over a year before all others, or ends over a year after them."""
    rule = "stretches_log"
    if len(submit) < _FEWEST:
        return Note(rule, "", 0)
    end = submit.copy()
    for column in (records.wait, records.runtime):
        end += np.maximum(column[index], 0)
    last = int(np.argmax(end))
    # The last end is taken out, so that the second last remains as the largest.
    latest, end[last] = int(end[last]), submit[0]
    early, late_by = int(submit[1] - submit[0]), latest - int(end.max())
    job, by = (0, early) if early >= late_by else (last, late_by)
    where = "before all others" if early >= late_by else "after all others"
    text = f"a job that stretches the log: {by / _YEAR:.1f} years {where}"
    return note_lines(rule, text, (np.arange(len(line)) == job) & (by >= _YEAR), line)
