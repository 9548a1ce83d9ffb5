"""Which users a pixel row of a heatmap shows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class UserRows:
    """Users from top to bottom, by code; rows of equal height fill the plot."""

    order: Ints
    users: int  # of the trace, whether shown or not

    @property
    def count(self) -> int:
        """Rows."""
        return len(self.order)

    def lines(self, height: int) -> tuple[Ints, int]:
        """The line into which each user is drawn, shape (users,), -1 for none, and the number of lines.

        A line is a row, or a pixel row where there are more rows than `height` pixels.
        """
        lines = min(self.count, height)
        line = np.full(self.users, -1, np.int64)
        line[self.order] = np.arange(self.count) * lines // max(self.count, 1)
        return line, lines

    def stretch(self, lines: int, height: int) -> Ints:
        """The line that each pixel row shows, shape (height,)."""
        return (2 * np.arange(height) + 1) * lines // (2 * height)

    def at(self, y: float, height: float) -> Ints:
        """The users that the pixel row from y to y + 1 shows, of `height` in all; by code."""
        first = int(max(y, 0) * self.count / height)
        last = (
            max(first + 1, int(np.ceil((y + 1) * self.count / height))) if self.count > height else first + 1
        )
        return self.order[first:last]

    def span(self, user: int, height: float) -> tuple[float, float] | None:
        """Top and bottom of a user's row."""
        place = np.flatnonzero(self.order == user)
        if not len(place):
            return None
        row = height / self.count
        return float(place[0] * row), float((place[0] + 1) * row)
