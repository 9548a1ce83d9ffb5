"""Queues with prices: the choice of a queue by the value of a job."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from engine.arrays import Floats, Ints
from engine.errors import InputError
from engine.spelling import format_number

_PRICES = re.compile(r"(\d{1,9}(?:\.\d{1,6})?)\.\.(\d{1,9}(?:\.\d{1,6})?)")


@dataclass(frozen=True)
class Prices:
    """The lowest price of queues, and what all their prices stay below."""

    low: float
    high: float

    def __str__(self) -> str:
        return f"{format_number(self.low)}..{format_number(self.high)}"


def parse_prices(text: str) -> Prices:
    """The prices that `100..10000` spells. Raises InputError."""
    match = _PRICES.fullmatch(text)
    if match is None:
        raise InputError(f"prices cannot be {text!r}; spell them like 100..10000")
    low, high = float(match[1]), float(match[2])
    if low >= high:
        raise InputError(f"prices cannot be {text!r}: the first is not below the second")
    return Prices(low, high)


def price(queue: Ints, queues: int, low: float, high: float) -> Floats:
    """P_i = low + i (high - low) / n of each queue i, any shape (Van den Bossche et al. 2011, equation 1)."""
    return np.asarray(low + queue * (high - low) / queues)


def priced_queue(value: Floats, queues: int, low: float, high: float) -> Ints:
    """The queue of each job, shape (n,): that with the highest price not above its value, 0 at least."""
    guess = np.floor((value - low) * queues / (high - low)).astype(np.int64)
    guess = np.clip(guess, 0, queues - 1)  # right but for rounding at a price
    above = np.minimum(guess + 1, queues - 1)
    shortest = np.where(price(above, queues, low, high) <= value, above, guess)
    return np.where(price(shortest, queues, low, high) > value, np.maximum(shortest - 1, 0), shortest)
