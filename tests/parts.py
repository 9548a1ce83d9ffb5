"""Parts of kernels, which kernels alone call, for tests to call."""

from collections.abc import Callable
from functools import wraps
from typing import TypeVar, cast

from numba import njit

from engine.compiler.packed_tuples import packed

F = TypeVar("F", bound=Callable[..., object])


def from_python(part: F) -> F:
    """A kernel that does what its part does.

    Named tuples are packed, as simulations have them: their parts are then compiled already, or soon.
    """

    def whole(*arguments: object) -> object:
        return part(*arguments)

    compiled = njit(whole)

    @wraps(part)
    def called(*arguments: object) -> object:
        return compiled(*(packed(each) if hasattr(each, "_fields") else each for each in arguments))

    return cast("F", called)
