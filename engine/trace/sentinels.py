"""The numbers that stand for no value, or for no limit, in logs: Slurm's NO_VAL and INFINITE.

Both are written as they are by databases, by JSON and by scripts that convert logs, in fields of any kind.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.trace.trace import MISSING

NO_VALUE, INFINITE = (1 << 32) - 2, (1 << 32) - 1
"""NO_VAL and INFINITE of `slurm.h`; as times since 1970 they are in the year 2106."""

NO_VALUES = frozenset((NO_VALUE, INFINITE, (1 << 64) - 2, (1 << 64) - 1, 1 << 64))
"""These, with 32 and with 64 bits; as floating-point numbers the latter are 2^64."""

NO_VALUE_TEXTS = frozenset(str(number).encode() for number in NO_VALUES)
"""The same as texts."""


def without_no_values(values: NDArray[Any]) -> NDArray[Any]:
    """Numbers with MISSING in place of NO_VALUES, shape (n,); the same array where there are none."""
    # Most columns are narrow, or have no number of this size: these are not searched.
    if values.dtype.itemsize < 8 or not values.max(initial=0) >= NO_VALUE:
        return values
    none = (values == NO_VALUE) | (values == INFINITE) | (values == 2.0**64)
    return np.where(none, values.dtype.type(MISSING), values) if none.any() else values
