"""Compared jobs: their waits under both runs, and the changes of their starts. No Qt here."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Ints
from views.data.changes import change_pixels
from views.data.comparison import Comparison
from views.data.scales import AxisRange, LogScale
from views.text.values import DAY, HOUR, MINUTE, duration
from views.theme.palette import Pixels

EDGES = (
    1.0, MINUTE, 5 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 4 * HOUR, 8 * HOUR,
    DAY, 2 * DAY, 4 * DAY, 7 * DAY,
)  # fmt: skip
"""Changes are counted between these, in seconds, in either direction; the last class has no end."""


TICKS = tuple(
    ((len(EDGES) - level, len(EDGES) + 1 + level), text)
    for level, text in (
        (EDGES.index(DAY), "1 d"),
        (EDGES.index(HOUR), "1 h"),
        (EDGES.index(5 * MINUTE), "5 min"),
    )
)
"""Edges between bars, counted from the left, earlier and later, with their text; the first ones first."""


@dataclass(frozen=True)
class MoveScale:
    """Classes of change from the earliest to the latest: class `k` begins at `k + len(EDGES)`."""

    gap = None
    widest = "1 d"  # of most; a longer text keeps further away from others

    @property
    def full_range(self) -> AxisRange:
        """All classes."""
        return 0.0, 2.0 * len(EDGES) + 1.0

    def coordinates_of(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """The coordinate at which each class begins, same shape."""
        return np.asarray(values, np.float64) + len(EDGES)

    def value(self, coordinate: float) -> float:
        """The class at a coordinate."""
        return float(min(max(int(coordinate), 0), 2 * len(EDGES)) - len(EDGES))

    def ticks(self, apart: float, seen: AxisRange | None = None) -> list[tuple[float, str]]:
        """Some edges, earlier and later alike; the longest changes come first where room is scarce."""
        chosen: list[tuple[float, str]] = []
        for edges, text in TICKS:
            # Both edges of a pair have to keep clear of each other and of all others.
            others = (*((edge, text) for edge in edges), *chosen)
            if all(
                abs(a - b) >= apart * _room(text, other)
                for k, a in enumerate(edges)
                for b, other in others[k + 1 :]
            ):
                chosen += [(float(edge), text) for edge in edges]
        low, high = seen or self.full_range
        return sorted((edge, text) for edge, text in chosen if low <= edge <= high)


def _room(text: str, other: str) -> float:
    """How far apart the middles of two labels are at least, where those of `MoveScale.widest` are 1 apart."""
    # Beside a short label a longer label has room enough; two long labels need more, letter by letter.
    return 1.0 + 0.15 * max(min(len(text), len(other)) - len(MoveScale.widest), 0)


@dataclass(frozen=True, eq=False)
class Points:
    """The compared jobs: index into the trace and position on the scale of waits, shape (jobs,) each."""

    job: Ints
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    scale: LogScale

    @classmethod
    def of(cls, comparison: Comparison) -> Points:
        """The wait under the first run horizontally, the wait under the second run vertically, on the same
        scale.
        """
        first, second = (wait.astype(np.float64) for wait in comparison.wait)
        scale = LogScale.of(np.concatenate((first, second)), durations=True)
        job = np.flatnonzero(comparison.difference.jobs)
        return cls(job, scale.coordinates_of(first), scale.coordinates_of(second), scale)

    def cells(self, columns: int, rows: int, picked: NDArray[np.bool_] | None = None) -> Ints:
        """The number of jobs in each cell, of the `picked` jobs if given, shape (rows, columns), top row
        first.
        """
        low, high = self.scale.full_range

        def cell(position: NDArray[np.float64], cells: int) -> Ints:
            return np.clip(((position - low) / (high - low) * cells).astype(np.int64), 0, cells - 1)

        # Rows go down from the top, values go up.
        index = (rows - 1 - cell(self.y, rows)) * columns + cell(self.x, columns)
        chosen = index if picked is None else index[picked]
        return np.bincount(chosen, minlength=rows * columns).reshape(rows, columns)


@dataclass(frozen=True, eq=False)
class StartChanges:
    """Compared jobs by their change: class 0 is none, k > 0 is EDGES[k - 1] to EDGES[k] later, -k earlier."""

    job: Ints
    of_job: Ints  # class, shape (jobs,)
    total: Ints  # jobs in each class from the earliest to the latest, shape (2 len(EDGES) + 1,)

    @classmethod
    def of(cls, comparison: Comparison) -> StartChanges:
        """The changes of a pair of runs."""
        job = np.flatnonzero(comparison.difference.jobs)
        change = comparison.difference.change[job]
        # The class has the sign of the change: 0 is no change, whatever the edges.
        of_job = np.sign(change) * np.searchsorted(EDGES, np.abs(change), "right")
        return cls(job, of_job, _counts(of_job))

    def counts(self, picked: NDArray[np.bool_]) -> Ints:
        """The same counts for the picked jobs."""
        return _counts(self.of_job[picked])


def _counts(of_job: Ints) -> Ints:
    return np.bincount(of_job + len(EDGES), minlength=2 * len(EDGES) + 1)


def move_colours(dark: bool) -> Pixels:
    """A pixel for each class, from the earliest to the latest, shape (2 len(EDGES) + 1,)."""
    # A class has the colour of its middle, on the logarithmic scale.
    middles = np.concatenate(([0.0], np.sqrt(np.array(EDGES) * np.array((*EDGES[1:], 14 * DAY)))))
    return change_pixels(np.concatenate((-middles[:0:-1], middles)).astype(np.int64), dark)


def format_move(class_: int) -> str:
    """The range of a class in words."""
    if class_ == 0:
        return "at the same time"
    low = EDGES[abs(class_) - 1]
    side = "later" if class_ > 0 else "earlier"
    if abs(class_) == len(EDGES):
        return f"{duration(low)} {side} or more"
    return f"{duration(low)} to {duration(EDGES[abs(class_)])} {side}"
