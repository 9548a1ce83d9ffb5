"""What a search gains by how many trials it may make."""

from __future__ import annotations

from collections.abc import Sequence

from views.data.plan_searches import PlanSearches
from views.data.scales import LinearScale
from views.plot.plot import Words
from views.plot.step_plot import StepFunction, StepPlot
from views.text.values import number, percent

_TEXT = (
    "The gain D of a search, summed over the moves that it keeps, up to each of its trials, on average over "
    "all searches of a run. Where the curve is level more trials buy nothing."
)


def budget_plot(runs: Sequence[PlanSearches]) -> StepPlot:
    """A curve a run, of at least one."""
    lines = []
    for one in runs:
        trials, gain = one.budget
        lines.append(StepFunction(one.name, one.result.colour, trials, gain, one.result.run_id, joined=True))
    return StepPlot(
        words=Words("What the budget buys", _TEXT, "trials of a search", "gain, %"),
        x=LinearScale(0.0, max(float(line.x[-1]) for line in lines)),
        y=LinearScale(0.0, max(max(float(line.y.max()) for line in lines), 1e-9)),
        lines=lines,
        show_x=number,
        show_y=percent,
    )
