"""Durations, numbers and names as users type them: parsers, and formats that the parsers read back."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence

from engine.errors import InputError

MINUTE, HOUR, DAY = 60, 3600, 86_400
_UNITS = {"": 1, "s": 1, "m": MINUTE, "h": HOUR, "d": DAY}


def parse_duration(text: str) -> int:
    """Seconds of `90`, `30m`, `2h`, `3d`. Raises InputError."""
    match = re.fullmatch(r"(\d{1,12})([smhd]?)", text)
    if match is None:
        raise InputError(f"cannot read the duration {text!r}; spell it like 90, 30m, 2h or 3d")
    return int(match[1]) * _UNITS[match[2]]


def format_duration(seconds: int) -> str:
    """The shortest text for a whole number of seconds that `parse_duration` reads back."""
    for unit in ("d", "h", "m"):
        if seconds and seconds % _UNITS[unit] == 0:
            return f"{seconds // _UNITS[unit]}{unit}"
    return str(seconds)


def format_number(number: float) -> str:
    """The number to six decimals, without an exponent or trailing zeros."""
    return f"{number:.6f}".rstrip("0").rstrip(".")


def format_real(number: float) -> str:
    """The shortest text of a number of up to 12 decimals, without an exponent."""
    text = repr(number)
    return text.removesuffix(".0") if "e" not in text else format(number, ".12f").rstrip("0").rstrip(".")


def nearest(word: str, known: Iterable[str]) -> str:
    """`; did you mean ...?`, or nothing if no known word is similar or begins with it, ignoring case.

    A word of the same parts in another order, as `saf-easy` for `easy-saf`, has priority.
    """
    names = {name.lower(): name for name in known}
    plain = word.lower()
    parts = sorted(plain.split("-"))
    close = [name for name in names if sorted(name.split("-")) == parts]
    close += difflib.get_close_matches(plain, list(names), n=1)
    close += [name for name in names if plain and name.startswith(plain)]
    return f"; did you mean {names[close[0]]!r}?" if close else ""


def refuse_unknown(options: Iterable[str], known: Sequence[str], what: str) -> None:
    """Raise InputError for the first option that is not known."""
    for name in options:
        if name not in known:
            hint = nearest(name, known) or f"; there are {', '.join(known)}"
            raise InputError(f"{name}: {what} without such an option{hint}")
