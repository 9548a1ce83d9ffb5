"""Times of a log in the time zone that its clocks showed."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import numpy as np
from numpy.typing import NDArray

from engine.errors import InputError
from engine.trace.records import Records
from engine.trace.swf import ZONE_NAME

Ints = NDArray[np.int64]

_QUARTER = 900  # s; no zone changes its distance to UTC within one
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

    What the log counts from a known second is only shown otherwise. Times that clocks showed
    become seconds: a job that runs while clocks are put back takes the hour that was shown twice.
    """
    zone = zone_named(name)
    notes = tuple(note for note in records.notes if note.rule != "time_zone")
    records = replace(records, timezone=name, notes=notes)
    if not records.wall_clock:
        return records
    submit = _seconds(records.submit, zone)
    began = _seconds(records.submit + records.wait, zone)
    ended = _seconds(records.submit + records.wait + records.runtime, zone)
    started = (records.submit > 0) & (records.wait >= 0)
    return replace(
        records,
        submit=submit,
        wait=np.where(started, np.maximum(began - submit, 0), records.wait),
        runtime=np.where(started & (records.runtime > 0), np.maximum(ended - began, 1), records.runtime),
        eligible=None if records.eligible is None else _seconds(records.eligible, zone),
        wall_clock=False,
    )


def _seconds(shown: Ints, zone: ZoneInfo) -> Ints:
    """Seconds since 1970 of times that clocks showed, read as UTC; those <= 0, which are none, stay."""
    real = (shown > 0) & (shown < _LAST)
    quarters, place = np.unique(shown[real] // _QUARTER, return_inverse=True)
    shifts = [_shift(quarter * _QUARTER, zone) for quarter in quarters.tolist()]
    seconds = shown.copy()
    seconds[real] -= np.array(shifts, np.int64)[place]
    return seconds


def _shift(shown: int, zone: ZoneInfo) -> int:
    """How far clocks of the zone were ahead of UTC, s, when they showed this."""
    moment = datetime.fromtimestamp(shown, UTC).replace(tzinfo=zone)
    offset = moment.utcoffset()
    return int(offset.total_seconds()) if offset is not None else 0
