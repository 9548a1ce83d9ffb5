"""How kernels are compiled: one decorator, so that all are compiled alike."""

from __future__ import annotations

import platform
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba
from llvmlite import ir
from numba import njit
from numba.core import types
from numba.core.caching import UserProvidedCacheLocator
from numba.core.cgutils import get_or_insert_function
from numba.extending import intrinsic

from engine.kernel_cache import cache_folder, use_folder

F = TypeVar("F", bound=Callable[..., object])


class KernelLocator(UserProvidedCacheLocator):  # type: ignore[misc]
    """Tells Numba to keep a kernel's code by the state of all sources that it is made of.

    A copy of the program elsewhere, in the same state, finds the same code.
    """

    def __init__(self, function: Callable[..., object], file: str) -> None:
        super().__init__(function, file)
        self._cache_path = str(cache_folder(function.__module__))

    @classmethod
    def from_function(cls, function: Callable[..., object], file: str) -> KernelLocator | None:
        """A locator for the function; None where the folder cannot be written."""
        locator = cls(function, file)
        return locator if use_folder(Path(locator._cache_path)) else None

    def ensure_cache_path(self) -> None:
        """The folder is there since `from_function`."""


numba.config.CACHE_LOCATOR_CLASSES = f"{__name__}.{KernelLocator.__name__},UserWideCacheLocator"


@intrinsic  # type: ignore[untyped-decorator]
def _cycle_counter(typing_context: object) -> tuple[object, object]:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        form = ir.FunctionType(ir.IntType(64), [])
        return builder.call(get_or_insert_function(builder.module, form, "llvm.readcyclecounter"), [])

    return types.int64(), generate


COUNTS_TICKS = platform.machine().lower() in ("x86_64", "amd64") and not numba.config.DISABLE_JIT
"""Whether the processor has a counter that any program may read."""


def _no_ticks() -> int:
    return 0


def _ticks() -> int:
    return _cycle_counter()  # type: ignore[no-any-return]


_COUNTS_REFERENCES = bool(numba.config.BOUNDSCHECK)
"""Only the errors of kernels that look after their indices need them."""


def kernel(function: F) -> F:
    """Compile a function of arrays and numbers to machine code.

    The code is kept on disk for the next start and runs without the interpreter lock, so
    that a window stays responsive. No fast math: a schedule is the same on every run.
    """
    compiled: F = njit(cache=True, nogil=True)(function)
    return compiled


def inner_kernel(function: F) -> F:
    """Compile a function that only changes arrays it is given, and makes none: without reference counts.

    What is worth writing into its callers the compiler sees itself. Forced to do so everywhere,
    it makes five times as much code, takes three times as long, and gains nothing.
    """
    compiled: F = njit(cache=True, nogil=True, _nrt=_COUNTS_REFERENCES)(function)
    return compiled


def pass_kernel(function: F) -> F:
    """Like `inner_kernel`, for functions that kernels alone call, and Python never does."""
    return _unseen(function)


def tiny_kernel(function: F) -> F:
    """Like `pass_kernel`, for a test that is made so often that a call would cost more than it does."""
    return _unseen(function, forceinline=True)


def _unseen(function: F, **options: bool) -> F:
    unseen = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    compiled: F = njit(cache=True, nogil=True, _nrt=_COUNTS_REFERENCES, **unseen, **options)(function)
    return compiled


ticks = pass_kernel(_ticks if COUNTS_TICKS else _no_ticks)
"""Ticks of the processor's clock, which runs evenly; 0 where there is no such counter. In kernels only."""
