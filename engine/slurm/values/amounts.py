"""Amounts as Slurm writes them: numbers with a unit of 1024, and memory."""

from __future__ import annotations

import re

from engine.errors import InputError
from engine.words import clip

_AMOUNT = re.compile(r"(\d{1,15})(\.\d{1,9})?([kmgtp]?)", re.ASCII | re.IGNORECASE)
_POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4, "p": 5}
_MIB = 2


def amount_of(text: str) -> float | None:
    """The number of `12`, `1.5K` or `4g`, units being powers of 1024; None for other texts.

    Whole numbers below 2^53 are exact.
    """
    return _number(text, 0)


def mebibytes(text: str) -> float | None:
    """The MiB of `62.50G`, `3000M` or `4000`, which is in MiB too; None for other texts."""
    return _number(text, _MIB)


def read_count(name: str, text: str) -> int:
    """A whole number, which may end in k, m, g or t, powers of 1024. Raises InputError."""
    number = None if "." in text else amount_of(text)
    if number is None:
        raise InputError(f"{name}={clip(text)} is not a whole number")
    return int(number)


def _number(text: str, usual_power: int) -> float | None:
    """The amount in units of 1024 ** `usual_power`, which is also the unit of a number without one."""
    match = _AMOUNT.fullmatch(text.strip())
    if match is None:
        return None
    whole, fraction, unit = match.groups()
    power = _POWERS[unit.lower()] if unit else usual_power
    number = float(whole + fraction) if fraction else int(whole)
    return number * 1024.0 ** (power - usual_power)
