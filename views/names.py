"""Names in the order in which people look for them."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def name_ranks(names: Sequence[str]) -> NDArray[np.float64]:
    """The place of each name in order, numbers within them by value: u2 before u10. Shape (names,)."""
    order = sorted(range(len(names)), key=lambda code: _natural(names[code]))
    ranks = np.empty(len(names))
    ranks[order] = np.arange(len(names))
    return ranks


def _natural(name: str) -> list[tuple[int, str]]:
    """Digits as numbers, all else as text; the pairs compare with one another."""
    parts = re.findall(r"[0-9]+|[^0-9]+", name.casefold())
    return [(int(part), "") if part.isdecimal() and part.isascii() else (-1, part) for part in parts]
