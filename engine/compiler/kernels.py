"""How kernels are compiled: by a few decorators, so that all are compiled alike."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar, cast

from engine.compiler.load import load_numba

load_numba()

import numba

from engine.compiler.inner import Inner
from engine.compiler.kernel_cache import KernelCache
from engine.compiler.parts import KernelCompiler, PartCompiler, StepCompiler

F = TypeVar("F", bound=Callable[..., object])

CHECKS_INDICES = bool(numba.config.BOUNDSCHECK)
"""Whether compiled code looks after its indices, as a step of the tests does."""

_COUNTS_REFERENCES = CHECKS_INDICES
"""Only the errors of kernels that look after their indices need them."""


def kernel(function: F) -> F:
    """Compile a function of arrays and numbers to machine code.

    The code is kept on disk for the next start and runs without the interpreter lock, so
    that a window stays responsive. No fast math: a schedule is the same on every run.
    """
    return _compiled(function, pipeline_class=KernelCompiler)


def inner_kernel(function: F, **options: Any) -> F:
    """Compile a function that kernels alone call, and Python never does.

    It gets no machine code of its own, but becomes a part of theirs. It changes only arrays
    that it is given, and makes none: without reference counts.
    What is worth writing into its callers the compiler sees itself. Forced to do so everywhere,
    it makes five times as much code, takes three times as long, and gains nothing.
    """
    alone = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "_nrt": _COUNTS_REFERENCES}
    if numba.config.DISABLE_JIT:
        return function
    return cast(
        "F", Inner(function, partial(_compiled, **{"pipeline_class": PartCompiler, **alone, **options}))
    )


tiny_kernel = partial(inner_kernel, forceinline=True)
"""Like `inner_kernel`, for a test that is made so often that a call would cost more than it does."""


step_kernel = partial(inner_kernel, pipeline_class=StepCompiler)
"""Like `inner_kernel`, for a step that is called in one place, and often: see `packed`."""


def _compiled(function: F, **options: Any) -> F:
    compiled: Any = numba.njit(nogil=True, **options)(function)
    if not numba.config.DISABLE_JIT:
        compiled._cache = KernelCache(function)
    return cast("F", compiled)
