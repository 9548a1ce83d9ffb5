"""Nests of named tuples in compiled code as one pointer to words in memory.

Numba passes every field of a named tuple separately. For the hundred arrays of a
simulation, in some hundred functions, the compiler then works for minutes, and each call
copies a thousand words. Here Python writes the numbers, and the addresses and shapes of the
arrays, into one array of words; compiled code reads a field where it uses it. To kernels a
packed tuple looks like the tuple: `s.queue.jobs[index]`. Kernels run as plain Python get the
tuple itself.

Values known in advance, such as that the machine is a single pool, are part of the
packed type: from the same source the compiler then makes code for that case only.

Alternatives without Numba's internals were tried. A loop for `easy` on a pool, with the steps of
`engine.simulation`, was compiled with each (numba 0.68.1, KTH-SP2, one core; in brackets with every
function inlined):

=======================================  =======  ===========  ===============
way                                      compile  run          times packed
=======================================  =======  ===========  ===============
packed tuples                            3.0 s    3.0 ms
tables of int64 by role, named rows      4.9 s    8.2 (6.6)    2.7 (2.2)
the same, named columns                  4.7 s    8.3          2.8
`numba.experimental.structref`           5.4 s    7.5 (6.4)    2.5 (2.1)
named tuples as they are                 12.6 s   67 (36)      22 (12)
=======================================  =======  ===========  ===============

From a filled cache the first call takes 0.02 to 0.1 s in all of them. Without reference counts, which is an
inner option as well, tables run in 4.6 ms. The whole simulation on `structref` compiles in 160 s instead
of 45 and runs `easy` in 30 ms instead of 6.
"""

from __future__ import annotations

import hashlib
import operator
from collections.abc import Iterable, Mapping
from ctypes import addressof, c_char
from functools import cache
from typing import Any, TypeVar, cast

from engine.compiler.load import load_numba

load_numba()

import numba
import numpy as np
from llvmlite import ir
from numba.core import cgutils
from numba.core.datamodel import PrimitiveModel, register_default
from numba.core.datamodel.models import ArrayModel
from numba.core.imputils import lower_builtin, lower_getattr_generic
from numba.core.types import Any as Anything
from numba.core.types import Array, Boolean, Integer, Type, intp, uintp
from numba.core.types.containers import BaseNamedTuple, BaseTuple, UniTuple
from numba.core.typing import signature as typed
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.extending import NativeValue, unbox
from numba.np.arrayobj import getitem_array_tuple, getitem_arraynd_intp, populate_array, setitem_array

T = TypeVar("T", bound=tuple[Any, ...])

_WORD = ir.IntType(64)

Known = Mapping[str, int | bool | tuple[int | None, ...]]
"""Fields of a nest of named tuples, by path, and their values, or the shapes of arrays, as far as they are
known: `{"rules.windows": False, "site.free": (1, 1), "work.need": (None, 1)}`."""


_NOTHING: Known = {}
_kinds: dict[tuple[type, tuple[object, ...], bool], Packed] = {}


def packed(value: T, known: Known = _NOTHING, small: bool = False) -> T:
    """A nest of named tuples packed for kernels; the values in `known` become constants of the code.

    Its arrays must be contiguous. All values of a class have fields of the same types. If so much is
    known that the code is `small`, functions called once are inlined (`kernels.step_kernel`).
    """
    if numba.config.DISABLE_JIT:
        return value
    key = (type(value), tuple(known.items()), small)
    if key not in _kinds:
        _kinds[key] = Packed(numba.typeof(_emptied(value)), known, small)
    return cast("T", _Held(value, _kinds[key]))


def _emptied(value: T) -> T:
    """The nest with empty writable arrays, which represents its type.

    Otherwise two processes with different first values would have different types, and compile everything
    again, for a minute and a half, although the stored code is the same.
    """
    parts = [
        np.empty((0,) * part.ndim, part.dtype)
        if isinstance(part, np.ndarray)
        else _emptied(part)
        if isinstance(part, tuple)
        else part
        for part in value
    ]
    return type(value)(*parts)


class _Held:
    """The words that a kernel gets: one for a number; the address and the shape for an array."""

    def __init__(self, value: Any, kind: Packed) -> None:
        words: list[int] = []
        _pack(value, words, {})
        self.value = value  # keeps the arrays alive while their addresses are in use
        self.words = np.array(words, np.int64)
        self.address = self.words.ctypes.data
        self._numba_type_ = kind


def unchanging(value: T) -> T:
    """Mark a nest that no kernel changes and that is never freed, so that it is packed only once."""
    words: list[int] = []
    _pack(value, words, {})
    _unchanging[id(value)] = value, words
    return value


_unchanging: dict[int, tuple[Any, list[int]]] = {}


def _pack(value: tuple[Any, ...], words: list[int], packed_before: dict[int, tuple[int, int]]) -> None:
    """Append the words of a nest; `packed_before` has the begin and end of the words of unchanging tuples."""
    for part in value:
        kind = type(part)  # hundreds of parts before each simulation: a comparison each for the usual kinds
        if kind is np.ndarray:
            words.append(_address(part) if part.size else 0)
            words.extend(part.shape)
        elif kind is int or kind is bool:
            words.append(part)
        elif isinstance(part, tuple):
            same = id(part)
            if same in _unchanging:
                words.extend(_unchanging[same][1])
            elif same in packed_before:
                begin, end = packed_before[same]
                words.extend(words[begin:end])
            else:
                begin = len(words)
                _pack(part, words, packed_before)
                packed_before[same] = begin, len(words)
        elif isinstance(part, float):
            words.append(int(np.float64(part).view(np.int64)))
        else:
            words.append(int(part))


def _address(array: Any) -> int:
    if array.flags.writeable:
        return addressof(c_char.from_buffer(array))  # takes a fifth of the time that asking the array does
    return int(array.__array_interface__["data"][0])


def agrees(value: Any, known: Known) -> bool:
    """Whether a nest of named tuples has all the values in `known`."""
    # All numbers are asked for at once, by one function that is made for them.
    numbers, expected, arrays, shapes = _questions(tuple(known.items()))
    if numbers(value) != expected:
        return False
    return all(
        size in (None, found)
        for array, shape in zip(arrays(value), shapes, strict=True)
        for size, found in zip(shape, array.shape, strict=True)
    )


@cache
def _questions(known: tuple[tuple[str, Any], ...]) -> tuple[Any, tuple[Any, ...], Any, tuple[Any, ...]]:
    """Fast getters of the fields in `known`, numbers and arrays apart, and the expected values and shapes."""
    numbers = {path: expected for path, expected in known if not isinstance(expected, tuple)}
    arrays = {path: expected for path, expected in known if isinstance(expected, tuple)}
    return (_reader(numbers), tuple(numbers.values()), _reader(arrays), tuple(arrays.values()))


def _reader(paths: Iterable[str]) -> Any:
    """A getter of the fields at these paths as a tuple."""
    several = [*paths]
    if len(several) > 1:
        return operator.attrgetter(*several)
    return lambda value: tuple(operator.attrgetter(path)(value) for path in several)


class Packed(Type):
    """The compiler's type of a packed tuple, given that of the tuple and what is known of it."""

    def __init__(self, kind: Any, known: Known, small: bool = False) -> None:
        self.kind = kind
        self.known = known
        self.small = small
        digest = hashlib.sha256(f"{kind} {sorted(known.items())} {small}".encode()).hexdigest()[:8]
        super().__init__(name=f"Packed{kind.instance_class.__name__}{digest}")

    def known_within(self, name: str) -> Known:
        """The known values within a field that is itself a tuple."""
        inner = f"{name}."
        return {path[len(inner) :]: value for path, value in self.known.items() if path.startswith(inner)}


@register_default(Packed)
class _PackedModel(PrimitiveModel):  # type: ignore[misc]
    """A pointer to the first word."""

    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, _WORD.as_pointer())


class PackedArray(Array):
    """The compiler's type of an array in a packed tuple: it is never indexed from its end.

    Other arrays check at each access whether the index is negative, which costs a simulation
    a fifth of its time.
    """

    def __init__(self, kind: Any) -> None:
        super().__init__(kind.dtype, kind.ndim, kind.layout, name=f"Packed{kind}")


register_default(PackedArray)(ArrayModel)


@lower_builtin(operator.getitem, PackedArray, Integer)  # type: ignore[untyped-decorator]
def _read_item(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return getitem_arraynd_intp(
        context, builder, *_counted_from_start(context, builder, signature, arguments)
    )


@lower_builtin(operator.getitem, PackedArray, BaseTuple)  # type: ignore[untyped-decorator]
def _read_item_of_row(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return getitem_array_tuple(context, builder, *_counted_from_start(context, builder, signature, arguments))


@lower_builtin(operator.setitem, PackedArray, Anything, Anything)  # type: ignore[untyped-decorator]
def _write_item(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return setitem_array(context, builder, *_counted_from_start(context, builder, signature, arguments))


def _counted_from_start(context: Any, builder: Any, signature: Any, arguments: Any) -> tuple[Any, Any]:
    """The call with unsigned indices."""
    array, kind, *rest = signature.args
    index = arguments[1]
    if isinstance(kind, Integer):
        # Unsigned indices spare the test for negative ones at each access.
        index = context.cast(builder, index, kind, intp)
        kind = uintp
    elif isinstance(kind, BaseTuple) and all(isinstance(part, Integer) for part in kind):
        parts = cgutils.unpack_tuple(builder, index, count=len(kind))
        parts = [context.cast(builder, part, of, intp) for part, of in zip(parts, kind, strict=True)]
        kind = UniTuple(uintp, len(kind))
        index = context.make_tuple(builder, kind, parts)
    return typed(signature.return_type, array, kind, *rest), (arguments[0], index, *arguments[2:])


@infer_getattr
class _PackedAttributes(AttributeTemplate):  # type: ignore[misc]
    key = Packed

    def generic_resolve(self, packed: Packed, name: str) -> Any:
        """The type of a field: tuples within the tuple are packed as well."""
        if name not in packed.kind.fields:
            return None
        field = list(packed.kind)[packed.kind.fields.index(name)]
        if isinstance(field, BaseNamedTuple):
            return Packed(field, packed.known_within(name))
        return PackedArray(field) if isinstance(field, Array) else field


@lower_getattr_generic(Packed)  # type: ignore[untyped-decorator]
def _read_field(context: Any, builder: Any, packed: Any, words: Any, name: str) -> Any:
    index = packed.kind.fields.index(name)
    kind = list(packed.kind)[index]
    first = sum(_size(field) for field in list(packed.kind)[:index])
    field = cgutils.gep_inbounds(builder, words, first)
    return _value(context, builder, kind, field, packed.known.get(name))


@unbox(Packed)  # type: ignore[untyped-decorator]
def _first_word(kind: Packed, held: Any, c: Any) -> Any:
    """Where the words lie; the caller has the array that holds them."""
    number = c.pyapi.object_getattr_string(held, "address")
    address = c.pyapi.long_as_longlong(number)
    c.pyapi.decref(number)
    return NativeValue(c.builder.inttoptr(address, _WORD.as_pointer()))


def _size(kind: Any) -> int:
    """Words of a field."""
    if isinstance(kind, BaseNamedTuple):
        return sum(_size(field) for field in kind)
    return 1 + kind.ndim if isinstance(kind, Array) else 1


def _value(context: Any, builder: Any, kind: Any, words: Any, known: Any) -> Any:
    """A field whose words begin at `words`; `known` is its value or, for an array, its shape, or None."""
    if isinstance(kind, BaseNamedTuple):
        return words
    if isinstance(kind, Array):
        # Sizes that are known when the kernel is compiled become constants of its code.
        fixed = known or (None,) * kind.ndim
        shape = [
            _load(builder, words, 1 + axis) if size is None else ir.Constant(_WORD, size)
            for axis, size in enumerate(fixed)
        ]
        array = context.make_array(kind)(context, builder)
        item = context.get_abi_sizeof(context.get_data_type(kind.dtype))
        populate_array(
            array,
            data=builder.inttoptr(_load(builder, words, 0), array.data.type),
            shape=shape,
            strides=_strides(builder, shape, item),
            itemsize=ir.Constant(_WORD, item),
            meminfo=None,
        )
        return array._getvalue()
    # A value that is known needs no load, and lets branches on it be pruned.
    if known is not None:
        return context.get_constant(kind, known)
    if isinstance(kind, Boolean):
        return builder.trunc(_load(builder, words, 0), ir.IntType(1))
    return builder.bitcast(_load(builder, words, 0), context.get_value_type(kind))


def _strides(builder: Any, shape: list[Any], item: int) -> list[Any]:
    """The strides in bytes of a contiguous array with items of this size."""
    strides = [ir.Constant(_WORD, item)]
    for size in shape[:0:-1]:
        strides.insert(0, builder.mul(strides[0], size))
    return strides


def _load(builder: Any, words: Any, index: int) -> Any:
    """Load a word, marked as invariant: words never change, so none is read again after other writes."""
    word = builder.load(cgutils.gep_inbounds(builder, words, index))
    word.set_metadata("invariant.load", builder.module.add_metadata([]))
    return word
