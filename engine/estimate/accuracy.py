"""The accuracy of estimates: a comparison with the actual runtimes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.arrays import Ints, Mask


class EstimateAccuracy(NamedTuple):
    """Coefficient of determination, at most 1, and share of jobs that ran longer than estimated, 0..1."""

    r2: float | None
    underestimated: float | None


def estimate_accuracy(estimate: Ints, runtime: Ints, jobs: Mask) -> EstimateAccuracy:
    """Accuracy of the estimates E of the chosen jobs against their runtimes D.

    R^2 = 1 - sum (E - D)^2 / sum (D - mean D)^2 (Goponenko et al. 2022, table IV), None
    where all runtimes are equal; both are None without jobs. All shape (n,), times in s.
    """
    believed, real = estimate[jobs].astype(np.float64), runtime[jobs].astype(np.float64)
    if not len(real):
        return EstimateAccuracy(None, None)
    total = float(((real - real.mean()) ** 2).sum())
    missed = float(((believed - real) ** 2).sum())
    r2 = 1 - missed / total if real.min() < real.max() else None
    return EstimateAccuracy(r2, float((believed < real).mean()))
