"""A dimension of a search: a key with its possible values."""

from __future__ import annotations

import re
from dataclasses import dataclass

from engine.errors import InputError
from engine.policy.key import Key, Range


@dataclass(frozen=True)
class Dimension:
    """A key with its possible texts, or with numbers from `low` to `high`."""

    key: Key
    words: tuple[str, ...] = ()
    low: float = 0.0
    high: float = 0.0

    @property
    def range(self) -> Range:
        """The range of the numbers, where there are no words."""
        assert self.key.range is not None
        return self.key.range

    def format(self, value: str | float) -> str:
        """The value formatted for a policy."""
        return value if isinstance(value, str) else self.range.format(value)


def ends_of(key: Key, text: str) -> tuple[float, float] | None:
    """The two ends of `low..high` for a key of numbers; None for other texts. Raises InputError."""
    span = re.fullmatch(r"(.+?)\.\.(.+)", text)
    if span is None or key.range is None:
        return None
    low, high = (float(key.range.parse(key.name, end.strip())) for end in span.groups())
    if low >= high:
        raise InputError(f"{key.name}={text}: the first number should be the smaller one")
    return low, high
