"""The check of rendered texts: each number is its quantity, and no other part has digits."""

from __future__ import annotations

import re
from collections.abc import Iterable

from engine.claims.claim import Named, Quantity, Unit
from engine.claims.words import Span

DIGIT = re.compile(r"\d")

_SIZES = {"s": 1.0, "min": 60.0, "h": 3600.0, "d": 86400.0, "MiB": 1.0, "GiB": 1024.0}


def assert_spans(spans: Iterable[Span]) -> None:
    """Assert it of a text."""
    for span in spans:
        if isinstance(span.says, Quantity):
            assert agrees(span.text, span.says.value, span.says.unit), span
        elif isinstance(span.says, Named):
            assert span.text == span.says.name
        else:
            assert not DIGIT.search(span.text), span


def agrees(text: str, value: float, unit: Unit) -> bool:
    """Whether a shown number is its quantity, as far as its last digit or smaller unit tells."""
    words = text.replace("\u202f", "").replace("\u00a0", " ").replace("−", "-").split()
    if unit is Unit.SECONDS:
        shown = sum(float(n) * _SIZES[u] for n, u in zip(words[::2], words[1::2], strict=True))
        return abs(shown - value) <= max(1.0, _SIZES[words[-1]]) * (1.0 if len(words) > 2 else 0.51)
    if text == "none":
        return value == 0
    if unit is Unit.SCORE:
        return abs(float(words[0]) - value) <= 0.0051 * abs(value)
    size = _SIZES[words[1]] if unit is Unit.MIB else 1.0
    digits = len(words[0].partition(".")[2])
    return abs(size * float(words[0]) - value) <= 0.5001 * size * 10.0**-digits
