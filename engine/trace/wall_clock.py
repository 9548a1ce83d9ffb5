"""Times of a log in the time zone that its clocks showed."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import numpy as np

from engine.arrays import Ints, Mask
from engine.errors import InputError
from engine.limits import MAX_DURATION
from engine.trace.records import (
    ELAPSED,
    WALL_ELIGIBLE,
    WALL_END,
    WALL_START,
    WALL_SUBMIT,
    Records,
)
from engine.trace.time_notes import MIXED_TIMES, elapsed_note
from engine.trace.trace import MISSING

ZONE_NAME = re.compile(r"[\w+-]{1,32}(/[\w+-]{1,32}){0,2}", re.ASCII)
"""Valid names of time zones: for longer ones Python would search folders until its stack overflows."""

_QUARTER = 900  # s; no zone changes its UTC offset within this time
_LAST = 253_370_764_800  # s of the year 9999, the last of the calendar


def zone_named(name: str) -> ZoneInfo:
    """A time zone by its name, like Europe/Prague. Raises InputError."""
    if ZONE_NAME.fullmatch(name):
        try:
            return ZoneInfo(name)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            pass
    raise InputError(f"there is no time zone {name[:60]!r}; name one like Europe/Prague")


def in_zone(records: Records, name: str) -> Records:
    """The records in this time zone. Raises InputError where there is none of this name.

    Absolute times are only shown otherwise. Times that wall clocks showed become seconds since 1970,
    and waits and runtimes that are differences of such times follow; an elapsed time that the log gives
    stays. An hour that clocks showed twice is its first pass, unless a job would then start before its
    submission, end before its start, or not run for the time that the log gives.
    """
    zone = zone_named(name)
    notes = tuple(note for note in records.notes if note.rule not in ("time_zone", MIXED_TIMES))
    records = replace(records, timezone=name, notes=notes)
    if records.wall_clock is None:
        return records
    # Only times on a clock of walls move with the zone; those in Unix seconds stay.
    bits = records.wall_clock
    n = len(records)
    submit = _seconds(records.submit, (bits & WALL_SUBMIT) > 0, zone)
    has_start = _given(records.start, n) & (records.submit > 0) & (records.wait >= 0)
    has_end = _given(records.end, n) & (records.wait >= 0)
    elapsed = (bits & ELAPSED) > 0
    # Where the log has no start of its own, it follows from the wait.
    start = submit + np.maximum(records.wait, 0)
    if records.start is not None:
        earliest = submit
        if records.end is not None:  # end and elapsed time decide between the two occurrences of the start
            ended = _seconds(records.end, (bits & WALL_END) > 0, zone)
            by_end = np.where(elapsed & has_end, ended - records.runtime, submit)
            earliest = np.maximum(submit, by_end)
        start = np.where(has_start, _seconds(records.start, (bits & WALL_START) > 0, zone, earliest), start)
    runtime, notes = records.runtime, records.notes
    if records.end is not None:
        # An hour that comes twice in autumn is decided so that the end is after the start.
        length = _seconds(records.end, (bits & WALL_END) > 0, zone, start + 1) - start
        runtime = np.where(has_end & ~elapsed & (length > 0), np.minimum(length, MAX_DURATION), runtime)
        runtimes = np.where(has_end & elapsed, runtime, MISSING)
        # The note on elapsed times was counted in another zone: it is counted again.
        anew = elapsed_note(runtimes, np.where(length >= 0, length, MISSING), records.line)
        notes = tuple(
            anew if note.rule == anew.rule else note for note in notes if note.rule != anew.rule or anew.count
        )
    eligible = records.eligible
    if eligible is not None:
        eligible = _seconds(eligible, (bits & WALL_ELIGIBLE) > 0, zone, submit)
    return replace(
        records,
        submit=submit,
        wait=np.where(has_start, np.clip(start - submit, 0, MAX_DURATION), records.wait),
        runtime=runtime,
        eligible=eligible,
        notes=notes,
        start=None,
        end=None,
        wall_clock=None,
    )


def _given(moments: Ints | None, n: int) -> Mask:
    return np.zeros(n, np.bool_) if moments is None else moments > 0


def _seconds(shown: Ints, wall: Mask, zone: ZoneInfo, earliest: Ints | None = None) -> Ints:
    """Seconds since 1970; those at `wall` are local times of the zone, read as UTC.

    Times <= 0, which are missing, stay. A local time that occurred twice is the first, or the second if the
    first is before `earliest`. All shape (n,).
    """
    real = wall & (shown > 0) & (shown < _LAST)
    seconds = shown.copy()
    seconds[real] -= _shifts(shown[real], zone, 0)
    if earliest is not None:
        early = np.flatnonzero(real & (seconds < earliest))
        # The second occurrence of the hour is later by the shift of the clock.
        again = shown[early] - _shifts(shown[early], zone, 1)
        seconds[early] = np.maximum(seconds[early], again)
    return seconds


def _shifts(shown: Ints, zone: ZoneInfo, fold: int) -> Ints:
    """The offset of local time of the zone from UTC, s, at these local times; `fold` 1: the second
    occurrence.
    """
    quarters, place = np.unique(shown // _QUARTER, return_inverse=True)
    moments = (datetime.fromtimestamp(quarter * _QUARTER, UTC) for quarter in quarters.tolist())
    offsets = (moment.replace(tzinfo=zone, fold=fold).utcoffset() for moment in moments)
    ahead = [0 if offset is None else int(offset.total_seconds()) for offset in offsets]
    return np.array(ahead, np.int64)[place]
