"""Values of TOML files with their kinds checked; each function raises InputError that names the value."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engine.errors import InputError
from engine.input import read_text
from engine.shown_text import in_a_line
from engine.spelling import format_number, nearest

_LARGEST = 10**15

LONGEST_TOML = 1 << 20
"""Bytes of a file."""


def read_toml(path: Path) -> dict[str, Any]:
    """The entries of a TOML file. Raises InputError, which names the file, where it is none; OSError."""
    try:
        return tomllib.loads(read_text(path, LONGEST_TOML))
    except ValueError as error:  # no TOML, or a number of thousands of digits
        raise InputError(f"{path}: {error}") from None
    except RecursionError:
        raise InputError(f"{path}: too many brackets inside one another") from None


def texts(entries: Mapping[str, Any], name: str) -> list[str]:
    """A list of texts that is not empty."""
    values = entries.get(name, [])
    if not isinstance(values, list) or not values or not all(isinstance(value, str) for value in values):
        raise InputError(f"{name} should be a list of texts that is not empty")
    return values


def text(entries: Mapping[str, Any], name: str) -> str:
    """A text, empty where there is none."""
    value = entries.get(name, "")
    if not isinstance(value, str):
        raise InputError(f"{name} should be a text")
    return value


def shown_line(entries: Mapping[str, Any], name: str) -> str:
    """A text that is only shown, as a single line that can be shown; empty where there is none."""
    return in_a_line(" ".join(text(entries, name).split()))


def numbers(entries: Mapping[str, Any], name: str, default: list[float]) -> list[float]:
    """A list of numbers that is not empty."""
    values = entries.get(name, default)
    if not isinstance(values, list) or not values or not all(map(is_number, values)):
        raise InputError(f"{name} should be a list of numbers that is not empty")
    return [float(value) for value in values]


def switches(entries: Mapping[str, Any], name: str) -> list[bool]:
    """A list of different truth values that is not empty, `false` alone where there is none."""
    values = entries.get(name, [False])
    if not isinstance(values, list) or not values or not all(isinstance(value, bool) for value in values):
        raise InputError(f"{name} should be a list of true and false that is not empty")
    if len(set(values)) < len(values):
        raise InputError(f"{name} names {format_toml(values[-1])} twice")
    return values


def switch(entries: Mapping[str, Any], name: str) -> bool:
    """A truth value, false where there is none."""
    value = entries.get(name, False)
    if not isinstance(value, bool):
        raise InputError(f"{name} should be true or false")
    return value


def is_number(value: object) -> bool:
    """True for a finite number within bounds."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= _LARGEST


def tables(entries: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    """A list of tables."""
    values = entries.get(name, [])
    if not isinstance(values, list) or not all(isinstance(value, dict) for value in values):
        raise InputError(f"{name} should be tables, each begun by [[{name}]]")
    return values


def table(entries: Mapping[str, Any], name: str, example: str) -> dict[str, Any]:
    """A table, empty where there is none."""
    values = entries.get(name, {})
    if not isinstance(values, dict):
        raise InputError(f"{name} should be a table, like {example}")
    return values


def format_toml(value: object) -> str:
    """A value of TOML formatted as in policies."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "on" if value else "off"
    if is_number(value):
        return format_number(value)  # type: ignore[arg-type]
    if isinstance(value, int) and not isinstance(value, bool):  # it may have too many digits to be printed
        raise InputError(
            f"a whole number of {value.bit_length():,} bits is neither a text nor a usable number"
        )
    raise InputError(f"{value!r} is neither a text nor a number")


def refuse_unknown(entries: Mapping[str, Any], known: tuple[str, ...], what: str) -> None:
    """Raise InputError for an unknown name, with the most similar known name."""
    for name in entries:
        if name not in known:
            raise InputError(f"{what} has no {name!r}{nearest(name, known)}")
