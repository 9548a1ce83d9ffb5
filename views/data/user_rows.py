"""Users as rows of a chart over time: which of them a pixel row shows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Ints
from views.text.counts import format_count, plural
from views.theme.palette import Pixels

PaintLines = Callable[[Ints, int, bool], Pixels]
"""`paint(line_of_user, lines, stands_back)` paints lines of users, shape (lines, width); line -1: in none."""

PINNED_HEIGHT = 13
"""Pinned rows are at least this tall, in pixels, as long as they leave half of the plot to the others."""


@dataclass(frozen=True)
class QueueGroup:
    """Neighbouring rows of the users of one queue."""

    name: str
    first: int
    rows: int


@dataclass(frozen=True)
class _Part:
    """Rows of equal height: `rows` from `first` on lie `tall` pixels from `top` on."""

    first: int
    rows: int
    top: int
    tall: int

    @property
    def lines(self) -> int:
        """A line is a row, or a pixel row where there are more rows than pixels."""
        return min(self.rows, self.tall)

    def line_at(self, pixel: Ints) -> Ints:
        """The line at the middle of each of these pixel rows."""
        return (2 * (pixel - self.top) + 1) * self.lines // (2 * max(self.tall, 1))


@dataclass(frozen=True, eq=False)
class UserRows:
    """Users from top to bottom, by code: the `pinned` users first, then the others, grouped or not.

    Rows fill the plot. They have the same height, except that pinned rows stay high enough to read.
    """

    order: Ints
    users: int  # of the trace, whether shown or not
    pinned: int = 0
    groups: tuple[QueueGroup, ...] = ()

    def painted(self, height: int, ratio: float, bright: frozenset[int] | None, paint: PaintLines) -> Pixels:
        """Pixels of a chart of these users, shape (height, width).

        Users that are not `bright` stand back; None: no user does.
        """
        # All lines are painted once, faded where some stand back. Then only lines that have a bright user are
        # painted again, of these users alone.
        of_user, of_pixel = self.lines(height, ratio)
        lines = int(of_pixel.max(initial=0)) + 1
        pixels = paint(of_user, lines, bright is not None)
        if bright is not None:
            shown = np.isin(np.arange(len(of_user)), list(bright)) & (of_user >= 0)
            lit, place = np.unique(of_user[shown], return_inverse=True)
            rows = np.full(len(of_user), -1, np.int64)
            rows[shown] = place
            if len(lit):  # only lines with bright users are painted again
                pixels[lit] = paint(rows, len(lit), False)
        # From lines to pixels at the end: where rows are tall, a line is painted once and copied.
        return np.ascontiguousarray(pixels[of_pixel])

    def same(self, other: UserRows) -> bool:
        """True if the other rows have the same users in the same order."""
        alike = (self.users, self.pinned, self.groups) == (other.users, other.pinned, other.groups)
        return alike and np.array_equal(self.order, other.order)

    @property
    def count(self) -> int:
        """Number of rows."""
        return len(self.order)

    @property
    def counted(self) -> tuple[str, ...]:
        """What the rows are, in words: the most exact first, for charts that have room for it.

        Unless they are all users of the trace, they are those who are late under any run, and pinned ones.
        """
        if self.count == self.users:
            return (plural(self.count, "user"),)
        of_all = f"{format_count(self.count)} of {plural(self.users, 'user')}"
        # Pinned users may be late or not.
        exact = () if self.pinned else (f"{of_all} with late jobs", f"{of_all} late")
        return (*exact, of_all, plural(self.count, "user"))

    def pinned_height(self, height: float) -> int:
        """Pixels, of `height`, that the pinned rows take."""
        # All or none pinned: there is a single part.
        if self.pinned in (0, self.count):
            return int(height) if self.pinned else 0
        even = self.pinned * height / self.count
        # High enough to be read, but for that at most half of the plot; never less than an even share.
        return max(round(max(even, min(self.pinned * PINNED_HEIGHT, height / 2))), 1)

    def lines(self, height: int, ratio: float = 1.0) -> tuple[Ints, Ints]:
        """The line of each user, shape (users,), -1 for none; and the line of each pixel row, shape
        (height,).

        `height` is in device pixels, `ratio` of them a pixel.
        """
        of_user = np.full(self.users, -1, np.int64)
        of_pixel = np.zeros(height, np.int64)
        above = 0
        for part in self._parts(height, ratio):
            users = self.order[part.first : part.first + part.rows]
            # More rows than pixels: neighbours share a line, in numbers that differ by 1 at most.
            of_user[users] = above + np.arange(part.rows) * part.lines // max(part.rows, 1)
            pixel = part.top + np.arange(part.tall)
            of_pixel[pixel] = above + part.line_at(pixel)
            above += part.lines
        return of_user, of_pixel

    def at(self, pixel: int, height: int, ratio: float = 1.0) -> Ints:
        """The users that a pixel row shows, by code: those of its line in `lines`."""
        for part in self._parts(height, ratio):
            if pixel < part.top + part.tall:
                line = int(part.line_at(np.array(max(pixel, part.top))))
                # The rows of a line are those that `lines` maps to it: both bounds are rounded up.
                first, last = (-(-above * part.rows // part.lines) for above in (line, line + 1))
                return self.order[part.first + first : part.first + last]
        return self.order[:0]

    def span(self, user: int, height: float, ratio: float = 1.0) -> tuple[float, float] | None:
        """Top and bottom of a user's row."""
        rows = np.flatnonzero(self.order == user)
        if not len(rows):
            return None
        row = int(rows[0])
        part = next(part for part in self._parts(height, ratio) if row < part.first + part.rows)
        tall = part.tall / part.rows
        return part.top + (row - part.first) * tall, part.top + (row - part.first + 1) * tall

    def spans(self, height: float) -> NDArray[np.float64]:
        """Top and bottom of every row, shape (rows, 2)."""
        edges = [
            part.top + np.arange(part.rows + 1) * (part.tall / part.rows) for part in self._parts(height)
        ]
        return np.concatenate([np.stack((edge[:-1], edge[1:]), axis=1) for edge in edges or [np.zeros(1)]])

    def edge(self, row: int, height: float, ratio: float = 1.0) -> float:
        """The upper edge of a row."""
        part = next((p for p in self._parts(height, ratio) if row < p.first + p.rows), None)
        return float(height) if part is None else part.top + (row - part.first) * part.tall / part.rows

    def _parts(self, height: float, ratio: float = 1.0) -> Iterator[_Part]:
        """The pinned rows and the others, where there are any; in device pixels."""
        height = int(height)
        split = height
        if self.pinned < self.count:
            # The height of pinned rows is decided in the pixels of the screen's layout, so that it is the
            # same at each ratio.
            split = min(round(self.pinned_height(round(height / ratio)) * ratio), height)
        if self.pinned:
            yield _Part(0, self.pinned, 0, split)
        if self.count > self.pinned:
            yield _Part(self.pinned, self.count - self.pinned, split, height - split)
