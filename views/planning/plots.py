"""The plots of searches for better plans: criteria, gains and moves over time, and what a budget buys."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from engine.arrays import Floats
from views.data.plan_searches import CRITERION_NAMES, DURATIONS, PlanSearches, searches_of
from views.data.scales import LinearScale
from views.data.shown_runs import ShownRuns
from views.data.view_options import ViewOptions
from views.plot.page import PlotPage
from views.plot.plot import Category, Plot, PlotWords
from views.plot.step_plot import StepFunction, StepPlot
from views.plot.time_plot import StepCurve, TimeFunction, TimeLines, time_lines
from views.text.ticks import axis_of
from views.text.values import number, percent

_PALE = 0.55
"""Share of the background in the colour of what was before a search."""

_TEXT = (
    "The mean gain of a run's searches by their number of trials: the sum of the gains of all accepted moves "
    "up to that trial. Where the curve is flat, more trials gain nothing."
)


def budget_plot(runs: Sequence[PlanSearches]) -> StepPlot:
    """A curve for each run, of at least one."""
    lines = []
    for run in runs:
        trials, gain = run.budget
        lines.append(StepFunction(run.name, run.result.colour, trials, gain, run.result.run_id, joined=True))
    return StepPlot(
        words=PlotWords("Gain by budget", _TEXT, "trials of a search", "gain, %"),
        x=LinearScale(0.0, max(float(line.x[-1]) for line in lines)),
        y=LinearScale(0.0, max(max(float(line.y.max()) for line in lines), 1e-9)),
        lines=lines,
        show_x=number,
        show_y=percent,
    )


def planning_page(shown: ShownRuns, options: ViewOptions) -> PlotPage:
    """All plots for print of the runs that search for better plans.

    Greedy plans try no moves, and have no budget. Measured times of searches are left out, since they differ
    each time that a run is simulated, and a figure of the same input has the same bytes.
    """
    runs = searches_of(list(shown.results))
    tried = [run for run in runs if run.tries]
    plots: list[Plot] = list(search_plots(runs, options.plan_criterion)[:-1])
    if tried:
        plots.append(budget_plot(tried))
    legend = [Category(run.name, run.result.colour, run.result.run_id) for run in runs]
    notes = [f"{run.name}: {run.summary(timed=False)}" for run in runs]
    return PlotPage(plots, legend, "runs", "searches for better plans", notes)


def search_plots(runs: Sequence[PlanSearches], criterion: str) -> tuple[TimeLines, ...]:
    """A criterion before and after each search, the gain, the accepted moves, and the gain for its time."""
    name = CRITERION_NAMES[criterion]
    values = []
    for searches in runs:
        before, after = searches.criterion(criterion)
        colour, run = searches.result.colour, searches.result.run_id
        # The value after a search comes first, so that the legend has it in the full colour; the pale line is
        # the same run before it.
        values.append(
            TimeFunction(f"{searches.name}, after", colour, StepCurve(searches.time, after), run=run)
        )
        earlier = StepCurve(searches.time, before)
        values.append(TimeFunction(f"{searches.name}, before", colour, earlier, run=run, pale=_PALE))
    untimed = "The time of searches is not known here"
    return (
        _plot(
            runs,
            f"{name[0].upper()}{name[1:]}: pale before, dark after a search",
            values,
            durations=criterion in DURATIONS,
        ),
        _plot(runs, "Gain of a search, %", _lines(runs, lambda searches: searches.gain)),
        _plot(
            runs,
            "Accepted moves, % of tried moves",
            _lines(runs, lambda searches: searches.kept),
            "No moves are tried",
        ),
        _plot(
            runs,
            "Gain for each millisecond spent, %",
            _lines(runs, lambda searches: searches.gain_per_ms),
            untimed,
        ),
    )


def _lines(
    runs: Sequence[PlanSearches], values_of: Callable[[PlanSearches], Floats | None]
) -> list[TimeFunction]:
    """A line for each run that has such values."""
    known = [(run, values_of(run)) for run in runs]
    return [
        TimeFunction(
            searches.name,
            searches.result.colour,
            StepCurve(searches.time, values),
            run=searches.result.run_id,
        )
        for searches, values in known
        if values is not None
    ]


def _plot(
    runs: Sequence[PlanSearches],
    title: str,
    lines: Sequence[TimeFunction],
    without: str = "",
    durations: bool = False,
) -> TimeLines:
    schedule = runs[0].result.schedule
    end = max(run.result.schedule.last_end for run in runs)
    steps = [line.at for line in lines]
    most = max(
        (float(np.nanmax(at.value, initial=0.0)) for at in steps if isinstance(at, StepCurve)), default=0.0
    )
    span = float(schedule.first_submit), float(end)
    words = PlotWords(title, message="" if lines else without)
    return time_lines(words, lines, most, span, axis_of(schedule.trace), durations)
