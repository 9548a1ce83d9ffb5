"""Parts of kernels, which kernels alone call, for tests to call."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from numba import njit

F = TypeVar("F", bound=Callable[..., object])


def from_python(part: F) -> F:
    """A kernel that does what its part does."""

    def whole(*arguments: object) -> object:
        return part(*arguments)

    compiled: F = njit(whole)
    return compiled
