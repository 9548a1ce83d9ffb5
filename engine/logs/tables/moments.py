"""Times of a table in other units: fractions of seconds since 1970, and dates written as a single number."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats
from engine.limits import MAX_TIME
from engine.logs.tables.cells import NumberColumn
from engine.trace.records import UNIX_TIMES
from engine.trace.trace import MISSING

_FRACTIONS = {1e3: "milliseconds", 1e6: "microseconds", 1e9: "nanoseconds"}
_LATEST = float(1 << 32)  # s since 1970, in the year 2106
_SERIAL = (36_526, 73_050)  # the years 2000 to 2099 as days since the end of 1899
_EPOCH_DAY = 25_569  # 1970-01-01, counted so
_DAYS = (19_700_102, 21_000_101)
_SECONDS = (19_700_102_000_000, 21_000_101_000_000)


def in_seconds(cells: NumberColumn) -> tuple[NumberColumn, str]:
    """Times in seconds, and the detected unit; empty for seconds.

    All numbers of a column are read as milli-, micro- or nanoseconds since 1970 if they are too large for
    seconds, and as dates if each is a valid date, as 20240131 and 20240131100000.
    """
    numbers = _numbers(cells)
    values = cells.values[numbers]
    if not len(values):
        return cells, ""
    low, high = float(values.min()), float(values.max())
    # Too large for seconds, but right as a part of a second.
    for fraction, name in _FRACTIONS.items():
        if low > MAX_TIME and low / fraction > UNIX_TIMES and high / fraction < _LATEST:
            scaled = cells.values.copy()
            scaled[numbers] = values / fraction
            return replace(cells, values=scaled), f"{name} since 1970"
    # Numbers such as 20240131 may be dates, but only if all of them are.
    for (first, last), name in ((_DAYS, "dates without a time of day"), (_SECONDS, "dates")):
        if first <= low and high <= last and (found := _dates(values, first == _DAYS[0])) is not None:
            scaled, dates, wall = cells.values.copy(), cells.dates.copy(), cells.wall.copy()
            scaled[numbers], dates[numbers], wall[numbers] = found, True, True
            return replace(cells, values=scaled, dates=dates, wall=wall), f"{name} like {int(low)}"
    return cells, ""


def seem_serials(cells: NumberColumn) -> bool:
    """True if the numbers of a column may be dates of a spreadsheet: days since 1900, most with a time."""
    values = cells.values[_numbers(cells)]
    if not len(values) or values.min() <= _SERIAL[0] or values.max() >= _SERIAL[1]:
        return False
    return bool((values % 1 > 0).mean() > 0.5)


def of_serials(cells: NumberColumn) -> NumberColumn:
    """Local times of numbers that are days since the end of 1899, which are read as 86,400 s each."""
    numbers = _numbers(cells)
    values, dates, wall = cells.values.copy(), cells.dates.copy(), cells.wall.copy()
    values[numbers] = np.round(values[numbers]) - _EPOCH_DAY * 86_400
    dates[numbers] = wall[numbers] = True
    return replace(cells, values=values, dates=dates, wall=wall)


def _numbers(cells: NumberColumn) -> NDArray[np.bool_]:
    """The cells that are plain numbers of some time, shape (n,)."""
    return (cells.values > 0) & ~cells.dates & np.isfinite(cells.values)


def _dates(values: Floats, days: bool) -> Floats | None:
    """Seconds since 1970 of dates that are numbers; None if any is invalid."""
    different, place = np.unique(values, return_inverse=True)
    found = []
    for value in different.tolist():
        try:
            moment = datetime.strptime(f"{value:.0f}+0000", "%Y%m%d%z" if days else "%Y%m%d%H%M%S%z")
        except ValueError:
            return None
        found.append(moment.timestamp())
    return np.array(found, np.float64)[place] if (values % 1 == 0).all() else None


def real_moments(cells: NumberColumn, dated: bool) -> NumberColumn:
    """Times without placeholders: infinite times, and zeros among dates."""
    none = ~np.isfinite(cells.values) | (dated & (cells.values <= 0))
    values = np.where(none, float(MISSING), cells.values)
    return replace(cells, values=values, dates=cells.dates & ~none, wall=cells.wall & ~none)
