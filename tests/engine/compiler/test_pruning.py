"""Branches that what is known of a packed tuple decides are left out before anything in them is compiled."""

import os
from collections.abc import Callable
from typing import Any, NamedTuple

import numba
import numpy as np
import pytest
from numba.core.errors import TypingError
from numpy.typing import NDArray

from engine.compiler.packed_tuples import Known, packed
from engine.compiler.parts import KernelCompiler, PartCompiler

pytestmark = pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled")

kernel = numba.njit(pipeline_class=KernelCompiler)
part = numba.njit(pipeline_class=PartCompiler, no_cpython_wrapper=True, no_cfunc_wrapper=True)


class Inner(NamedTuple):
    on: bool
    free: NDArray[np.int64]


class Outer(NamedTuple):
    depth: int
    inner: Inner


OUTER = Outer(1, Inner(False, np.array([[5]])))


@part
def fails(s: Outer) -> int:
    """Cannot be compiled."""
    return s.nothing_of_this_name  # type: ignore[attr-defined,no-any-return]


@part
def is_deep(s: Outer) -> bool:
    return s.depth > 1


@part
def one_node(inner: Inner) -> bool:
    if inner.free.shape[0] == 1:
        return True
    return bool(inner.free[0, 0] > 3)


@kernel
def by_flag(s: Outer) -> int:
    return fails(s) if s.inner.on else 7


@kernel
def by_number(s: Outer) -> int:
    if s.depth == 2:
        return fails(s)
    return 7


@kernel
def by_shape(s: Outer) -> int:
    if s.inner.free.shape[0] > 1:
        return fails(s)
    return 7


@kernel
def by_length(s: Outer) -> int:
    if len(s.inner.free) != 1:
        return fails(s)
    return 7


@kernel
def by_either(s: Outer) -> int:
    found = 0
    for number in range(3):
        if s.inner.on and number > 0:
            found += fails(s)
        found += number
    return found + 4


@kernel
def by_call(s: Outer) -> int:
    if is_deep(s) or not one_node(s.inner):
        return fails(s)
    return 7


DECIDED: dict[Callable[..., Any], Known] = {
    by_flag: {"inner.on": False},
    by_number: {"depth": 1},
    by_shape: {"inner.free": (1, None)},
    by_length: {"inner.free": (1, 1)},
    by_either: {"inner.on": False},
    by_call: {"depth": 1, "inner.free": (1, 1)},
}


@pytest.mark.parametrize("function", DECIDED, ids=lambda function: function.__name__)
def test_what_is_known_leaves_a_branch_out(function: Callable[..., Any]) -> None:
    assert function(packed(OUTER, DECIDED[function])) == 7


@pytest.mark.parametrize("function", DECIDED, ids=lambda function: function.__name__)
def test_without_that_the_branch_is_compiled(function: Callable[..., Any]) -> None:
    with pytest.raises(TypingError, match="nothing_of_this_name"):
        function(packed(OUTER))


def test_what_is_assigned_twice_is_not_known() -> None:
    @kernel
    def last_wins(s: Outer, odd: bool) -> int:
        on = s.inner.on
        if odd:
            on = True
        return 1 if on else 2

    value = packed(OUTER, {"inner.on": False})
    assert [last_wins(value, True), last_wins(value, False)] == [1, 2]
