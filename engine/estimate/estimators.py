"""The estimates that a policy can name, and those that need no learning."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


def learns(name: str) -> bool:
    """Whether the estimate of this (valid) name changes as jobs complete.

    Those are `last2`, `hierarchy`, `survivalX` (X in %) and `linear`.
    """
    return name not in ("requested", "actual") and not name.startswith("scaled")


def fixed_estimates(name: str, runtime: Ints, walltime: Ints) -> Ints | None:
    """The estimate E of each job, shape (n,), s, at least 1; None for estimates that are learned.

    `requested` is the walltime, `actual` the runtime D, `scaledK` K times the runtime, rounded
    half up and not capped at the walltime (Goponenko et al. 2022, figure 4). `runtime` and
    `walltime` have shape (n,), s; `name` is valid.
    """
    if name == "requested":
        return np.array(walltime, np.int64)
    if name == "actual":
        return np.array(runtime, np.int64)
    if name.startswith("scaled"):
        scaled = np.floor(float(name.removeprefix("scaled")) * runtime + 0.5)
        return np.array(np.maximum(scaled, 1), np.int64)
    return None
