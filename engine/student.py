"""Quantiles of Student's t distribution, for any number of degrees of freedom."""

from __future__ import annotations

import math
from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray

_NODES = 64  # of the quadrature: exact to 1e-9 up to _NORMAL degrees of freedom
_STEPS = 60  # at most; about eight are taken
_NORMAL = 1e4  # from here on the quantile differs from the normal distribution's by less than 3e-4
_NORMAL_975 = 1.959963984540054


@lru_cache(maxsize=4096)
def student_quantile(freedom: float) -> float:
    """The t that a Student variable with `freedom` >= 1 degrees of freedom exceeds in 2.5 % of cases.

    With t = sqrt(freedom) tan(a) the distribution function is 1/2 + C times the integral of
    cos(x)^(freedom - 1) from 0 to a (Abramowitz & Stegun 1964, 26.7.1).
    """
    if freedom > _NORMAL:
        return _NORMAL_975
    scale = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)) / math.sqrt(math.pi)
    at, weight = _nodes()
    angle = 0.0
    # Newton's steps for `a`: the integral is concave in it, so they approach from below and never overshoot.
    for _ in range(_STEPS):
        integral = angle / 2 * float(weight @ np.cos(angle * (at + 1) / 2) ** (freedom - 1))
        step = (0.475 / scale - integral) / math.cos(angle) ** (freedom - 1)
        angle += step
        if step < 1e-13 * angle:
            break
    return math.sqrt(freedom) * math.tan(angle)


@cache
def _nodes() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Points and weights of Gauss and Legendre between -1 and 1."""
    at, weight = np.polynomial.legendre.leggauss(_NODES)
    return at, weight
