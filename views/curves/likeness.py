"""Cumulative curves that compare a generated log with the log that it was fitted to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from views.data.scales import LinearScale, LogScale
from views.plot.page import PlotPage
from views.plot.plot import Category, PlotWords
from views.plot.step_plot import StepFunction, StepPlot
from views.text.values import number, percent
from views.theme.palette import RUN_COLOURS

if TYPE_CHECKING:
    from engine.trace.generate.likeness import Likeness


def likeness_page(alike: Sequence[Likeness], names: tuple[str, str]) -> PlotPage:
    """A plot for each quantity, with a curve of each of two logs."""
    legend = [Category(name, RUN_COLOURS[place], place) for place, name in enumerate(names)]
    return PlotPage([_plot(likeness, legend) for likeness in alike], legend)


def _plot(quantity: Likeness, logs: Sequence[Category]) -> StepPlot:
    both = [np.asarray(values, np.float64) for values in (quantity.first, quantity.second)]
    shares = [100.0 * np.arange(1, len(values) + 1) / max(len(values), 1) for values in both]
    return StepPlot(
        words=PlotWords(quantity.name, y_name="% with at most that"),
        x=LogScale.of(np.concatenate(both), durations=quantity.seconds),
        y=LinearScale(),
        lines=[
            StepFunction(log.name, log.colour, values, share, log.run)
            for log, values, share in zip(logs, both, shares, strict=True)
        ],
        show_x=number,
        show_y=percent,
    )
