"""The plots of scores: the radar, and gains over the baseline that is chosen."""

from __future__ import annotations

from views.data.metric_scores import MetricScores
from views.data.results import place_of_baseline
from views.data.shown_runs import ShownRuns
from views.data.view_options import ViewOptions
from views.plot.page import PlotPage, runs_legend
from views.scores.gains import gains_plot
from views.scores.radar import WEIGHED, radar_plot


def score_page(shown: ShownRuns, options: ViewOptions) -> PlotPage:
    """The radar of all axes, gains, and the radar of what is weighed; and which colour is which run.

    Source: Tang et al. 2013, figures 12 and 11, whose radars have three axes.
    """
    scores = MetricScores.of(shown.results)
    baseline = place_of_baseline(shown.results, options.gains_over, options.baseline)
    weights = options.gain_weights
    gains, weighed = scores.gains(baseline, weights), ", ".join(scores.weighed)
    untold, called = scores.untold(baseline), scores.format_weights(weights)
    plots = (
        radar_plot(scores),
        gains_plot(shown.results, baseline, gains, weighed=weighed, weights=called, untold=untold),
        radar_plot(scores.of_weighed, title=WEIGHED),
    )
    return PlotPage(plots, runs_legend(shown.results), "runs")
