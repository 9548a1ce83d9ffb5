"""The look of the heatmaps of all runs: rows, what a pixel shows, and the scale."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.trace import Trace
from views.data.user_order import OrderKind, rows_in_order
from views.data.user_rows import UserRows
from views.data.violation_counts import Aggregate


@dataclass(frozen=True)
class HeatmapLook:
    """The look of the heatmaps; `shared_scale` applies to the strips, too. `pinned` users, by name, come
    first.
    """

    order: OrderKind = "violations"
    by_queue: bool = False
    measure: Aggregate = "max"  # so it is called in settings and sessions
    shared_scale: bool = True
    pinned: tuple[str, ...] = ()

    def rows(self, trace: Trace, totals: NDArray[np.int64]) -> UserRows:
        """Users from top to bottom; `totals` are their violated jobs times minutes, shape (users,).

        For a comparison of two runs these are changes in violated jobs, times minutes.
        """
        codes = {name: code for code, name in enumerate(trace.user.names)}
        pinned = [codes[name] for name in self.pinned if name in codes]
        return rows_in_order(trace, totals, self.order, self.by_queue, pinned)

    def pin(self, names: Collection[str]) -> HeatmapLook:
        """Pin these users; unpin them where all of them are pinned."""
        new = tuple(name for name in names if name not in self.pinned)
        kept = self.pinned if new else tuple(name for name in self.pinned if name not in names)
        return replace(self, pinned=kept + new)
