"""Digests of values: two runs with equal digests have equal input."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping
from dataclasses import fields, is_dataclass
from fractions import Fraction
from pathlib import PurePath
from typing import Any, Protocol

import numpy as np


class _Hash(Protocol):
    def update(self, data: bytes, /) -> None: ...


def digest_of(value: object, *, without: Collection[str] = ()) -> str:
    """The SHA-256 digest of a value, 64 hexadecimal digits.

    A dataclass is hashed with every field, except fields of the outermost dataclass named in `without`, so
    that fields added later are included. Raises TypeError for unknown kinds of values: nothing is left out
    silently.
    """
    digest = hashlib.sha256()
    if without:
        _add_dataclass(digest, value, without)
    else:
        _add(digest, value)
    return digest.hexdigest()


def _add(digest: _Hash, value: object) -> None:
    """Hash a value after its kind and its length, so that neighbouring values cannot be confused."""
    if isinstance(value, np.ndarray):
        # The kind and the length go in front of every value, so that no two values give the same bytes.
        digest.update(f"array {value.dtype.str} {value.shape}\n".encode())
        digest.update(value.tobytes())
    elif value is None or isinstance(value, bool | int | float | Fraction):
        digest.update(f"{type(value).__name__} {value!r}\n".encode())
    elif isinstance(value, str | PurePath):
        data = str(value).encode("utf-8", "surrogatepass")
        digest.update(f"{'str' if isinstance(value, str) else 'path'} {len(data)}\n".encode() + data)
    elif isinstance(value, Mapping):
        digest.update(f"mapping {len(value)}\n".encode())
        # Sorted, since equal mappings may have been filled in another order.
        for key in sorted(value):
            _add(digest, key)
            _add(digest, value[key])
    elif isinstance(value, frozenset):  # of names, whose order may differ from process to process
        digest.update(f"set {len(value)}\n".encode())
        for item in sorted(value):
            _add(digest, item)
    elif isinstance(value, tuple | list):
        digest.update(f"sequence {len(value)}\n".encode())
        for item in value:
            _add(digest, item)
    elif is_dataclass(value) and not isinstance(value, type):
        _add_dataclass(digest, value, ())
    else:
        raise TypeError(f"{type(value).__name__} has no digest")


def _add_dataclass(digest: _Hash, value: Any, without: Collection[str]) -> None:
    digest.update(f"{type(value).__name__}\n".encode())
    for field in fields(value):
        if field.name not in without:
            _add(digest, field.name)
            _add(digest, getattr(value, field.name))
