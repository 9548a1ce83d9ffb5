"""Nests of arrays in memory that two processes share."""

import json
import os
from typing import NamedTuple

import numpy as np
import pytest

from engine.errors import InputError
from engine.own.shared_arrays import (
    ArrayPlace,
    arrays_of,
    from_skeleton,
    load,
    mapped,
    places_from_json,
    skeleton,
    store,
)
from engine.system import new_memory


class Inner(NamedTuple):
    flag: bool
    values: np.ndarray


class Outer(NamedTuple):
    whole: np.ndarray
    part: np.ndarray
    inner: Inner
    number: int


def test_a_nest_comes_out_as_it_went_in_with_arrays_that_overlap_as_before() -> None:
    whole = np.arange(10)
    fixed = np.linspace(0, 1, 6).reshape(2, 3)
    fixed.flags.writeable = False
    nest = Outer(whole, whole[2:5], Inner(True, fixed), 7), np.zeros(0, np.bool_)
    handle = new_memory()
    try:
        places = store(handle, list(arrays_of(nest)))
        sent = json.loads(json.dumps({"nest": skeleton(nest), "places": places}))
        classes = {"Outer": Outer, "Inner": Inner}
        there = load(mapped(handle), places_from_json(sent["places"]))
        copy, empty = from_skeleton(sent["nest"], classes, there)
        here = list(load(mapped(handle), places))
    finally:
        os.close(handle)
    assert isinstance(copy, Outer)
    assert isinstance(copy.inner, Inner)
    assert (copy.number, copy.inner.flag) == (7, True)
    assert copy.whole.tolist() == list(range(10))
    assert copy.inner.values.tolist() == fixed.tolist()
    assert not copy.inner.values.flags.writeable
    assert empty.dtype == np.bool_
    copy.part[0] = 99
    assert copy.whole[2] == 99  # they overlap
    assert here[0][2] == 99  # and both mappings are the same memory
    assert whole[2] == 2  # which is not that of the original


@pytest.mark.parametrize(
    "place",
    [
        ArrayPlace(-8, "<i8", (1,), True),
        ArrayPlace(1 << 30, "<i8", (1,), True),
        ArrayPlace(0, "<i8", (1 << 40, 1 << 40), True),
        ArrayPlace(0, "<i8", (-1, 4), True),
        ArrayPlace(0, "|O", (1,), True),
        ArrayPlace(0, "<U8", (1,), True),
    ],
)
def test_a_place_outside_of_the_memory_or_of_objects_is_refused(place: ArrayPlace) -> None:
    with pytest.raises(InputError, match="answered with what is no array"):
        list(load(np.zeros(4096, np.uint8), [place]))


def test_rows_that_are_no_places_are_refused() -> None:
    with pytest.raises(InputError, match="answered with what is no array"):
        places_from_json([[0, "<i8"]])
