"""The parameters of results: their names, and the order of their values."""

from __future__ import annotations

import re
from collections.abc import Sequence

from engine.errors import InputError
from engine.own.allowed_code import own_path
from engine.policy.keys import KEY

LOG = "log"
POLICY = "policy"

_WITH_NUMBER = re.compile(r"([a-z]+(?:(?::[0-9.]{1,18}){0,3}:)?)([0-9]{1,9}(?:\.[0-9]{1,9})?)")


def measure_of(metric: str) -> str:
    """The measure of a metric: its name without the number that it may take.

    A metric of own code is a measure of its own: a file may have several.
    """
    return metric if own_path(metric) else metric.partition(":")[0]


def parameter_of_metric(metric: str) -> dict[str, str]:
    """The number that a metric takes, by the name of its parameter."""
    if own_path(metric):
        return {}
    name, equals, value = metric.partition(":")[2].partition("=")
    return {name: value} if equals else {}


def ordered_values(name: str, values: tuple[str, ...]) -> tuple[str, ...]:
    """The values of a parameter: ascending where all are numbers, otherwise as they come."""
    numbers = numbers_of(name, values)
    if numbers is None:
        return values
    return tuple(value for _, value in sorted(zip(numbers, values, strict=True)))


def numbers_of(name: str, values: Sequence[str]) -> list[float] | None:
    """The values of a parameter as numbers, durations in s; None if any is a word."""
    span = KEY[name].range if name in KEY else None
    try:
        return [float(value if span is None else span.parse(name, value)) for value in values]
    except (ValueError, InputError):
        return _numbered(values) if name != POLICY else None


def are_durations(name: str, values: Sequence[str]) -> bool:
    """True for numbers that are spelled as durations, such as `30m`: `numbers_of` gives them in s."""
    if name not in KEY or KEY[name].range is None:
        return False
    return any(not value.replace(".", "", 1).isdigit() for value in values)


def _numbered(values: Sequence[str]) -> list[float] | None:
    """The numbers of words like `scaled2` and `scaled10`, or the last of `normal:5000:1000`.

    None if they are not the same word with numbers of which the last alone differs.
    """
    matches = [_WITH_NUMBER.fullmatch(value) for value in values]
    words = {match[1] for match in matches if match is not None}
    if len(words) != 1 or len(values) < 3 or None in matches:
        return None
    return [float(match[2]) for match in matches if match is not None]
