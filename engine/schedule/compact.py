"""Columns of schedules in as little memory as they need: a window holds several of 300,000 jobs."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Ints

_LEAST, _MOST = np.iinfo(np.int32).min, np.iinfo(np.int32).max


def narrow(values: Ints) -> NDArray[Any]:
    """A copy as int32 if all values fit, else as int64; seconds fit up to 68 years."""
    fits = int(values.min(initial=0)) >= _LEAST and int(values.max(initial=0)) <= _MOST
    return values.astype(np.int32 if fits else np.int64)


def shared(values: Ints, known: Ints) -> Ints:
    """The `known` array if it equals the values, otherwise the values: equal columns share memory with the
    trace.
    """
    return known if np.array_equal(values, known) else values


@lru_cache(maxsize=1)
def counted(count: int) -> Ints:
    """0, 1, 2, ..., read-only: schedules of a trace share it."""
    numbers = np.arange(count)
    numbers.flags.writeable = False
    return numbers
