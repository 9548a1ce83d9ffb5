"""Delay tolerance: what is left of a job's value when its response is so many times its runtime.

Van den Bossche, Vanmechelen & Broeckhove 2011, section 5.1.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from engine.arrays import Floats

DELTA = 5.0
"""The delay tolerance where none is named: the smaller of the two that the paper shows in all its figures."""


def linear(delay: Floats, delta: float) -> Floats:
    """The share of the value that is left (equation 2), 1 to 0; nothing from a delay of delta + 1 on.

    `delay` is F / D, any shape; `delta`, above 0, in runtimes.
    """
    return np.clip(1.0 - (delay - 1.0) / delta, 0.0, 1.0)


def exponential(delay: Floats, delta: float) -> Floats:
    """The tolerance that falls faster at first and never to 0 (equation 3): exp((1 - delay) / tau).

    tau = delta / 2, so that the integral is that of `linear` (equation 8).
    """
    return np.asarray(np.exp(np.minimum(1.0 - delay, 0.0) / (delta / 2)))


TOLERANCES: dict[str, Callable[[Floats, float], Floats]] = {"linear": linear, "exponential": exponential}
"""Shapes of the tolerance by name."""
