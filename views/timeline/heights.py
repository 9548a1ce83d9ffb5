"""From values to heights in a chart of lines: linear or logarithmic, from 0 at the lower edge."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_ROOM = 1.06
"""The upper edge, as a multiple of the largest height."""


@dataclass(frozen=True)
class Heights:
    """Heights are shares of the plot. Logarithmic ones are log(1 + value), so that 0 has a place."""

    most: float
    log: bool = False

    def share(self, values: Floats) -> Floats:
        """The height of each value, 0 (lower edge) to 1 (upper edge)."""
        most = max(self.most, 1e-9)
        if self.log:
            values, most = np.log1p(np.maximum(values, 0)), float(np.log1p(most))
        return np.asarray(values / (_ROOM * most))

    def ticks(self, apart: float, spell: Callable[[float], str]) -> list[tuple[float, str]]:
        """Shares at least `apart` from one another with their texts, from the lower edge."""
        chosen: list[tuple[float, str]] = []
        for value in self._candidates(apart):
            height = float(self.share(np.array([value]))[0])
            if height <= 1 and all(abs(height - other) >= apart for other, _ in chosen):
                chosen.append((height, spell(value)))
        if len(chosen) == 1:  # a low chart has no room for round values; 0 alone is no scale
            chosen.append((1 / _ROOM, spell(self.most)))
        return sorted(chosen)

    def _candidates(self, apart: float) -> list[float]:
        if self.log:
            decades = [10.0**k for k in range(12) if 10.0**k <= self.most]
            return [0.0, *decades[::-1]]
        steps = [m * 10.0**k for k in range(-3, 13) for m in (1, 2, 5)]
        step = next((s for s in steps if s / (_ROOM * max(self.most, 1e-9)) >= apart), self.most)
        return [float(v) for v in np.arange(0, self.most + step / 2, step)]
