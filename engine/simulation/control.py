"""Progress and cancelling of a running kernel, through one small shared array."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

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


_thread = threading.local()


@contextmanager
def controlled_by(control: Control) -> Iterator[None]:
    """Let what this thread does be stopped by a control, even where it is not handed on: see `is_stopped`."""
    before = _control_here()
    _thread.control = control
    try:
        yield
    finally:
        _thread.control = before


def is_stopped() -> bool:
    """Whether the work of this thread was cancelled; False if nothing can cancel it."""
    control = _control_here()
    return control is not None and control.cancelled


def thread_pool(threads: int) -> ThreadPoolExecutor:
    """A pool of threads whose work is cancelled with that of the calling thread."""
    return ThreadPoolExecutor(threads, initializer=_adopt, initargs=(_control_here(),))


def _adopt(control: Control | None) -> None:
    _thread.control = control


def _control_here() -> Control | None:
    control: Control | None = getattr(_thread, "control", None)
    return control
