"""How tightly, and how fairly to the longest waiting, jobs are packed (Goponenko et al. 2022)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def area_weighted(area: Ints, value: Ints) -> float | None:
    """sum(a v) / sum(a), section III: of responses it is AWF, of waits AWQ. None without any area."""
    weight = area.astype(np.float64)
    total = float(weight.sum())
    return float((weight * value).sum()) / total if total > 0 else None


def specific_response(wait: Ints, runtime: Ints, procs: Ints, alpha: int) -> float | None:
    """P^alpha SF, the priority weighted specific response time, in seconds (section IV).

    (alpha + 1) / (alpha + 2) sum r (F^(alpha+2) - Q^(alpha+2)) / sum r (F^(alpha+1) - Q^(alpha+1))
    with F = wait + runtime, Q = wait, r = procs. A larger whole alpha >= 0 weighs fairness
    more. None where nothing runs for any time.
    """
    above = float((procs * _power_difference(wait, runtime, alpha + 2)).sum())
    below = float((procs * _power_difference(wait, runtime, alpha + 1)).sum())
    return (alpha + 1) / (alpha + 2) * above / below if below > 0 else None


def response_norm(response: Ints, p: float = 2.0) -> float | None:
    """(sum F^p)^(1/p) in seconds: the larger p, the more the longest responses count. None without jobs."""
    if len(response) == 0:
        return None
    largest = float(response.max())
    if largest == 0:
        return 0.0
    return float(largest * ((response / largest) ** p).sum() ** (1 / p))


def _power_difference(wait: Ints, runtime: Ints, n: int) -> Floats:
    """F^n - Q^n as D (F^(n-1) + F^(n-2) Q + ... + Q^(n-1)): long waits of short jobs do not cancel."""
    q = wait.astype(np.float64)
    f = q + runtime
    total = np.ones_like(q)
    power = np.ones_like(q)
    for _ in range(n - 1):
        power *= q
        total = total * f + power
    return total * runtime
