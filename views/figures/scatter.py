"""Two measures against each other under one run, a dot a user, queue, class or job."""

from __future__ import annotations

from typing import TYPE_CHECKING

from views.data.measures import MEASURES
from views.data.plot_choices import ScatterChoices
from views.data.results import Result
from views.data.samples import samples_of
from views.figures.sheet import FAINT, GRID, LEFT, TOP, add_axes, in_style, new_figure, page_width

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_HEIGHT, _BELOW = 3.6, 0.5  # inches
_APART = (0.8, 0.22)  # inches between two labels, across and up
_MANY = 3000
"""From so many dots on they are pixels in the file and no shapes."""


@in_style
def scatter_figure(result: Result, choices: ScatterChoices, title: str = "") -> Figure:
    """The chosen measures of a run; units that lack either value have no dot."""
    log = choices.axis == "log"
    both = [samples_of(MEASURES[name], choices.over, [result], log) for name in (choices.across, choices.up)]
    figure = new_figure(TOP + 0.1 + _HEIGHT + _BELOW, title or f"{result.schedule.trace.name}: {result.name}")
    axes = add_axes(figure, TOP + 0.1, _HEIGHT)
    x, y = (samples.scale.coordinates_of(samples.runs[0].values) for samples in both)
    if len(x) == len(y):
        many = len(x) > _MANY
        axes.scatter(x, y, s=3 if many else 9, color=result.colour, alpha=0.6, linewidths=0, rasterized=many)
    names = [f"{s.measure.title_over(choices.over)}, {s.measure.axis}" for s in both]
    axes.set_xlabel(names[0])
    axes.set_ylabel(names[1])
    lengths = (page_width() - LEFT, _HEIGHT)
    ticks = []
    for samples, apart, length in zip(both, _APART, lengths, strict=True):
        low, high = samples.scale.full_range
        ticks.append(samples.scale.ticks(apart * (high - low) / length))
    axes.set_xlim(*both[0].scale.full_range)
    axes.set_ylim(*both[1].scale.full_range)
    axes.set_xticks([coordinate for coordinate, _ in ticks[0]], [text for _, text in ticks[0]], fontsize=7)
    axes.set_yticks([coordinate for coordinate, _ in ticks[1]], [text for _, text in ticks[1]], fontsize=7)
    axes.grid(color=GRID, linewidth=0.5)
    axes.set_axisbelow(True)
    for scale, line in ((both[0].scale, axes.axvline), (both[1].scale, axes.axhline)):
        if scale.gap is not None:
            line(scale.gap, color=FAINT, linewidth=0.6, linestyle=(0, (3, 3)), zorder=0.9)
    return figure
