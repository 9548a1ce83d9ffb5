"""The estimates that a policy can name, and the estimates without learning."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.arrays import Ints
from engine.spelling import format_real

NUMBERED = ("scaled", "survival")
"""Estimates with a number in their name: K of `scaledK`, X (in %) of `survivalX`."""


@dataclass(frozen=True)
class Estimate:
    """The runtime estimate of a scheduler: its kind, and the number of NUMBERED kinds."""

    kind: str
    number: float = 0.0

    @property
    def learns(self) -> bool:
        """True if the estimate changes as jobs complete: `last2`, `hierarchy`, `survivalX` and `linear`."""
        return self.kind not in ("requested", "actual", "scaled")

    def __str__(self) -> str:
        return self.kind + (format_real(self.number) if self.kind in NUMBERED else "")


def parse_estimate(text: str) -> Estimate:
    """The estimate of this valid name, such as `last2` or `scaled1.5`."""
    for kind in NUMBERED:
        if text.startswith(kind):
            return Estimate(kind, float(text.removeprefix(kind)))
    return Estimate(text)


def fixed_estimates(estimate: Estimate, runtime: Ints, walltime: Ints) -> Ints | None:
    """E of each job, shape (n,), s, at least 1; None for estimates that are learned.

    `requested` is the walltime, `actual` the runtime D, `scaledK` K times the runtime, rounded
    half up and not capped at the walltime (Goponenko et al. 2022, figure 4). `runtime` and
    `walltime` have shape (n,), s.
    """
    if estimate.kind == "requested":
        return np.array(walltime, np.int64)
    if estimate.kind == "actual":
        return np.array(runtime, np.int64)
    if estimate.kind == "scaled":
        scaled = np.floor(estimate.number * runtime + 0.5)
        return np.array(np.maximum(scaled, 1), np.int64)
    return None
