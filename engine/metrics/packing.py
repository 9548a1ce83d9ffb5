"""The packing of jobs: its density, and its fairness to the longest waiting jobs (Goponenko et al. 2022)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.arrays import Floats, Ints


def area_weighted(area: Ints, value: Ints) -> float | None:
    """sum(a v) / sum(a), section III: of responses it is AWF, of waits AWQ. None without any area."""
    weight = area.astype(np.float64)
    total = float(weight.sum())
    weight *= value
    return float(weight.sum()) / total if total > 0 else None


def priority_weighted(priority: Floats, area: Ints, value: Ints) -> float | None:
    """sum(p a v) / sum(p a), section IV: `area_weighted` where jobs have priorities. None without any."""
    weight = priority * area
    total = float(weight.sum())
    return float((weight * value).sum()) / total if total > 0 else None


def specific_response(wait: Ints, runtime: Ints, procs: Ints, alpha: float) -> float | None:
    """P^alpha SF, the priority weighted specific response time, in seconds (section IV).

    (alpha + 1) / (alpha + 2) sum r (F^(alpha+2) - Q^(alpha+2)) / sum r (F^(alpha+1) - Q^(alpha+1))
    with F = wait + runtime, Q = wait, r = procs. A larger alpha >= 0 weighs fairness more.
    None where nothing runs for any time.
    """
    if alpha in (0, 1, 2, 3):
        return whole_specific_responses(wait, runtime, procs, (int(alpha),))[0]
    runs = runtime > 0  # other jobs weigh nothing
    if not runs.any():
        return None
    wait, runtime, procs = wait[runs], runtime[runs], procs[runs]
    # In parts of the longest response, or a large power is too large for any float.
    longest = float((wait + runtime).max())
    above, below = (
        float((procs * _real_power_difference(wait, runtime, longest, alpha + n)).sum()) for n in (2, 1)
    )
    return (alpha + 1) / (alpha + 2) * (above / below) * longest


def whole_specific_responses(
    wait: Ints, runtime: Ints, procs: Ints, alphas: Sequence[int]
) -> list[float | None]:
    """`specific_response` for several small whole `alphas`, which share most of the work."""
    # Jobs without a runtime have F = Q and add nothing to either sum.
    runs = runtime > 0
    if not runs.any():
        return [None for _ in alphas]
    if not runs.all():
        wait, runtime, procs = wait[runs], runtime[runs], procs[runs]
    sums = _power_difference_sums(wait, runtime, procs, max(alphas) + 2)
    return [(alpha + 1) / (alpha + 2) * (sums[alpha + 2] / sums[alpha + 1]) for alpha in alphas]


def response_norm(response: Ints, p: float = 2.0) -> float | None:
    """(sum F^p)^(1/p) in seconds: the larger p, the more the longest responses count. None without jobs."""
    if len(response) == 0:
        return None
    # Scaled by the largest response, because F^p overflows for large p.
    largest = float(response.max())
    if largest == 0:
        return 0.0
    powers = response / largest
    powers **= p
    return float(largest * powers.sum() ** (1 / p))


def _power_difference_sums(wait: Ints, runtime: Ints, procs: Ints, most: int) -> list[float]:
    """The sums of r (F^n - Q^n) for n = 0 to `most`.

    F^n - Q^n as D (F^(n-1) + F^(n-2) Q + ... + Q^(n-1)): fast, and long waits do not cancel.
    """
    q = wait.astype(np.float64)
    f = q + runtime
    total = np.ones_like(q)
    power = np.ones_like(q)
    sums = [0.0]
    for n in range(1, most + 1):
        if n > 1:
            # Horner-like step: total becomes the sum of F^i Q^(n-1-i), power is Q^(n-1).
            power *= q
            total *= f
            total += power
        weighted = total * runtime
        weighted *= procs
        sums.append(float(weighted.sum()))
        del weighted
    return sums


def _real_power_difference(wait: Ints, runtime: Ints, unit: float, n: float) -> Floats:
    """F^n - Q^n in units, for any n > 0, as F^n (1 - (1 - D / F)^n): nothing cancels."""
    f = (wait + runtime) / unit
    with np.errstate(divide="ignore"):  # without any wait the logarithm is that of 0, and the difference F^n
        part = -np.expm1(n * np.log1p(-runtime / (wait + runtime)))
    return np.asarray(f**n * part)
