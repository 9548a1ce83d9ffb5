"""What jobs of archived logs used of their time limits: for queues of which no log is known."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

LEVELS = tuple((k + 0.5) / 25 for k in range(25))
"""The levels of the quantiles below."""

# fmt: off
USED_OF_LIMITS: dict[str, tuple[float, ...]] = {
    "CEA-Curie": (
        0, 0, 0, 0, 0.001, 0.001, 0.002, 0.003, 0.004, 0.007, 0.009, 0.015, 0.021, 0.031, 0.047,
        0.068, 0.098, 0.142, 0.193, 0.288, 0.399, 0.542, 0.739, 0.977, 1,
    ),
    "CTC-SP2": (
        0.001, 0.004, 0.012, 0.03, 0.052, 0.07, 0.091, 0.117, 0.144, 0.175, 0.203, 0.232, 0.27,
        0.323, 0.39, 0.46, 0.519, 0.589, 0.662, 0.744, 0.824, 0.899, 0.978, 1, 1,
    ),
    "HPC2N": (
        0, 0, 0.001, 0.003, 0.009, 0.02, 0.038, 0.072, 0.12, 0.199, 0.272, 0.375, 0.475, 0.58, 0.65,
        0.697, 0.754, 0.805, 0.877, 0.924, 0.97, 0.98, 0.986, 1, 1,
    ),
    "KTH-SP2": (
        0, 0.004, 0.017, 0.033, 0.05, 0.067, 0.092, 0.126, 0.173, 0.217, 0.27, 0.34, 0.413, 0.5,
        0.583, 0.675, 0.753, 0.816, 0.871, 0.908, 0.942, 0.985, 0.996, 0.999, 1,
    ),
    "SDSC-BLUE": (
        0.004, 0.006, 0.006, 0.008, 0.016, 0.025, 0.034, 0.046, 0.061, 0.077, 0.096, 0.111, 0.135,
        0.169, 0.211, 0.269, 0.339, 0.434, 0.533, 0.647, 0.76, 0.865, 1, 1, 1,
    ),
    "SDSC-SP2": (
        0.001, 0.004, 0.008, 0.014, 0.026, 0.037, 0.051, 0.066, 0.083, 0.098, 0.114, 0.131, 0.157,
        0.196, 0.247, 0.308, 0.373, 0.453, 0.544, 0.647, 0.742, 0.848, 0.925, 1, 1,
    ),
    "Zewura": (
        0, 0, 0, 0, 0.001, 0.003, 0.005, 0.01, 0.018, 0.025, 0.038, 0.047, 0.074, 0.127, 0.163,
        0.214, 0.259, 0.303, 0.338, 0.367, 0.418, 0.509, 0.64, 0.829, 1,
    ),
}
# fmt: on
"""Quantiles of the parts of their limits that jobs ran for, 0 to 1, in logs of the Parallel Workloads Archive
and one of MetaCentrum; `python -m tests.engine.now.usual_shares` makes them again.
"""


def usual_parts() -> NDArray[np.float64]:
    """Parts of limits to draw from, ascending: those of all logs together, each log counting alike."""
    return np.sort(np.array(list(USED_OF_LIMITS.values()), np.float64).ravel())
