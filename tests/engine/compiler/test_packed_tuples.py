"""Named tuples packed into words read in compiled code as they do in Python."""

import os
from typing import Any, NamedTuple

import numba
import numpy as np
import pytest
from numba import njit
from numpy.typing import NDArray

from engine.compiler.packed_tuples import agrees, packed

pytestmark = pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled")


class Inner(NamedTuple):
    weight: float
    on: bool
    table: NDArray[np.float64]


class Outer(NamedTuple):
    number: int
    row: NDArray[np.int64]
    inner: Inner
    mask: NDArray[np.bool_]
    cube: NDArray[np.int64]
    last: int


@njit(_nrt=False)
def read(s: Outer, found: NDArray[np.float64]) -> None:
    s.row[1] += s.number
    s.inner.table[1, 2] *= 2
    found[0] = s.number
    found[1] = s.row[1]
    found[2] = s.inner.weight if s.inner.on else -1.0
    found[3] = s.inner.table[1, 2]
    found[4] = s.mask[2] and not s.mask[0]
    found[5] = s.cube[1, 0, 2]
    found[6] = s.last
    found[7] = s.cube.shape[2] + len(s.row)


def test_kernels_read_and_change_what_was_packed() -> None:
    inner = Inner(2.5, True, np.arange(6.0).reshape(2, 3))
    cube = np.arange(12, dtype=np.int64).reshape(2, 2, 3)
    outer = Outer(-7, np.array([1, 20, 3]), inner, np.array([False, True, True]), cube, 1 << 60)
    found = np.zeros(8)
    read(packed(outer), found)
    assert outer.row.tolist() == [1, 13, 3]
    assert inner.table[1, 2] == 10.0
    assert found.tolist() == [-7, 13, 2.5, 10.0, 1, 8, float(1 << 60), 6]


def test_whether_arrays_may_be_written_to_says_nothing_of_the_code(monkeypatch: pytest.MonkeyPatch) -> None:
    def kind(array: NDArray[np.int64]) -> object:
        # as in a process that packed nothing yet
        monkeypatch.setattr("engine.compiler.packed_tuples._kinds", {})
        inner = Inner(2.5, True, np.zeros((1, 1)))
        return numba.typeof(packed(Outer(1, array, inner, np.array([True]), array.reshape(1, 1, -1), 2)))

    array = np.arange(3)
    first = kind(array)
    array.flags.writeable = False
    assert kind(array) == first


@njit(_nrt=False)
def before_first(s: Outer) -> int:
    return int(s.row[-1])


def test_indices_count_from_the_start_alone() -> None:
    """So that compiled code need not ask. What is read here lies in the array's own memory."""
    memory = np.array([1, 2, 3, 4])
    outer = Outer(0, memory[1:3], Inner(0.0, False, np.ones((1, 1))), np.ones(1, bool), np.ones((1, 1, 1)), 0)
    assert before_first(packed(outer)) == 1


@njit(_nrt=False)
def sum_row(s: Outer) -> int:
    total = s.number
    for index in range(len(s.row)):
        total += s.row[index] + s.cube[0, 0, index]
    return total


def test_what_is_known_is_not_read() -> None:
    """Shown by a tuple that does not agree: its code goes by what was said."""
    known = {"number": 100, "row": (2,), "cube": (1, None, None), "inner.on": True}
    row, cube = np.array([1, 2, 4]), np.arange(12, dtype=np.int64).reshape(2, 2, 3)
    outer = Outer(5, row, Inner(1.0, True, np.ones((2, 3))), np.ones(1, bool), cube, 9)
    assert sum_row(packed(outer, known)) == 100 + 1 + 2 + 0 + 1
    assert not agrees(outer, known)
    assert agrees(outer._replace(number=100, row=row[:2], cube=cube[:1]), known)
    assert not agrees(outer, {"inner.on": False})
    assert numba.typeof(packed(outer)) != numba.typeof(packed(outer, known))


def words_of(value: Any) -> NDArray[np.int64]:
    words: NDArray[np.int64] = packed(value).words
    return words


def test_words_are_numbers_and_what_arrays_are() -> None:
    row = np.arange(4)
    assert words_of(Inner(0.0, False, np.zeros((0, 3))))[0] == 0
    inner = Inner(1.0, True, np.ones((2, 3)))
    words = words_of(Outer(5, row, inner, np.ones(1, bool), np.ones((1, 1, 1)), 9))
    assert words[:3].tolist() == [5, row.__array_interface__["data"][0], 4]
    assert words[-1] == 9
