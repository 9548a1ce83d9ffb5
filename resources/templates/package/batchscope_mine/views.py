"""A view: how wide jobs are, under each run."""

import numpy as np

from views.data.scales import LinearScale
from views.plot.page import PlotPage, runs_legend
from views.plot.plot import PlotWords
from views.plot.step_plot import StepFunction, StepPlot
from views.text.values import number, percent


def width_page(shown, options):
    """The plots of the view; `shown` has at least one run."""
    lines = []
    for run in shown.results:
        widths = np.sort(run.schedule.procs[run.measured]).astype(float)
        share = 100.0 * np.arange(1, len(widths) + 1) / len(widths)
        lines.append(StepFunction(run.name, run.colour, widths, share, run.run_id))
    words = PlotWords(
        "Widths", "The share of jobs with at most so many processors.", "processors", "% of the jobs"
    )
    most = max(float(line.x.max()) for line in lines)
    plot = StepPlot(
        words=words, x=LinearScale(0.0, most), y=LinearScale(), lines=lines, show_x=number, show_y=percent
    )
    return PlotPage([plot], runs_legend(shown.results))
