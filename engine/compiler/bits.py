"""Sets of small numbers as words of 64 bits, in compiled code."""

from __future__ import annotations

from typing import Any

from engine.compiler.load import load_numba

load_numba()

import numba
import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from engine.compiler.kernels import tiny_kernel


def _lowest(word: int) -> int:
    """The number of the lowest bit of a word, an int64, that is set; the word is not 0."""
    return (int(word) & -int(word)).bit_length() - 1


@intrinsic  # type: ignore[untyped-decorator]
def _lowest_compiled(context: Any, word: Any) -> Any:
    """The same as an instruction of the processor."""

    def count(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), count


lowest_bit = _lowest if numba.config.DISABLE_JIT else _lowest_compiled


def _count(word: int) -> int:
    """The number of bits of a word, an int64, that are set."""
    return (int(word) & 0xFFFF_FFFF_FFFF_FFFF).bit_count()


@intrinsic  # type: ignore[untyped-decorator]
def _count_compiled(context: Any, word: Any) -> Any:
    """The same as an instruction, on processors that have one."""

    def count(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.int64), count


count_bits = _count if numba.config.DISABLE_JIT else _count_compiled


@tiny_kernel
def bit_of(number: int) -> int:
    """The word, an int64, of which only this bit is set, 0 to 63; of a larger number the bit of its rest."""
    return int(np.int64(1) << (number & 63))


@tiny_kernel
def bits_below(number: int) -> int:
    """An int64 whose bits below bit `number` (0 to 63) are set, and no others."""
    return int(~(np.int64(-1) << (number & 63)))


@tiny_kernel
def end_of_run(word: int, number: int) -> int:
    """The first bit above bit `number`, which is set, that is not set; 64 if there is none."""
    others = ~(word >> number)
    return number + lowest_bit(others) if others != 0 else 64


@tiny_kernel
def bits_from(word: int, number: int) -> int:
    """The word with its bits below bit `number` (0 to 64) cleared."""
    return int(word & (np.int64(-1) << number)) if number < 64 else 0
