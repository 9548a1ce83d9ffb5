"""The three cumulative curves over job area (Goponenko et al. 2022, figure 3)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from engine.arrays import Floats
from engine.metrics.curves import AreaCurves, area_curves
from views.data.results import Result
from views.data.scales import LinearScale, LogScale, Scale
from views.data.shown_runs import ShownRuns
from views.data.view_options import ViewOptions
from views.plot.page import PlotPage, runs_legend, with_jobs
from views.plot.plot import Category, PlotWords
from views.plot.step_plot import StepFunction, StepPlot
from views.text.values import percent, processor_time

_AREA = "area of the job: processors × runtime, CPU h"
_COMMON = "#7f8a96"
"""Of a curve that is the same for all runs: runtimes, and so areas, are the trace's own."""

_JOBS = PlotWords("Jobs", "The share of jobs whose area is at most that.", _AREA, "% of the jobs")
_WORK = PlotWords(
    "Work", "The share of all work that is in jobs of at most that area.", _AREA, "% of the work"
)
_WAIT = PlotWords(
    "Wait area",
    "CWA: the sum of wait × processors over the jobs of at most that area. Where it grows like the share "
    "of work, small and large jobs wait alike for the work that they do.",
    _AREA,
    "wait × processors, CPU h",
)


def size_page(shown: ShownRuns, _: ViewOptions) -> PlotPage:
    """The plots, and which colour is which run, or all of them."""
    plots = size_plots(shown.results)
    common = [Category("every run", _COMMON)] if any(plot.lines[0].run is None for plot in plots) else []
    return with_jobs(PlotPage(plots, (*runs_legend(shown.results), *common)), shown.results)


def size_plots(results: Sequence[Result]) -> tuple[StepPlot, StepPlot, StepPlot]:
    """Cumulative shares of jobs and of work by job area, and the waits of these jobs: a line for each run.

    There is at least one run. Takes time in the number of jobs.
    """
    curves = [_curves_of(result) for result in results]
    waits = np.concatenate([curve.wait_area for curve in curves]).astype(np.float64)
    area, up = _areas(curves), LinearScale.of(waits, hours=True)

    def plot(
        words: PlotWords,
        column: Callable[[AreaCurves], Floats],
        y: Scale,
        show: Callable[[float | None], str],
    ) -> StepPlot:
        lines = [
            StepFunction(
                result.name, result.colour, curve.area.astype(np.float64), column(curve), result.run_id
            )
            for result, curve in zip(results, curves, strict=True)
        ]
        # Runs of the same trace usually have the same areas: their lines would cover each other, and only the
        # last colour would be seen. A single line stands for all of them.
        first, *others = lines
        if others and all(np.array_equal(first.x, o.x) and np.array_equal(first.y, o.y) for o in others):
            lines = [replace(first, name="every run", colour=_COMMON, run=None)]
        return StepPlot(words=words, x=area, y=y, lines=lines, show_x=processor_time, show_y=show)

    return (
        plot(_JOBS, lambda curve: 100 * curve.jobs, LinearScale(), percent),
        plot(_WORK, lambda curve: 100 * curve.work, LinearScale(), percent),
        plot(_WAIT, lambda curve: curve.wait_area.astype(np.float64), up, processor_time),
    )


def _areas(curves: Sequence[AreaCurves]) -> LogScale:
    areas = np.concatenate([curve.area for curve in curves]).astype(np.float64)
    return LogScale.of(areas, durations=False, hours=True)


def _curves_of(result: Result) -> AreaCurves:
    schedule, jobs = result.schedule, result.measured
    return area_curves(schedule.wait[jobs], schedule.runtime[jobs], schedule.procs[jobs])
