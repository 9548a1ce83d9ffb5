"""Jobs by the hour of the day and the day of the week at which they are submitted, on the machine's clock."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from engine.dates import zone_of
from engine.trace import Names, Trace

HOUR, DAY = 3600, 86_400

HOURS = tuple(f"{hour:02d}:00" for hour in range(24))
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

_MONDAY = 3
"""Days from a Monday to 1 January 1970."""


def hours_of_day(trace: Trace) -> Names:
    """The hour of the day of each job's submission, from 00:00."""
    return Names((_local_time(trace) // HOUR % 24).astype(np.int32), HOURS)


def weekdays(trace: Trace) -> Names:
    """The day of the week of each job's submission, from Monday."""
    return Names(((_local_time(trace) // DAY + _MONDAY) % 7).astype(np.int32), WEEKDAYS)


def weeks(trace: Trace) -> Names:
    """The week of each job's submission by its Monday, `2013-03-04`; weeks without a job are left out."""
    day = _local_time(trace) // DAY
    there, codes = np.unique(day - (day + _MONDAY) % 7, return_inverse=True)
    return Names(codes.astype(np.int32), tuple(map(str, there.astype("datetime64[D]"))))


def months(trace: Trace) -> Names:
    """The month of each job's submission, like `2013-03`; months without a job are left out."""
    month = _local_time(trace).astype("datetime64[s]").astype("datetime64[M]")
    there, codes = np.unique(month, return_inverse=True)
    return Names(codes.astype(np.int32), tuple(map(str, there)))


def _local_time(trace: Trace) -> NDArray[np.int64]:
    """Submissions as a clock at the machine shows them, s from 1970 there, shape (n,)."""
    moment, zone = trace.submit + trace.zero, zone_of(trace)

    def shift(time: int) -> int:
        """Seconds that the machine's clock is ahead of UTC."""
        ahead = datetime.fromtimestamp(time, UTC).astimezone(zone).utcoffset()
        return 0 if ahead is None else int(ahead.total_seconds())

    local = moment.copy()
    for day, span in _stretches(moment // DAY):
        at_dawn = shift(day * DAY)
        if at_dawn == shift((day + 1) * DAY):
            local[span] += at_dawn
        else:  # clocks are changed that day, at a whole hour
            for hour, part in _stretches(moment[span] // HOUR):
                local[span][part] += shift(hour * HOUR)
    return local


def _stretches(values: NDArray[np.int64]) -> Iterator[tuple[int, slice]]:
    """Each value of an ascending array, and its positions."""
    begins = np.flatnonzero(np.diff(values, prepend=values[:1] - 1))
    for begin, end in pairwise([*begins.tolist(), len(values)]):
        yield int(values[begin]), slice(begin, end)
