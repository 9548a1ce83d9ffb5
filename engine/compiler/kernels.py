"""The decorators that compile kernels, all with the same options."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar, cast

from engine.compiler.load import load_numba

load_numba()

import numba
import numpy as np
from numpy.typing import NDArray

from engine.compiler.compile_request import load_or_ask
from engine.compiler.inner_functions import Inner
from engine.compiler.kernel_cache import KernelCache
from engine.compiler.parts import KernelCompiler, PartCompiler, StepCompiler

F = TypeVar("F", bound=Callable[..., object])
T = TypeVar("T", bound=np.generic)

CHECKS_INDICES = bool(numba.config.BOUNDSCHECK)
"""Whether compiled code checks array bounds, as in a step of the tests."""

_COUNTS_REFERENCES = CHECKS_INDICES
"""Reference counts are needed only for the errors of checked array bounds."""


def kernel(function: F) -> F:
    """Compile a function of arrays and numbers to machine code.

    The code is kept on disk for the next start and runs without the interpreter lock, so
    that a window stays responsive. No fast math: a schedule is the same on every run.
    """
    compiled: Any = _compiled(function, pipeline_class=KernelCompiler)
    if not numba.config.DISABLE_JIT:
        compiled.compile = partial(load_or_ask, compiled.compile)
    return cast("F", compiled)


def inner_kernel(function: F, **options: Any) -> F:
    """Compile a function that only kernels call, never Python.

    It gets no machine code of its own, but becomes a part of its callers' code. It only changes arrays
    that it is given and creates none, so it needs no reference counts.
    The compiler decides itself where inlining is worthwhile. Forced to inline everywhere,
    it makes five times as much code in three times the time, without any gain in speed.
    """
    alone = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "_nrt": _COUNTS_REFERENCES}
    if numba.config.DISABLE_JIT:
        return function
    return cast(
        "F", Inner(function, partial(_compiled, **{"pipeline_class": PartCompiler, **alone, **options}))
    )


tiny_kernel = partial(inner_kernel, forceinline=True)
"""Like `inner_kernel`, but always inlined: for tests that are so short that a call costs more."""


step_kernel = partial(inner_kernel, pipeline_class=StepCompiler)
"""Like `inner_kernel`, for a step that is called often but in a single place: see `packed`."""


def _compiled(function: F, **options: Any) -> F:
    compiled: Any = numba.njit(nogil=True, **options)(function)
    if not numba.config.DISABLE_JIT:
        compiled._cache = KernelCache(function)
    return cast("F", compiled)


def only_read(array: NDArray[T]) -> NDArray[T]:
    """A read-only view of an array, for a kernel that reads it.

    Arrays that can be written and those that cannot have two types: a kernel that gets either would be
    compiled for both.
    """
    view = array.view()
    view.flags.writeable = False
    return view
