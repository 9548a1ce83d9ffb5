"""Values with and without units in a readable format; tooltips have the exact values."""

from __future__ import annotations

import math

from engine import shown_values
from views.text.counts import format_count

MINUTE, HOUR, DAY = 60, 3600, 86_400

NOTHING = "–"
"""The text for a missing value."""


def duration(seconds: float | None) -> str:
    """The two largest units: `4.2 s`, `12 min 5 s`, `2 h 13 min`, `4 d 2 h`; from 1000 days on `3 y 40 d`."""
    return NOTHING if seconds is None or math.isnan(seconds) else shown_values.duration(seconds)


def brief(seconds: float | None) -> str:
    """The largest unit alone, where columns are narrow: `45 s`, `12.1 min`, `2.2 h`, `4.1 d`."""
    if seconds is None or math.isnan(seconds):
        return NOTHING
    for size, unit in ((DAY, "d"), (HOUR, "h"), (MINUTE, "min")):
        if abs(seconds) >= size:
            return (
                f"{seconds / size:,.1f} {unit}".replace("-", "−").replace(",", "\u202f").replace(".0 ", " ")
            )
    return duration(seconds)


def minutes(value: float) -> str:
    """A number of minutes: `42 min`, `99 300 min`; from 100 000 min on in days: `6 944 d` for 10 million."""
    if abs(value) < 100_000:
        return f"{number(value)} min"
    return f"{thin(f'{value * MINUTE / DAY:,.0f}')} d".replace("-", "−")


def number(value: float | None) -> str:
    """Whole numbers and large numbers in full, otherwise three or four digits: `353 776`, `12.34`,
    `0.012`.
    """
    if value is None or math.isnan(value):
        return NOTHING
    if value == int(value) or abs(value) >= 1000:
        return format_count(value).replace("-", "−")
    if abs(value) < 0.001:
        return f"{value:.1e}".replace("-", "−")
    decimals = 3 if abs(value) < 1 else 2 if abs(value) < 100 else 1
    return f"{value:.{decimals}f}".replace("-", "−")


def compact(value: float) -> str:
    """Like `number`, but from 100 000 on in thousands, millions and so on: `250 k`, `7.95 M`."""
    for unit, letter in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        least = 0.9995 * unit if unit > 1e3 else 1e5  # three digits would round up to the next unit
        if abs(value) >= least:
            return f"{value / unit:.3g} {letter}".replace("-", "−")
    return number(value)


def percent(value: float | None) -> str:
    """A percentage, given as 0..100: `12.3 %`; only 0 and 100 are shown without a decimal."""
    if value is None or math.isnan(value):
        return NOTHING
    if value in (0, 100):
        return f"{value:.0f} %"
    return "< 0.1 %" if 0 < value < 0.05 else f"{value:.1f} %"


def signed_percent(value: float | None) -> str:
    """A change in %: `+12.3 %`, `−0.4 %`, `+1 240 %`; `0 %` where it would round to nothing."""
    return NOTHING if value is None or math.isnan(value) else shown_values.signed_percent(value)


def memory(mebibytes: float) -> str:
    """RAM in the largest unit that gives at least 1: `512 MiB`, `1.5 GiB`, `14.1 TiB`, `20 TiB`."""
    value, unit = float(mebibytes), "MiB"
    for larger in ("GiB", "TiB", "PiB"):
        if round(value, 1) < 1024:
            break
        value, unit = value / 1024, larger
    digits = f"{value:.1f}" if value < 1000 else format_count(value)
    return f"{digits.removesuffix('.0')} {unit}"


def processor_time(seconds: float | None) -> str:
    """Processor time, given in processor-seconds, as hours: `0.25 CPU h`, `1 394 CPU h`, `1.39 M CPU h`.

    Very little is `< 0.001 CPU h`, as it is below percentages; tooltips have the exact value.
    """
    if seconds is None or math.isnan(seconds):
        return NOTHING
    if 0 < seconds < HOUR / 1000:
        return "< 0.001 CPU h"
    return f"{compact(seconds / HOUR)} CPU h"


def energy(joules: float | None) -> str:
    """Energy, given in J, as `540 J`, `54.2 kJ`, and from 0.1 kWh on as `1.25 kWh` or `3.1 MWh`."""
    if joules is None or math.isnan(joules):
        return NOTHING
    for least, size, unit in ((3.6e9, 3.6e9, "MWh"), (3.6e5, 3.6e6, "kWh"), (1e3, 1e3, "kJ")):
        if abs(joules) >= least:
            return f"{compact(joules / size)} {unit}"
    return f"{number(joules)} J"


def power(milliwatts: float) -> str:
    """Power, given in mW, as `540 W`, `54.2 kW` or `3.1 MW`."""
    for size, unit in ((1e9, "MW"), (1e6, "kW")):
        if abs(milliwatts) >= 0.9995 * size:
            return f"{milliwatts / size:.3g} {unit}".replace("-", "−")
    return f"{number(round(milliwatts / 1e3, 1))} W"


def thin(digits: str) -> str:
    """Digits with thin spaces instead of commas between thousands."""
    return digits.replace(",", "\u202f")
