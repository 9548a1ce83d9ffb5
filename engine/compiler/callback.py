"""Calls from compiled code to a function at an address: to Python, or to what Numba made of a user's code."""

from __future__ import annotations

import ctypes
from typing import Any

from engine.compiler.load import load_numba

load_numba()

import numba
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from engine.compiler.kernels import inner_kernel

CALLED = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)
"""The type of a function that kernels may call: two whole numbers in, one out."""

_WORD = ir.IntType(64)


@intrinsic  # type: ignore[untyped-decorator]
def _call_at(typing_context: object, address: Any, first: Any, second: Any) -> tuple[object, object]:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        form = ir.FunctionType(_WORD, [_WORD, _WORD])
        return builder.call(builder.inttoptr(arguments[0], form.as_pointer()), arguments[1:])

    return types.int64(types.int64, types.int64, types.int64), generate


def _call_from_python(address: int, first: int, second: int) -> int:
    return int(CALLED(int(address))(first, second))  # ctypes takes no integer of NumPy for an address


def _call(address: int, first: int, second: int) -> int:
    return _call_at(address, first, second)  # type: ignore[no-any-return]


call_address = inner_kernel(_call_from_python if numba.config.DISABLE_JIT else _call)
"""Call the function of type CALLED at an address with two numbers; its result. In kernels only."""
