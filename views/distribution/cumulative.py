"""Cumulative curves: how many users, jobs... have at most a value, a curve a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from views.distribution.words import words_of
from views.format import percent
from views.measures import OVERS
from views.plot import Mark
from views.scales import LinearScale
from views.spread import Spread
from views.steps import Line, StepPlot


@dataclass(frozen=True, eq=False, kw_only=True)
class Cumulative(StepPlot):
    """The curve of each run, in the order of the spread."""

    spread: Spread

    def marks(self, units: Sequence[int]) -> list[Mark]:
        """A picked unit on the curve of each run."""
        place, show = self.spread.scale.place, self.spread.measure.show
        return [
            Mark(float(place(np.array(value))), float(self.lines[run].at(np.array(value))), show(value))
            for run, value in self.spread.of_units(units)
        ]


def cumulative_plot(spread: Spread) -> Cumulative:
    """The share of units, in %, whose value is at most that at the axis."""
    lines = [
        Line(
            run.name,
            run.colour,
            run.ordered,
            100.0 * np.arange(1, len(run.ordered) + 1) / max(len(run.ordered), 1),
        )
        for run in spread.runs
    ]
    return Cumulative(
        spread=spread,
        words=words_of(
            spread,
            x_name=spread.measure.axis,
            y_name=f"% of {OVERS[spread.over]} up to there",
        ),
        x=spread.scale,
        y=LinearScale(),
        lines=lines,
        show_x=spread.measure.show,
        show_y=percent,
    )
