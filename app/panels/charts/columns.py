"""Columns of panels: their number, and the place of each panel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from PySide6.QtCore import QRect, QSize

from views.timechart.frame import GUTTER, RIGHT

GAP = 4
"""Pixels between panels, and around them."""

_MOST = 6
_NARROWEST, _LOWEST = 200, 130
"""Least width and height of the plots of a panel, in pixels, as long as any number of columns has them."""

_AROUND = 60
"""Approximate height in pixels of a panel without its plots."""

_WORTH = 0.9
"""Factor by which a further column has to be better, because stacked charts share the time axis."""


def best_columns(count: int, room: QSize) -> int:
    """The number of columns for which the smallest plot of `count` panels is largest."""

    def rank(columns: int) -> tuple[bool, float]:
        width = room.width() / columns - GUTTER - RIGHT - GAP
        height = room.height() / -(-max(count, 1) // columns) - _AROUND
        fits = width >= _NARROWEST and height >= _LOWEST
        return fits, max(width, 1.0) * max(height, 1.0) * _WORTH**columns

    return max(range(1, min(max(count, 1), _MOST) + 1), key=rank)


@dataclass(frozen=True)
class Columns:
    """Panels dealt to columns in turn, all equally high; the last row may end early."""

    count: int
    columns: int

    def rows(self, column: int) -> int:
        """The number of panels in a column."""
        return len(range(column, self.count, self.columns))

    def edges(self, width: int) -> list[tuple[int, int]]:
        """From where to where columns reach, in pixels."""
        lefts = [GAP + round(k * (width - GAP) / self.columns) for k in range(self.columns + 1)]
        return [(left, right - GAP) for left, right in pairwise(lefts)]

    def places(self, room: QSize) -> list[QRect]:
        """The rectangles of all panels, in order."""
        edges = self.edges(room.width())
        places = []
        for index in range(self.count):
            row, column = divmod(index, self.columns)
            left, right = edges[column]
            top, bottom = (round(k * room.height() / self.rows(0)) for k in (row, row + 1))
            places.append(QRect(left, top, right - left, bottom - top))
        return places

    def bottom(self, column: int, height: int) -> int:
        """The lower end of the panels of a column within this height, in pixels."""
        return round(self.rows(column) * height / max(self.rows(0), 1))

    def height(self, least: Sequence[int]) -> int:
        """The least height of all, where panels have these."""
        return max(least, default=0) * (self.rows(0) if self.columns else 0)
