"""Durations and changes as people read them, the same in sentences, tables and charts."""

from __future__ import annotations

from engine.words import format_count, format_seconds

_DAY, _YEAR = 86_400, 365 * 86_400


def duration(seconds: float) -> str:
    """The two largest units: `4.2 s`, `12 min 5 s`, `2 h 13 min`, `4 d 2 h`; from 1000 days on `3 y 40 d`."""
    if abs(seconds) < 9.95 and seconds != int(seconds):
        return f"{seconds:.2g} s".replace("-", "−")
    if abs(seconds) < 1000 * _DAY:
        return format_seconds(seconds).replace("-", "−")
    years, rest = divmod(round(abs(seconds)), _YEAR)
    days = f" {rest // _DAY} d" if years < 100 and rest >= _DAY else ""
    return f"{'−' if seconds < 0 else ''}{format_count(years)} y{days}"


def rough_duration(seconds: int) -> str:
    """So many seconds in words, to the minute, and to the hour from ten hours on: no start is surer."""
    step = 1 if seconds < 60 else 60 if seconds < 36_000 else 3600
    return format_seconds(seconds // step * step)


def from_now(seconds: int) -> str:
    """A start so many s from now, in words."""
    return "now" if seconds < 60 else f"in {rough_duration(seconds)}"


def signed_percent(value: float) -> str:
    """A change in %: `+12.3 %`, `−0.4 %`, `+1 240 %`; `0 %` where it would round to nothing."""
    if abs(value) < 0.05:
        return "0 %"
    size = format_count(abs(value)) if abs(value) >= 100 else f"{abs(value):.1f}"
    return f"{'+' if value > 0 else '−'}{size} %"


def hours(seconds: float, signed: bool = False) -> str:
    """A sum of times: `1 234 h`, `0.4 h`; with a sign `+12 h`, `−3.2 h`."""
    value = abs(seconds) / 3600
    text = format_count(value) if value >= 9.95 or not seconds else f"{max(value, 0.1):.1f}"
    sign = "" if not signed or not seconds else "+" if seconds > 0 else "−"
    return f"{sign}{text} h"


def format_mib(mib: int) -> str:
    """`512 MiB`, `1.5 GiB`."""
    if mib < 1024:
        return f"{mib} MiB"
    return f"{mib / 1024:.1f}".removesuffix(".0") + " GiB"


def how_often(times: int) -> str:
    """`never`, `once`, `7 times`."""
    return ("never", "once")[times] if times < 2 else f"{format_count(times)} times"


def resource_words(resource: str) -> tuple[str, str]:
    """The name of a resource in texts, and its unit after a number."""
    known = {"cpus": ("processors", ""), "ram": ("RAM", " MiB"), "gpu": ("GPUs", "")}
    return known.get(resource, (resource, ""))
