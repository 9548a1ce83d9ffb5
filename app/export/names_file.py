"""A file of names: what tables and figures call parameters, values, measures, runs and units."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path

from engine.errors import InputError
from engine.input import read_text

_LONGEST = 1 << 20  # bytes of a file of names


def read_names(path: Path) -> Mapping[str, str]:
    """The words of a file of names: of parameters, values, measures, runs and units. Raises InputError,
    OSError.
    """
    try:
        names = tomllib.loads(read_text(path, _LONGEST))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: {error}") from None
    for name, text in names.items():
        if not isinstance(text, str):
            raise InputError(f"{path}: {name} should be a text in quotes")
    return names
