"""Scale of named rows or columns, all of whose names are drawn where there is room."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.arrays import Floats
from views.data.scales import AxisRange


@dataclass(frozen=True)
class NamedRows:
    """Coordinates 0, 1, 2, ... up, each with its name."""

    names: tuple[str, ...]
    gap = None

    @property
    def widest(self) -> str:
        """The longest name."""
        return max(self.names, key=len, default="")

    @property
    def full_range(self) -> AxisRange:
        """Half a step beyond the ends."""
        return -0.5, max(len(self.names), 1) - 0.5

    def coordinates_of(self, values: Floats) -> Floats:
        """The value itself."""
        return np.asarray(values, np.float64)

    def value(self, coordinate: float) -> float:
        """The coordinate itself."""
        return coordinate

    def ticks(self, apart: float, seen: AxisRange | None = None) -> list[tuple[float, str]]:
        """The names, or some of them where they would lie over one another."""
        low, high = seen or self.full_range
        step = max(1, int(np.ceil(apart)))
        return [(float(k), name) for k, name in enumerate(self.names) if k % step == 0 and low <= k <= high]
