"""What local search did to plans: a criterion over time, moves that were kept, gains, and the budget."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from textwrap import wrap
from typing import TYPE_CHECKING

import numpy as np

from views.data.marks import Mark
from views.data.plan_searches import CRITERION_NAMES, Floats, PlanSearches, searches_of
from views.data.results import Result
from views.figures.gantt import Window
from views.figures.sheet import (
    FAINT,
    LEFT,
    LEGEND_LINE,
    RIGHT,
    TIME_LABELS,
    TOP,
    WIDTH,
    add_axes,
    add_legend,
    draw_marks,
    dress,
    in_style,
    is_narrow,
    label_time,
    new_figure,
    page_width,
)
from views.text.ticks import axis_of
from views.text.values import compact
from views.theme.palette import mix

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_HEIGHT, _GAP, _BUDGET, _BETWEEN = 0.95, 0.3, 1.7, 0.55  # inches
_PALE = 0.55
_ACROSS = 115
"""Characters of a line below."""


@in_style
def planning_figure(
    results: Sequence[Result],
    criterion: str = "wait",
    window: Window | None = None,
    title: str = "",
    marks: Sequence[Mark] = (),
) -> Figure:
    """The searches of at least one run that searches for better plans.

    A `criterion` before (pale) and after each search, the gain of a search, the moves that were kept, the
    gain for each millisecond, where that is known; and what a larger budget of trials would buy. Of greedy
    plans, which try no moves, there are no moves and no budget. `window` is in s.
    """
    runs = searches_of(list(results))
    schedule = runs[0].result.schedule
    ends = max(one.result.schedule.last_end for one in runs)
    shown = window or (float(schedule.first_submit), float(ends))
    timed, tried = all(one.gain_per_ms is not None for one in runs), [one for one in runs if one.tries]
    lanes: list[tuple[str, Callable[[PlanSearches], Floats | None]]] = [
        ("Gain of a search, %", lambda one: one.gain),
        *([("Moves kept, % of those tried", lambda one: one.kept)] if tried else []),
        *([("Gain for each millisecond spent, %", lambda one: one.gain_per_ms)] if timed else []),
    ]
    many, narrow = 1 + len(lanes), is_narrow()
    tall = many * _HEIGHT + (many - 1) * _GAP
    below, top = TOP + _GAP + tall + TIME_LABELS, TOP + _GAP
    at_budget = (below + _GAP, _BUDGET, LEFT) if narrow else (top, tall, 0.0)
    below += _GAP + _BUDGET + 0.45 if narrow else 0.0
    across = round(_ACROSS * page_width() / WIDTH)
    told = [line for one in runs for line in wrap(f"{one.name}: {one.summary()}", across)]
    height = below + 0.08 + (len(runs) + len(told)) * LEGEND_LINE
    figure = new_figure(height, title or "Searches for better plans")
    wide = page_width() - LEFT - RIGHT - (0.0 if narrow else _BETWEEN + _BUDGET)
    charts = [add_axes(figure, top + k * (_GAP + _HEIGHT), _HEIGHT, width=wide) for k in range(many)]
    for one in reversed(runs):
        before, after = one.criterion(criterion)
        _draw_steps(charts[0], one, before, mix(one.result.colour, "#ffffff", _PALE))
        _draw_steps(charts[0], one, after, one.result.colour)
        for axes, (_, values_of) in zip(charts[1:], lanes, strict=True):
            _draw_steps(axes, one, values_of(one), one.result.colour)
    names = [f"{CRITERION_NAMES[criterion]}: pale before, dark after a search", *(name for name, _ in lanes)]
    for axes, name in zip(charts, names, strict=True):
        axes.set_ylim(bottom=0)
        axes.yaxis.set_major_formatter(lambda value, _: compact(value))
        dress(axes, name[0].upper() + name[1:])
    if tried:
        lower, high, left = at_budget
        _draw_budget(add_axes(figure, lower, high, left=left or LEFT + wide + _BETWEEN), tried)
    label_time(charts, axis_of(schedule.trace), shown)
    draw_marks(charts, marks, shown)
    add_legend(figure, [(one.result.colour, one.name) for one in runs], below, 1, "runs")
    at = 1 - (below + 0.04 + len(runs) * LEGEND_LINE) / height
    figure.text(
        (0.1 if narrow else LEFT) / page_width(), at, "\n".join(told), va="top", fontsize=7, color=FAINT
    )
    return figure


def _draw_steps(axes: Axes, one: PlanSearches, values: Floats | None, colour: str) -> None:
    if values is not None:
        axes.plot(one.time, values, color=colour, linewidth=0.8, drawstyle="steps-post")


def _draw_budget(axes: Axes, runs: Sequence[PlanSearches]) -> None:
    for one in reversed(runs):
        trials, gain = one.budget
        axes.plot(trials, gain, color=one.result.colour, linewidth=1.0)
    axes.set_xlim(0, max(float(np.max(one.budget[0])) for one in runs))
    axes.set_ylim(bottom=0)
    axes.set_xlabel("trials of a search", fontsize=7)
    axes.tick_params(axis="x", labelsize=7)
    dress(axes, "What the budget buys: gain, %")
