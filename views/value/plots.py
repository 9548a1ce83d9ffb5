"""The plots of value: what jobs are worth, what delay leaves of that, what each run delivers, and budgets.

Van den Bossche, Vanmechelen & Broeckhove 2011, figures 1 to 4.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.value.tolerance import TOLERANCES
from views.data.budget_curves import budgets_of, have_budgets
from views.data.results import Result
from views.data.scales import LinearScale, LogScale
from views.data.shown_runs import ShownRuns
from views.data.value_curves import DELTAS, delivered_over_tolerance, left_over_delay, worths
from views.data.view_options import ViewOptions
from views.plot.page import PlotPage, runs_legend, with_jobs
from views.plot.plot import Category, PlotWords
from views.plot.step_plot import StepFunction, StepPlot
from views.text.values import number, percent

_COLOURS = {"linear": "#7f8a96", "exponential": "#b08433"}
_COMMON = "#7f8a96"
"""Of a curve that is the same for all runs."""


def value_page(shown: ShownRuns, options: ViewOptions) -> PlotPage:
    """The plots under the tolerance that is chosen, and which colour is which run, or all of them."""
    plots = value_plots(shown.results, *options.tolerance) + budget_plots(shown.results)
    common = [Category("every run", _COMMON)] if any(line.run is None for line in plots[0].lines) else []
    return with_jobs(PlotPage(plots, (*runs_legend(shown.results), *common)), shown.results)


def value_plots(results: Sequence[Result], shape: str, delta: float) -> tuple[StepPlot, StepPlot, StepPlot]:
    """Plots of at least one run, for a tolerance of this shape and of `delta` runtimes.

    They take time in the number of jobs.
    """
    return _value_plot(results), _left(shape, delta), _delivered(results, shape, delta)


def budget_plots(results: Sequence[Result]) -> tuple[StepPlot, ...]:
    """The credits of users over time and at the end, of the runs with budgets; nothing where none has any."""
    if not have_budgets(results):
        return ()
    found = [(result, budgets) for result in results if (budgets := budgets_of(result)) is not None]
    message = "" if found else "No job of these runs is measured."
    over_time = [
        StepFunction(result.name, result.colour, budgets.days, budgets.mean, result.run_id)
        for result, budgets in found
    ]
    at_end = []
    for result, budgets in found:
        share = 100.0 * np.arange(1, len(budgets.unspent) + 1) / len(budgets.unspent)
        at_end.append(
            StepFunction(
                f"{result.name} ({budgets.priced_out} priced out)",
                result.colour,
                budgets.unspent,
                share,
                result.run_id,
            )
        )
    credits = np.concatenate([np.zeros(1), *(budgets.mean for _, budgets in found)])
    unspent = np.concatenate([np.zeros(1), *(budgets.unspent for _, budgets in found)])
    days = max((float(budgets.days[-1]) for _, budgets in found), default=1.0)
    return (
        StepPlot(
            words=PlotWords(
                "Budgets over time",
                "The credits that users have on average, of the runs with budgets.",
                "days since the first submission",
                "credits of a user",
                message=message,
            ),
            x=LinearScale(0.0, max(days, 1.0)),
            y=LinearScale.of(credits),
            lines=over_time,
            show_x=number,
            show_y=number,
            says="day ",
        ),
        StepPlot(
            words=PlotWords(
                "Budgets unspent",
                "The share of users who have at most that left when the last job starts. Priced out is who "
                "waited for thirty days on end without a start.",
                "credits left",
                "% of the users",
                message=message,
            ),
            x=LinearScale.of(unspent),
            y=LinearScale(),
            lines=at_end,
            show_x=number,
            show_y=percent,
        ),
    )


def _value_plot(results: Sequence[Result]) -> StepPlot:
    curves = worths(results)
    lines = []
    for values in curves:
        first = results[values.runs[0]]
        # Runs that share a valuation have the same values: a line in a neutral colour stands for all.
        common = len(values.runs) == len(results) > 1
        name = f"every run ({values.valuation})" if common else f"{first.name} ({values.valuation})"
        colour, run = (_COMMON, None) if common else (first.colour, first.run_id)
        share = 100.0 * np.arange(1, len(values.values) + 1) / max(len(values.values), 1)
        lines.append(StepFunction(name, colour, values.values, share, run))
    most = max((float(values.values[-1]) for values in curves if len(values.values)), default=1.0)
    return StepPlot(
        words=PlotWords(
            "Values of jobs",
            "The share of jobs that are worth at most that to their users, if they are not delayed.",
            "value of the job",
            "% of the jobs",
        ),
        x=LinearScale(0.0, max(most, 1.0)),
        y=LinearScale(),
        lines=lines,
        show_x=number,
        show_y=percent,
    )


def _left(shape: str, delta: float) -> StepPlot:
    # Far enough that the linear shape reaches zero in the middle of the plot.
    most = 1.0 + 2.0 * delta
    others = [name for name in TOLERANCES if name != shape]
    curves = {name: left_over_delay(name, delta, most) for name in TOLERANCES}
    lines = [
        StepFunction(name, _COLOURS[name], x, y, joined=True, dashed=name != shape)
        for name, (x, y) in curves.items()
    ]
    return StepPlot(
        words=PlotWords(
            "Value left after a delay",
            "The remaining share of a job's value, by response divided by runtime: all at 1, and "
            "for the linear shape nothing from tolerance + 1 on. Dashed: the other shape.",
            f"response / runtime ({shape}, tolerance of {delta:g}; dashed: {' '.join(others)})",
            "% of the value",
        ),
        x=LinearScale(1.0, most),
        y=LinearScale(),
        lines=lines,
        show_x=number,
        show_y=percent,
        says="at ",
    )


def _delivered(results: Sequence[Result], shape: str, delta: float) -> StepPlot:
    lines, lowest = [], 100.0
    for result in results:
        delivered = delivered_over_tolerance(result, shape, delta)
        if delivered is not None:
            name = f"{result.name} ({percent(delivered.chosen)} at {number(delta)})"
            lines.append(
                StepFunction(name, result.colour, DELTAS, delivered.left, result.run_id, joined=True)
            )
            lowest = min(lowest, float(delivered.left.min()))
    return StepPlot(
        words=PlotWords(
            "Delivered value",
            "The remaining value of all jobs at their ends, by the delay that users tolerate, in "
            "runtimes. The line marks the chosen tolerance.",
            "delay tolerance, in runtimes",
            "% of all value",
            message="" if lines else "These jobs are worth nothing.",
        ),
        x=LogScale.of(DELTAS, durations=False),
        y=LinearScale(min(10.0 * np.floor(lowest / 10.0), 90.0), 100.0),  # also where nothing is lost
        lines=lines,
        show_x=number,
        show_y=percent,
        marked=delta,
        says="tolerance of ",
    )
