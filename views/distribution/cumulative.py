"""Cumulative curves: how many users, jobs... have at most a value, a curve a run."""

from __future__ import annotations

import numpy as np

from views.distribution.words import words_of
from views.format import percent
from views.measures import OVERS
from views.scales import LinearScale
from views.spread import Spread
from views.steps import Line, StepPlot


def cumulative_plot(spread: Spread) -> StepPlot:
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
    return StepPlot(
        words=words_of(
            spread,
            x_name=spread.measure.axis,
            y_name=f"% of the {OVERS[spread.over]} with at most that",
        ),
        x=spread.scale,
        y=LinearScale(),
        lines=lines,
        show_x=spread.measure.show,
        show_y=percent,
    )
