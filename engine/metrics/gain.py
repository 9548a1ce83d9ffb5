"""A single number for several metrics: scores and the relative gain over a scheme (Tang et al. 2013)."""

from __future__ import annotations

import numpy as np

from engine.arrays import Floats

GAIN_METRICS = ("wait_mean", "unfair_jobs", "loss_of_capacity_fit")
"""The metrics that are weighted, in the order of the weights; smaller values are better."""

WEIGHTS: dict[str, tuple[float, float, float]] = {
    "EQUAL": (1 / 3, 1 / 3, 1 / 3),
    "WAIT+": (0.5, 0.25, 0.25),
    "UNFAIR+": (0.25, 0.5, 0.25),
    "LOC+": (0.25, 0.25, 0.5),
}
"""Weights by name (Tang et al. 2013, figure 12)."""


def scaled_scores(values: Floats) -> Floats:
    """Scores of the schemes, shape (schemes, metrics): each metric's worst is 100 (figure 11).

    `values`, of the same shape and at least 0, are metrics to minimise; NaN marks a missing metric and stays.
    If all values of a metric are 0, all its scores are 0.
    """
    worst = np.fmax.reduce(values, axis=0, initial=0.0)
    return np.asarray(100.0 * values / np.where(worst > 0, worst, 1.0))


def relative_gain(scores: Floats, baseline: int, weights: tuple[float, ...]) -> Floats:
    """The gain of each scheme over scheme `baseline` in %, shape (schemes,) (figure 12).

    The sum over metrics of w G with G = 100 (S_A - S_B) / S_A of the baseline's score S_A and a scheme's S_B;
    `weights` add up to 1. If S_A is 0 the gain is 0 for a scheme with 0, and undefined (NaN) for others.
    """
    base = scores[baseline]
    with np.errstate(divide="ignore", invalid="ignore"):
        gain = 100.0 * (base - scores) / base
    gain = np.where((base == 0) & (scores == 0), 0.0, gain)
    gain[np.isinf(gain)] = np.nan
    return np.asarray(gain @ np.array(weights))
