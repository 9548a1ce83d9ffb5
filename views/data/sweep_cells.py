"""The results of a sweep so far, cell by cell, for its surface on the screen and in print."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from engine.metrics.compare import change
from engine.metrics.metric import Metric
from engine.sweep.grid import Grid
from views.text.metrics import Value, format_value
from views.text.values import signed_percent
from views.theme.palette import WAIT, gradient, hex_colour

COLOURS = gradient(WAIT)
"""From the worst value to the best."""

BEST, WORST = "★", "▽"
"""What marks the best cell and the worst."""


@dataclass(frozen=True, eq=False)
class SweepResults:
    """A grid and the metrics of the finished cells, by their indices; `measured` names the measured jobs."""

    grid: Grid
    measured: str = ""  # empty: all
    summaries: Mapping[int, Mapping[str, Value]] = field(default_factory=dict)

    def cells(self, metric: Metric) -> SweepCells:
        """The cells of a metric."""
        values = {cell: summary.get(metric.name) for cell, summary in self.summaries.items()}
        return SweepCells(self.grid, metric, values, self.measured, self.summaries)


@dataclass(frozen=True, eq=False)
class SweepCells:
    """A metric of the finished cells, by their indices in the grid; `measured` names the measured jobs."""

    grid: Grid
    metric: Metric
    values: Mapping[int, Value]
    measured: str = ""  # empty: all
    summaries: Mapping[int, Mapping[str, Value]] = field(default_factory=dict)  # all metrics of each cell

    @property
    def title(self) -> str:
        """The metric, and the measured jobs if these are not all."""
        return self.metric.label + (f", {self.measured}" if self.measured else "")

    @cached_property
    def best(self) -> int | None:
        """The index of the best cell so far, the first of equal cells; None if no cell is better than
        another.
        """
        return self._extreme(self.metric.better == "higher")

    @cached_property
    def worst(self) -> int | None:
        """The index of the worst cell so far, the first of equal cells; None if no cell is worse than
        another.
        """
        return self._extreme(self.metric.better == "lower")

    @cached_property
    def ends(self) -> tuple[float, float] | None:
        """The worst value and the best; None where all are the same."""
        if self.worst is None or self.best is None:
            return None
        return self._known[self.worst], self._known[self.best]

    def colour(self, value: float) -> str:
        """Better values are darker, whichever way is better."""
        worst, best = self.ends or (0.0, value)
        share = (value - worst) / (best - worst) if best != worst else 1.0
        return hex_colour(int(COLOURS[round(share * (len(COLOURS) - 1))]))

    def mark(self, index: int) -> str:
        """The sign of the best cell, or of the worst; empty for others."""
        return BEST if index == self.best else WORST if index == self.worst else ""

    def text(self, index: int) -> str:
        """The text of a cell: its value with its mark, – if it has none, … until it is finished."""
        if index not in self.values:
            return "…"
        return f"{self.mark(index)} {format_value(self.metric, self.values[index])}".lstrip()

    def describe(self, index: int) -> str:
        """The policy of a cell, its value, and its distance from the best cell."""
        name = self.grid.policies[index].spelling
        if index not in self.values:
            return f"{name}\nnot simulated yet"
        value = self.values[index]
        lines = [name, f"{self.metric.label}: {format_value(self.metric, value)}"]
        if index == self.best:
            lines.append("the best cell")
        elif value is not None and self.best is not None and self._known[self.best]:
            percent = signed_percent(change(value, self._known[self.best]))
            lines.append(f"{percent} against the best cell" + (": the worst" if index == self.worst else ""))
        return "\n".join(lines)

    @cached_property
    def _known(self) -> dict[int, float]:
        return {index: float(value) for index, value in sorted(self.values.items()) if value is not None}

    def _extreme(self, highest: bool) -> int | None:
        known = self._known
        if self.metric.better is None or len(set(known.values())) < 2:
            return None
        return (max if highest else min)(known, key=lambda index: known[index])
