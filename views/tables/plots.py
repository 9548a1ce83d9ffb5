"""Metrics of runs as bars: one plot per metric, one bar per run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.metrics.catalog import METRICS
from engine.metrics.metric import Metric
from views.data.results import Result
from views.data.scales import Categories, LinearScale
from views.data.shown_runs import ShownRuns
from views.data.view_options import ViewOptions
from views.plot.layers import Bars, Floats, Labels, Layer
from views.plot.page import PlotPage, runs_legend
from views.plot.plot import Category, Paper, Plot, Words
from views.text.metrics import format_value
from views.theme.theme import Theme

SHOWN = (
    *("wait_mean", "bounded_slowdown_mean", "response_mean", "awf"),
    *("violated_jobs", "nuwt_mean", "loss_of_capacity_fit", "utilization"),
)
"""The metrics that papers compare schedules by; those without a value in any run are left out."""

_MOST_LABELLED = 6
"""Maximum number of runs with labelled bars."""

_ROOM = 1.12
"""Height of a plot relative to the largest value, with room for the label above it."""

_BAR = 0.72
"""Width of a bar, of the room for a run."""


@dataclass(frozen=True, eq=False, kw_only=True)
class MetricBars(Plot):
    """A metric: a bar for each run, with its value above. Runs without a value have no bar."""

    metric: Metric
    runs: Sequence[Result]
    values: Floats  # NaN: none; parts of a whole in %

    @property
    def paper(self) -> Paper:
        """Several are side by side."""
        return Paper(1.5, 1.15)

    def layers(self, theme: Theme) -> Sequence[Layer]:
        """The bars, and their values in words."""
        found: list[Layer] = []
        for place, (run, value) in enumerate(zip(self.runs, self.values.tolist(), strict=True)):
            if value != value:
                continue
            sides = np.array([place - _BAR / 2]), np.array([place + _BAR / 2])
            found.append(Bars(*sides, np.array([value]), [run.colour], run=run.run_id))
            if len(self.runs) > _MOST_LABELLED:
                continue
            text = format_value(self.metric, run.summary[self.metric.name])
            at = np.array([float(place)]), np.array([value])
            found.append(Labels(*at, [text], 1.1, (0.5, 1.0), run=run.run_id))
        return found


def metric_bars(shown: ShownRuns, _: ViewOptions) -> PlotPage:
    """A plot for each metric of SHOWN with a value in some run; `shown` has at least one run."""
    runs = shown.results
    slots = [Category(run.name, run.colour, run.run_id) for run in runs]
    plots = []
    for metric in (METRICS[name] for name in SHOWN):
        known = [run.summary[metric.name] for run in runs]
        scale = 100.0 if metric.share else 1.0
        values = np.array([np.nan if value is None else scale * value for value in known], np.float64)
        if np.isnan(values).all():
            continue
        unit = (
            "%" if metric.share else {"s": "d h min s", "processor-s": "CPU h"}.get(metric.unit, metric.unit)
        )
        better = f"{metric.better} is better" if metric.better else ""
        plots.append(
            MetricBars(
                words=Words(metric.label, metric.definition, y_name=", ".join(filter(None, (unit, better)))),
                x=Categories(len(runs)),
                y=LinearScale.of(_ROOM * values, metric.unit == "s", metric.unit == "processor-s"),
                slots=slots,
                metric=metric,
                runs=runs,
                values=values,
            )
        )
    return PlotPage(plots, runs_legend(runs), "runs")
