"""The processor's clock in compiled code, which can be read for each pass of a scheduler."""

from __future__ import annotations

from typing import Any

from engine.compiler.load import load_numba

load_numba()

import numba
from llvmlite import ir
from numba.core import types
from numba.core.cgutils import get_or_insert_function
from numba.extending import intrinsic

from engine.compiler.kernels import inner_kernel, kernel
from engine.system import has_cycle_counter


@intrinsic  # type: ignore[untyped-decorator]
def _cycle_counter(typing_context: object) -> tuple[object, object]:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        form = ir.FunctionType(ir.IntType(64), [])
        return builder.call(get_or_insert_function(builder.module, form, "llvm.readcyclecounter"), [])

    return types.int64(), generate


def _no_ticks() -> int:
    return 0


def _ticks() -> int:
    return _cycle_counter()  # type: ignore[no-any-return]


COUNTS_TICKS = has_cycle_counter() and not numba.config.DISABLE_JIT
"""Whether the processor has a counter that any program may read."""

ticks = inner_kernel(_ticks if COUNTS_TICKS else _no_ticks)
"""Ticks of the processor's clock, which runs evenly; 0 where there is no such counter. In kernels only."""


@kernel
def count_ticks() -> int:
    """The counter read from Python, to measure the length of a tick."""
    return ticks()
