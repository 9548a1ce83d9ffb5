"""Progress and cancelling of a running kernel, through one small shared array."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

CANCEL = 0
ENDED = 1


class Control:
    """The progress and cancel flag that a kernel and its caller share while the kernel runs.

    The kernel counts ended jobs in `array[ENDED]` and stops soon after `array[CANCEL]`
    is not 0. Any thread may call the methods.
    """

    def __init__(self, jobs: int = 0) -> None:
        self.array: NDArray[np.int64] = np.zeros(2, np.int64)
        self.jobs = jobs

    def cancel(self) -> None:
        """Ask the kernel to stop; it does so within a few events."""
        self.array[CANCEL] = 1

    @property
    def cancelled(self) -> bool:
        """Whether `cancel` was called."""
        return bool(self.array[CANCEL])

    @property
    def progress(self) -> float:
        """Ended jobs of all jobs, 0 to 1."""
        return float(self.array[ENDED]) / self.jobs if self.jobs else 0.0


class Cancelled(Exception):  # noqa: N818 - not an error
    """The work was cancelled; it has no result."""
