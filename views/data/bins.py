"""Classes of value, for histograms."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from views.data.samples import RunValues, Samples

Floats = NDArray[np.float64]

BINS = 36
"""Classes of value, equally wide on the scale."""


def bin_edges(samples: Samples) -> Floats:
    """Coordinates on the scale between which the classes lie, shape (BINS + 1,)."""
    low, high = samples.scale.full_range
    return np.linspace(low, high, BINS + 1)


def bin_shares(samples: Samples, run: RunValues, edges: Floats) -> Floats:
    """The share of the run's units in each class, in %, shape (BINS,)."""
    count, _ = np.histogram(samples.scale.coordinates_of(run.ordered), edges)
    return 100.0 * count / max(len(run.ordered), 1)
