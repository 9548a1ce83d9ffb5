"""How kernels are compiled: one decorator, so that all are compiled alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numba
from numba import njit
from numba.core.caching import UserProvidedCacheLocator

from engine.kernel_cache import cache_folder, mark_used

F = TypeVar("F", bound=Callable[..., object])


class KernelLocator(UserProvidedCacheLocator):  # type: ignore[misc]
    """Tells Numba to keep a kernel's code by the state of all sources that it is made of.

    A copy of the program elsewhere, in the same state, finds the same code.
    """

    def __init__(self, function: Callable[..., object], file: str) -> None:
        super().__init__(function, file)
        folder = cache_folder(function.__module__)
        self._cache_path = str(folder)
        mark_used(folder)

    @classmethod
    def from_function(cls, function: Callable[..., object], file: str) -> KernelLocator | None:
        """A locator for the function; None where the folder cannot be written."""
        locator = cls(function, file)
        try:
            locator.ensure_cache_path()
        except OSError:
            return None
        return locator


numba.config.CACHE_LOCATOR_CLASSES = f"{__name__}.{KernelLocator.__name__},UserWideCacheLocator"


def kernel(function: F) -> F:
    """Compile a function of arrays and numbers to machine code.

    The code is kept on disk for the next start and runs without the interpreter lock, so
    that a window stays responsive. No fast math: a schedule is the same on every run.
    """
    compiled: F = njit(cache=True, nogil=True)(function)
    return compiled


def inner_kernel(function: F) -> F:
    """Compile a function that only changes arrays it is given, and makes none.

    Without reference counts and inlined where it is called: handing some sixty arrays from
    call to call otherwise costs a simulation thirty times its own work.
    """
    compiled: F = njit(cache=True, nogil=True, _nrt=False, forceinline=True)(function)
    return compiled


_UNSEEN = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}


def outer_kernel(function: F) -> F:
    """Like `inner_kernel`, for what is large or seldom called: compiled once, and called."""
    compiled: F = njit(cache=True, nogil=True, _nrt=False)(function)
    return compiled


def pass_kernel(function: F) -> F:
    """Like `inner_kernel`, for parts that take a whole simulation and are called by kernels alone.

    What calls a function from Python has to unpack all of its arguments: for a hundred
    arrays that takes the compiler five times as long as the function itself.
    """
    compiled: F = njit(cache=True, nogil=True, _nrt=False, forceinline=True, **_UNSEEN)(function)
    return compiled


def part_kernel(function: F) -> F:
    """For a part of one larger kernel: written into it before that is compiled, and not by itself."""
    compiled: F = njit(_nrt=False, inline="always", **_UNSEEN)(function)
    return compiled


def outer_pass_kernel(function: F) -> F:
    """Like `pass_kernel`, for large parts that are called seldom enough (a call takes some 0.2 µs)."""
    compiled: F = njit(cache=True, nogil=True, _nrt=False, **_UNSEEN)(function)
    return compiled
