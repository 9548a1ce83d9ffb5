"""How kernels are compiled: one decorator, so that all are compiled alike."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from llvmlite import ir
from numba import njit
from numba.core import types
from numba.core.caching import FunctionCache, IndexDataCacheFile, UserProvidedCacheLocator
from numba.core.cgutils import get_or_insert_function
from numba.extending import intrinsic

from engine.compiler.cache import cache_folder, use_folder
from engine.compiler.parts import PartCompiler

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


class _KernelFile(IndexDataCacheFile):  # type: ignore[misc]
    """Numba only numbers the code of a function: two processes that compile it could mix theirs up."""

    def _data_name(self, number: int) -> str:
        return f"{os.getpid()}.{super()._data_name(number)}"


class _KernelCache(FunctionCache):  # type: ignore[misc]
    def __init__(self, function: Callable[..., object]) -> None:
        super().__init__(function)
        stamp = self._impl.locator.get_source_stamp()
        self._cache_file = _KernelFile(self._cache_path, self._impl.filename_base, stamp)


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
    return _kept(function)


def inner_kernel(function: F) -> F:
    """Compile a function that kernels alone call, and Python never does.

    It gets no machine code of its own, but becomes a part of theirs. It changes only arrays
    that it is given, and makes none: without reference counts.
    What is worth writing into its callers the compiler sees itself. Forced to do so everywhere,
    it makes five times as much code, takes three times as long, and gains nothing.
    """
    return _inner(function)


def tiny_kernel(function: F) -> F:
    """Like `inner_kernel`, for a test that is made so often that a call would cost more than it does."""
    return _inner(function, forceinline=True)


def _inner(function: F, **options: bool) -> F:
    alone = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "_nrt": _COUNTS_REFERENCES}
    return _kept(function, pipeline_class=PartCompiler, **alone, **options)


def _kept(function: F, **options: Any) -> F:
    compiled: Any = njit(nogil=True, **options)(function)
    if not numba.config.DISABLE_JIT:
        compiled._cache = _KernelCache(function)
    return cast("F", compiled)


ticks = inner_kernel(_ticks if COUNTS_TICKS else _no_ticks)
"""Ticks of the processor's clock, which runs evenly; 0 where there is no such counter. In kernels only."""
