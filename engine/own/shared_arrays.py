"""Nests of named tuples whose arrays lie in memory that two processes share.

One process stores a nest, the other gets the same nest over the same memory: what either writes into an array
the other sees. Arrays that overlap do so there too. What is sent beside the memory is text (JSON); nothing is
unpickled, and a nest is only made of classes that the receiver names.
"""

from __future__ import annotations

import mmap
import os
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.errors import InputError

_ALIGNED = 64
_CHUNK = 1 << 20
_DTYPES = ("b1", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8")
_NO_ARRAY = "the process of the user's own code answered with what is no array"


class ArrayPlace(NamedTuple):
    """Where an array lies in shared memory; sent as a list."""

    offset: int  # bytes from the beginning
    dtype: str
    shape: tuple[int, ...]
    writable: bool


def arrays_of(nest: Any) -> Iterator[NDArray[Any]]:
    """All arrays in a nest of tuples, in order."""
    for part in nest:
        if isinstance(part, np.ndarray):
            yield part
        elif isinstance(part, tuple):
            yield from arrays_of(part)


def with_arrays(nest: Any, arrays: Iterator[NDArray[Any]]) -> Any:
    """The nest with other arrays in the places of its own, in the same order."""
    parts = [
        next(arrays)
        if isinstance(part, np.ndarray)
        else with_arrays(part, arrays)
        if isinstance(part, tuple)
        else part
        for part in nest
    ]
    return type(nest)(*parts) if hasattr(nest, "_fields") else tuple(parts)


def skeleton(nest: Any) -> Any:
    """The nest without its arrays, as a value for JSON: classes by name, numbers, None for each array."""
    if isinstance(nest, tuple):
        return [type(nest).__name__, *(skeleton(part) for part in nest)]
    if isinstance(nest, np.ndarray):
        return None
    return nest.item() if isinstance(nest, np.generic) else nest


def from_skeleton(value: Any, classes: Mapping[str, type], arrays: Iterator[NDArray[Any]]) -> Any:
    """The nest of a skeleton, of these classes by name, with these arrays."""
    if isinstance(value, list):
        parts = [from_skeleton(part, classes, arrays) for part in value[1:]]
        return tuple(parts) if value[0] == "tuple" else classes[value[0]](*parts)
    return next(arrays) if value is None else value


def store(handle: int, arrays: list[NDArray[Any]]) -> list[ArrayPlace]:
    """Copy arrays, which have to be contiguous, into a new file of memory; returns where each lies.

    Arrays that share memory are copied once, together. Pages of zeros, as most of a large new table is, are
    left out: they take no memory there either.
    """
    spans = sorted(
        (begin, begin + array.nbytes) for array in arrays if array.nbytes for begin in [_begin(array)]
    )
    regions: list[list[int]] = []
    # Arrays that overlap are stored as a single region, so that they still overlap in the copy.
    for begin, end in spans:
        if regions and begin < regions[-1][1]:
            regions[-1][1] = max(regions[-1][1], end)
        else:
            regions.append([begin, end])
    offsets, size = [], 0
    for begin, end in regions:
        offsets.append(size)
        size += -(-(end - begin) // _ALIGNED) * _ALIGNED
    os.ftruncate(handle, max(size, mmap.PAGESIZE))
    memory = mapped(handle)
    starts = np.array([begin for begin, _ in regions])
    places = []
    for array in arrays:
        if not array.nbytes:
            places.append(ArrayPlace(0, array.dtype.str, array.shape, array.flags.writeable))
            continue
        # The region that holds the array is the last that begins at or before it.
        region = int(np.searchsorted(starts, _begin(array), "right")) - 1
        offset = offsets[region] + _begin(array) - regions[region][0]
        places.append(ArrayPlace(offset, array.dtype.str, array.shape, array.flags.writeable))
        _copy(array, memory[offset : offset + array.nbytes])
    return places


def _begin(array: NDArray[Any]) -> int:
    return int(array.__array_interface__["data"][0])


def _copy(array: NDArray[Any], target: NDArray[np.uint8]) -> None:
    """Copy the bytes of an array, without those of pages that are zero."""
    source = array.reshape(-1).view(np.uint8)
    for begin in range(0, len(source), _CHUNK):
        piece = source[begin : begin + _CHUNK]
        if piece.any():
            target[begin : begin + _CHUNK] = piece


def mapped(handle: int) -> NDArray[np.uint8]:
    """The whole of a file of memory as bytes, which stay mapped for as long as any array of them lives."""
    return np.frombuffer(mmap.mmap(handle, 0), np.uint8)


def load(memory: NDArray[np.uint8], places: list[ArrayPlace]) -> Iterator[NDArray[Any]]:
    """The arrays at these places. Raises InputError where one does not lie within the memory."""
    for place in places:
        # The place comes from a process with the user's code: kinds and bounds are checked before the memory
        # is read so.
        if place.dtype.lstrip("<|=") not in _DTYPES:
            raise InputError(_NO_ARRAY)
        dtype = np.dtype(place.dtype)
        count = int(np.prod(place.shape, dtype=object)) if place.shape else 1
        end = place.offset + count * dtype.itemsize
        if place.offset < 0 or min((*place.shape, 0)) < 0 or end > len(memory):
            raise InputError(_NO_ARRAY)
        if count:
            array = memory[place.offset : end].view(dtype).reshape(place.shape)
        else:
            array = np.empty(place.shape, dtype)
        if not place.writable:
            array = array.view()
            array.flags.writeable = False
        yield array


def places_from_json(value: Any) -> list[ArrayPlace]:
    """Places as `store` returned them, from what JSON makes of them. Raises InputError for anything else."""
    try:
        return [
            ArrayPlace(int(offset), str(dtype), tuple(int(size) for size in shape), bool(writable))
            for offset, dtype, shape, writable in value
        ]
    except (TypeError, ValueError):
        raise InputError(_NO_ARRAY) from None
