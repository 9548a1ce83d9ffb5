"""The plots of distributions, as they are chosen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from views.data.measures import MEASURES
from views.data.plot_choices import DistributionChoices, read_choices
from views.data.results import Result
from views.data.samples import samples_of
from views.data.shown_runs import ShownRuns
from views.data.view_options import ViewOptions
from views.distribution.boxes import box_plot
from views.distribution.cumulative import cumulative_plot
from views.distribution.histogram import histogram
from views.plot.page import PlotPage, runs_legend
from views.plot.plot import Plot


def distribution_page(shown: ShownRuns, options: ViewOptions) -> PlotPage:
    """A plot for each chosen measure; boxes are named below."""
    choices = read_choices(DistributionChoices, options.distributions)
    plots = [plot_of(replace(choices, measure=name), shown.results) for name in choices.measures]
    return PlotPage(plots, () if choices.kind == "box" else runs_legend(shown.results))


def plot_of(choices: DistributionChoices, results: Sequence[Result]) -> Plot:
    """The plot of a measure; takes time in the number of jobs."""
    samples = samples_of(MEASURES[choices.measure], choices.over, results, choices.axis == "log")
    if choices.kind == "histogram":
        return histogram(samples)
    if choices.kind == "cumulative":
        return cumulative_plot(samples)
    return box_plot(samples, choices.points)
