"""Names in the order in which people look for them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.words import natural


def name_ranks(names: Sequence[str]) -> NDArray[np.float64]:
    """The rank of each name, numbers within them by value: u2 before u10. Shape (names,)."""
    order = sorted(range(len(names)), key=lambda code: natural(names[code].casefold()))
    ranks = np.empty(len(names))
    ranks[order] = np.arange(len(names))
    return ranks
