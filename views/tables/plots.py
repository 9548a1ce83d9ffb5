"""Metrics of runs as bars: one plot per metric, one bar per run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from engine.arrays import Floats
from engine.metrics.catalog import METRICS
from engine.metrics.metric import Metric
from views.data.results import Result, further_metrics
from views.data.scales import Categories, LinearScale
from views.data.shown_runs import ShownRuns
from views.data.view_options import ViewOptions
from views.plot.dwarfing_bars import CUT, DWARFED, WERE_CUT, cut_top, dwarfed_top
from views.plot.layers import Bars, Intervals, Labels, Layer
from views.plot.page import PlotPage, runs_legend
from views.plot.plot import Category, Plot, PlotWords, PrintRoom
from views.text.metrics import format_range, format_value
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

_LINES = "Lines on bars: the least and the largest value over the phases of slurmctld's loops."

_OFFERED = DWARFED.format(option="the option bars_cut=on")

_BAR = 0.72
"""Width of a bar, of the room for a run."""


@dataclass(frozen=True, eq=False, kw_only=True)
class MetricBars(Plot):
    """A metric: a bar for each run, with its value above. Runs without a value have no bar.

    A line on the bar of a site's run spans its values over phases.
    """

    metric: Metric
    runs: Sequence[Result]
    values: Floats  # NaN: none; parts of a whole in %
    ranges: Floats  # least and largest of each run, shape (runs, 2); NaN: not repeated

    @property
    def paper(self) -> PrintRoom:
        """Several are side by side."""
        return PrintRoom(1.5, 1.15)

    def layers(self, theme: Theme) -> Sequence[Layer]:
        """The bars, and their values in words."""
        layers: list[Layer] = []
        for place, (run, value) in enumerate(zip(self.runs, self.values.tolist(), strict=True)):
            # A value that is unknown, NaN, has neither bar nor label.
            if value != value:
                continue
            sides = np.array([place - _BAR / 2]), np.array([place + _BAR / 2])
            layers.append(Bars(*sides, np.array([value]), [run.colour], run=run.run_id))
            low, high = self.ranges[place].tolist()
            if low < high:
                bounds = np.array([value]), np.array([low]), np.array([high])
                layers.append(Intervals(np.array([float(place)]), *bounds, theme.text, run=run.run_id))
            if len(self.runs) > _MOST_LABELLED:
                continue
            # The label stands above the whisker; a bar that was cut says so at the upper edge.
            text = format_value(self.metric, run.summary.get(self.metric.name))
            top = value if high != high else high
            if top > self.y.full_range[1]:
                text, top = f"{CUT} {text}", self.y.full_range[1]
            at = np.array([float(place)]), np.array([top])
            layers.append(Labels(*at, [text], 1.1, (0.5, 1.0), run=run.run_id))
        return layers


def metric_bars(shown: ShownRuns, options: ViewOptions) -> PlotPage:
    """A plot for each chosen metric with a value in some run, or else of SHOWN and each further one that was
    asked for.

    `shown` has at least one run.
    """
    runs = shown.results
    slots = [Category(run.name, run.colour, run.run_id) for run in runs]
    plots, dwarfed = [], False
    usual = (*(METRICS[name] for name in SHOWN), *further_metrics(runs))
    for metric in [METRICS[name] for name in options.bar_metrics] or usual:
        # Shares are stored as 0 to 1 and shown in %.
        known = [run.summary.get(metric.name) for run in runs]
        scale = 100.0 if metric.share else 1.0
        values = np.array([np.nan if value is None else scale * value for value in known], np.float64)
        if np.isnan(values).all():
            continue
        over = [run.ranges.get(metric.name, (np.nan, np.nan)) for run in runs]
        ranges = scale * np.array(over, np.float64)
        unit = (
            "%" if metric.share else {"s": "d h min s", "processor-s": "CPU h"}.get(metric.unit, metric.unit)
        )
        # The top of a bar with a whisker is the whisker's; a missing whisker is NaN, which `fmax` ignores.
        tops = np.fmax(values, ranges[:, 1])
        # A value that dwarfs all others is cut only if the user chose so; otherwise a note offers it.
        others = dwarfed_top(tops)
        dwarfed |= others is not None
        if options.bars_cut and others is not None:
            tops = np.fmin(tops, cut_top(others) / _ROOM)
        better = f"{metric.better} is better" if metric.better else ""
        plots.append(
            MetricBars(
                words=PlotWords(
                    metric.label,
                    "\n".join([metric.definition, *_over_phases(metric, runs)]),
                    y_name=", ".join(filter(None, (unit, better))),
                ),
                x=Categories(len(runs)),
                y=LinearScale.of(_ROOM * tops, metric.unit == "s", metric.unit == "processor-s"),
                slots=slots,
                metric=metric,
                runs=runs,
                values=values,
                ranges=ranges,
            )
        )
    notes = [_LINES] if any(run.ranges for run in runs) else []
    if dwarfed:
        notes.append(WERE_CUT if options.bars_cut else _OFFERED)
    return PlotPage(plots, runs_legend(runs), "runs", notes=notes)


def _over_phases(metric: Metric, runs: Sequence[Result]) -> Iterator[str]:
    """The range of a metric for each run of a site that is repeated, a line each."""
    for run in runs:
        if metric.name in run.ranges and run.spread is not None:
            yield f"{run.name}: {format_range(metric, run.ranges[metric.name], len(run.spread))}"
