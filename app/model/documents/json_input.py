"""JSON that people or other programs may have broken: settings, sessions, layouts."""

from __future__ import annotations

import json
from typing import Any

DEEPEST = 50
"""Maximum nesting of lists and objects; this program writes five levels."""


def parse_json(text: str | bytes) -> Any:
    """The value of a JSON document. Raises ValueError, with a message of a single line, for an invalid
    document.

    Unlike `json.loads` it also raises this error for documents nested deeper than DEEPEST, which recursive
    readers could not process, and for halves of surrogate pairs, which cannot be encoded.
    """
    try:
        document = json.loads(text)
    except RecursionError:
        raise ValueError(f"it is nested deeper than {DEEPEST} levels") from None
    except UnicodeDecodeError as error:
        raise ValueError(f"it is not UTF-8 text: {error.reason} at byte {error.start}") from None
    # Level by level instead of by recursion, which a deep document would break.
    level = [document]
    for _ in range(DEEPEST + 1):
        level = [inner for value in level for inner in _inside(value)]
    if level:
        raise ValueError(f"it is nested deeper than {DEEPEST} levels")
    return document


def _inside(value: Any) -> list[Any]:
    """The values inside a value; of an object the keys too. Raises ValueError for a text that is none."""
    if isinstance(value, str):
        _refuse_surrogates(value)
    if isinstance(value, dict):
        return [*value, *value.values()]
    return value if isinstance(value, list) else []


def _refuse_surrogates(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("a text in it has an unpaired surrogate, which is not a character") from None
