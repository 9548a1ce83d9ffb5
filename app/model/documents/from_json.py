"""JSON to dataclasses, by their type hints: what is missing, unknown or of a wrong type does no harm."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

T = TypeVar("T")

_WRONG = object()
_LARGEST = 2**53
_LONGEST = 1 << 16  # characters of a text; the machine's spelling may be long


def from_json(kind: type[T], values: object) -> T:
    """A dataclass, all fields of which have defaults, from a JSON object.

    Unknown entries are ignored; a field whose value does not fit its type keeps its default, and list items
    that do not fit are left out.
    """
    known = values if isinstance(values, Mapping) else {}
    hints = get_type_hints(kind)
    made = {}
    for entry in fields(kind):  # type: ignore[arg-type]  # a dataclass, says the caller
        if not entry.init:
            continue
        value = _read(hints[entry.name], known[entry.name]) if entry.name in known else _WRONG
        made[entry.name] = _default(entry) if value is _WRONG else value
    return kind(**made)


def _default(entry: Field[Any]) -> Any:
    return entry.default if entry.default_factory is MISSING else entry.default_factory()


def _read(hint: Any, value: Any) -> Any:
    """The value as its hint wants it, or _WRONG."""
    origin, parts = get_origin(hint), get_args(hint)
    if is_dataclass(hint):
        return from_json(hint, value) if isinstance(value, Mapping) else _WRONG  # type: ignore[arg-type]
    if origin in (Union, UnionType):
        return next((read for part in parts if (read := _read(part, value)) is not _WRONG), _WRONG)
    if origin is Literal:
        return value if value in parts else _WRONG
    if hint is Any:
        return value
    if origin is tuple:
        return _read_list(parts, value)
    if origin is list:
        read = _read_list((parts[0], Ellipsis), value)
        return read if read is _WRONG else list(read)
    if origin is dict:
        if not isinstance(value, Mapping):
            return _WRONG
        entries = {str(key): _read(parts[1], entry) for key, entry in value.items()}
        return {key: entry for key, entry in entries.items() if entry is not _WRONG}
    return _read_plain(hint, value)


def _read_list(parts: tuple[Any, ...], value: Any) -> Any:
    """Read `tuple[X, ...]` of any length, or a tuple of a fixed length, all items of which must fit."""
    if not isinstance(value, list | tuple):
        return _WRONG
    if len(parts) == 2 and parts[1] is Ellipsis:
        return tuple(read for entry in value if (read := _read(parts[0], entry)) is not _WRONG)
    if len(value) != len(parts):
        return _WRONG
    read = tuple(_read(part, entry) for part, entry in zip(parts, value, strict=True))
    return _WRONG if _WRONG in read else read


def _read_plain(hint: type, value: Any) -> Any:
    if hint is NoneType:
        return None if value is None else _WRONG
    if hint is float and type(value) is int:
        value = float(min(max(value, -_LARGEST), _LARGEST))
    if type(value) is not hint or (isinstance(value, str) and len(value) > _LONGEST):
        return _WRONG
    if isinstance(value, int | float) and not abs(value) <= _LARGEST:  # nor is NaN
        return _WRONG
    return value
