"""Kinds of values in a filter: how each is read, spelled, and compared with a column of jobs."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from fnmatch import translate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Mask
from engine.dates import zone_of
from engine.errors import InputError
from engine.quantities.node_sets import NodeSets
from engine.quantities.quantity import Values
from engine.spelling import format_duration, parse_duration
from engine.trace import Names, Trace

Value = str | int | float | datetime

ORDERED = ("=", "!=", "<", "<=", ">", ">=")
NAMED = ("=", "!=", "~")
"""Comparisons of numbers and times, and of names. `in` goes with both."""

_FIRST_YEAR, _LAST_YEAR = 1900, 2200

_JOULES = {"": 1.0, "j": 1.0, "kj": 1e3, "mj": 1e6, "gj": 1e9, "wh": 3600.0, "kwh": 3.6e6, "mwh": 3.6e9}
_KIB = {"k": 1, "m": 1024, "g": 1024**2, "t": 1024**3}


@dataclass(frozen=True)
class ValueFormat:
    """The format of the values of a field. `parse` raises InputError, `format` is its inverse."""

    name: str
    example: str
    parse: Callable[[str], Value]
    format: Callable[[Any], str]
    operators: tuple[str, ...] = ORDERED


def _count(text: str) -> int:
    if not re.fullmatch(r"\d{1,15}", text):
        raise InputError(f"{text!r} is not a whole number")
    return int(text)


def _ratio(text: str) -> float:
    if not re.fullmatch(r"\d{1,15}(\.\d{1,15})?", text):
        raise InputError(f"{text!r} is not a number like 1.5")
    return float(text)


def _format_ratio(value: float) -> str:
    text = repr(value)
    return text.removesuffix(".0") if "e" not in text else format(value, ".15f").rstrip("0").rstrip(".")


def _percent(text: str) -> float:
    """A percentage, with its sign or without."""
    if not re.fullmatch(r"\d{1,15}(\.\d{1,15})?%?", text):
        raise InputError(f"{text!r} is not a percentage like 50%")
    return float(text.removesuffix("%"))


def _format_percent(value: float) -> str:
    return f"{_format_ratio(value)}%"


def _energy(text: str) -> float:
    """J."""
    match = re.fullmatch(r"(\d{1,15}(?:\.\d{1,15})?)(\w{0,3})", text.lower(), re.ASCII)
    if match is None or match[2] not in _JOULES:
        raise InputError(f"cannot read the energy {text!r}; spell it like 300kJ or 5kWh")
    return float(match[1]) * _JOULES[match[2]]


def _format_energy(joules: float) -> str:
    unit = next((unit for unit in ("kWh", "MJ", "kJ") if joules and joules % _JOULES[unit.lower()] == 0), "J")
    return f"{_format_ratio(joules / _JOULES[unit.lower()])}{unit}"


def _duration(text: str) -> int:
    """Seconds; negative for earlier."""
    seconds = parse_duration(text.removeprefix("-"))
    return -seconds if text.startswith("-") else seconds


def _format_duration(seconds: int) -> str:
    return f"{'-' if seconds < 0 else ''}{format_duration(abs(seconds))}"


def _amount(text: str) -> int:
    """KiB."""
    match = re.fullmatch(r"(\d{1,12})([kmgt])", text.lower())
    if match is None:
        raise InputError(f"cannot read the amount {text!r}; spell it like 512m or 4g")
    return int(match[1]) * _KIB[match[2]]


def _format_amount(kib: int) -> str:
    unit = next(unit for unit in "tgmk" if kib % _KIB[unit] == 0)
    return f"{kib // _KIB[unit]}{unit if kib else 'k'}"


def _moment(text: str) -> int | datetime:
    """A date, with a time or without, as it is on a clock at the machine; or seconds since the log's zero."""
    # What does not begin as a date is a span since the log's zero.
    if not re.match(r"\d{4}-", text):
        try:
            return parse_duration(text)
        except InputError:
            raise InputError(f"cannot read the time {text!r}; spell it like 2013-02-28, or 3d") from None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise InputError(f"there is no date {text!r}; spell it like 2013-02-28 or 2013-02-28T14:30") from None
    # Dates of a log are those of its own clock: another zone would be ambiguous.
    if moment.tzinfo is not None or moment.microsecond:
        raise InputError(f"{text!r}: give whole seconds without a time zone; it is the log's own")
    if not _FIRST_YEAR <= moment.year <= _LAST_YEAR:
        raise InputError(f"{text!r}: years go from {_FIRST_YEAR} to {_LAST_YEAR}")
    return moment


def _format_moment(value: int | datetime) -> str:
    if isinstance(value, int):
        return format_duration(value)
    if _is_day(value):
        return value.date().isoformat()
    return value.isoformat(timespec="seconds" if value.second else "minutes")


def _is_day(moment: datetime) -> bool:
    return not (moment.hour or moment.minute or moment.second)


BARE = re.compile(r"[^\s()<>=!~,\"']+")
"""Names that need no quotes, unless they are WORDS."""

WORDS = ("and", "or", "not", "in")


def _format_name(name: str) -> str:
    if BARE.fullmatch(name) and name.lower() not in WORDS:
        return name
    return '"' + name.replace('"', '""') + '"'


NAME = ValueFormat("name", "alice", str, _format_name, NAMED)
COUNT = ValueFormat("count", "64", _count, str)
RATIO = ValueFormat("ratio", "1.5", _ratio, _format_ratio)
PERCENT = ValueFormat("percentage", "50%", _percent, _format_percent)
ENERGY = ValueFormat("energy", "5kWh", _energy, _format_energy)
DURATION = ValueFormat("duration", "2h", _duration, _format_duration)
AREA = ValueFormat("area", "100h", parse_duration, format_duration)
AMOUNT = ValueFormat("amount", "4g", _amount, _format_amount)
MOMENT = ValueFormat("moment", "2013-02-28", _moment, _format_moment)


def compare(kind: ValueFormat, values: Values, operator: str, wanted: Value, trace: Trace) -> Mask:
    """The jobs of the trace that match a comparison, shape (n,); jobs without a value never match."""
    if kind is NAME:
        assert isinstance(wanted, str)
        if isinstance(values, NodeSets):
            return _compare_nodes(values, operator, wanted)
        if not isinstance(values, Names):
            return _compare_numbers_of_jobs(values, operator, wanted)
        matching = np.array([_name_matches(name, operator, wanted) for name in values.names], np.bool_)
        return np.asarray(matching[values.codes])
    assert isinstance(values, np.ndarray)
    low, high = _bounds(wanted, trace)
    if kind is AMOUNT:
        values = values * 1024  # MiB, to be compared with KiB
    known = ~np.isnan(values)
    met: Mask = {
        "<": lambda: values < low,
        "<=": lambda: values < high,
        ">": lambda: values >= high,
        ">=": lambda: values >= low,
        "=": lambda: (values >= low) & (values < high),
        "!=": lambda: (values < low) | (values >= high),
    }[operator]()
    return np.asarray(met & known)


def _bounds(wanted: Value, trace: Trace) -> tuple[float, float]:
    """The range [low, high) of a value: for a date the whole day, for a number that number."""
    if isinstance(wanted, datetime):
        length = timedelta(days=1) if _is_day(wanted) else timedelta(seconds=1 if wanted.second else 60)
        ends = (wanted, wanted + length)
        first, last = (moment.replace(tzinfo=zone_of(trace)).timestamp() for moment in ends)
        return first - trace.zero, last - trace.zero
    assert not isinstance(wanted, str)
    return wanted, float(np.nextafter(wanted, np.inf))


def _name_matches(name: str, operator: str, wanted: str) -> bool:
    if operator == "~":
        return _pattern(wanted).match(name) is not None
    return (name == wanted) == (operator == "=")


def _pattern(text: str) -> re.Pattern[str]:
    """The pattern of `~`, in any case of letters: a text with * and ?, or else a part of the name."""
    return re.compile(translate(text if "*" in text or "?" in text else f"*{text}*"), re.IGNORECASE)


def _compare_nodes(sets: NodeSets, operator: str, wanted: str) -> Mask:
    """Jobs that ran on a node of this name, or for `!=` on none."""
    # Jobs whose nodes nobody knows are neither on the node nor elsewhere.
    if operator == "!=":
        return sets.known() & ~_compare_nodes(sets, "=", wanted)
    if operator == "~":
        pattern = _pattern(wanted)
        nodes = [pattern.match(name) is not None for name in sets.names]
    else:
        nodes = [name == wanted for name in sets.names]
    return sets.any_of(np.array(nodes, np.bool_))


def _compare_numbers_of_jobs(numbers: NDArray[Any], operator: str, wanted: str) -> Mask:
    """Job numbers are compared as names, since each job has its own."""
    if operator == "~":
        pattern = _pattern(wanted)
        return np.array([pattern.match(str(number)) is not None for number in numbers], np.bool_)
    if numbers.dtype.kind == "i":
        same = numbers == int(wanted) if re.fullmatch(r"\d{1,18}", wanted) else np.zeros(len(numbers), bool)
    else:
        same = numbers == wanted
    return np.asarray(same if operator == "=" else ~same)
