"""Box-plots over users, one box a run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from views.data.measures import MEASURES
from views.data.plot_choices import DistributionChoices, Points
from views.data.results import Result
from views.data.samples import BOX_WIDTH, RunValues, Samples, SingleValues, samples_of
from views.data.scales import Scale
from views.figures.sheet import (
    FAINT,
    GRID,
    LEFT,
    LEGEND_LINE,
    TEXT,
    TOP,
    add_axes,
    add_legend,
    columns_of,
    in_style,
    new_figure,
    text_inches,
    width_of,
    write_head,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_HEIGHT, _BETWEEN, _HEAD = 2.3, 0.62, 0.34  # inches
_LEAST = 1.0  # inches: axes that would be narrower stand below others
_LABEL_APART = 0.17  # inches between two labels of the axis of values

_MANY = 3000
"""From so many dots on they are pixels in the file and no shapes."""

_DEFAULT = DistributionChoices()


@in_style
def boxplot_figure(
    results: Sequence[Result], title: str = "", choices: DistributionChoices = _DEFAULT
) -> Figure:
    """How users fare under each of at least one run, in the measures that were computed; or as chosen.

    Boxes from the lower to the upper quartile with a line at the median, whiskers to the
    outermost users within 1.5 times the interquartile range, the others as dots. Runs are
    named below their boxes where there is room, else numbered and named in a legend.
    """
    computed = (
        samples_of(MEASURES[name], choices.over, results, choices.axis == "log") for name in choices.measures
    )
    found = [samples for samples in computed if not samples.empty]
    columns = columns_of(len(found), _LEAST, _BETWEEN)
    width = min(width_of(columns, _BETWEEN, LEFT - 0.1), 2.6)
    slot = width / len(results)
    numbered = max(text_inches(result.name) for result in results) > slot - 0.06
    legend = len(results) if numbered else 0
    tall = _HEAD + _HEIGHT + 0.26
    below = TOP + max(-(-len(found) // columns), 1) * tall
    figure = new_figure(below + LEGEND_LINE * legend, title or results[0].schedule.trace.name)
    for index, data in enumerate(found):
        row, column = divmod(index, columns)
        left = LEFT - 0.1 + column * (width + _BETWEEN)
        axes = add_axes(figure, TOP + row * tall + _HEAD, _HEIGHT, left=left, width=width)
        _draw(axes, data, choices.points)
        names = [str(k + 1) if numbered else run.name for k, run in enumerate(data.runs)]
        axes.set_xticks(range(len(names)), names)
        axes.tick_params(axis="x", length=0)
    if numbered:
        entries = [(result.colour, f"{k + 1}  {result.name}") for k, result in enumerate(results)]
        add_legend(figure, entries, below + 0.02, columns=1)
    return figure


def _draw(axes: Axes, data: Samples, points: Points) -> None:
    low, high = data.scale.full_range
    ticks = data.scale.ticks(_LABEL_APART * (high - low) / _HEIGHT)
    axes.set_xlim(-0.5, len(data.runs) - 0.5)
    axes.set_ylim(low, high)
    axes.set_yticks([coordinate for coordinate, _ in ticks], [text for _, text in ticks], fontsize=7)
    axes.grid(axis="y", color=GRID, linewidth=0.5)
    axes.set_axisbelow(True)
    if data.scale.gap is not None:
        axes.axhline(data.scale.gap, color=FAINT, linewidth=0.6, linestyle=(0, (3, 3)), zorder=0.9)
    _write_above(axes, data.measure.title_over(data.over), 14, fontweight="bold")
    _write_above(axes, data.measure.axis, 5, color=FAINT, fontsize=7)
    dots = {"outliers": data.outliers, "all": data.all_dots, "off": None}[points]
    for index, run in enumerate(data.runs):
        _draw_box(axes, data.scale, index, run)
        if dots is not None:
            _draw_dots(axes, dots, index, run.colour)


def _draw_dots(axes: Axes, dots: SingleValues, index: int, colour: str) -> None:
    own = dots.run == index
    many = int(own.sum()) > _MANY
    axes.plot(
        dots.x[own],
        dots.y[own],
        "o",
        color=colour,
        markersize=2.4,
        markeredgewidth=0,
        alpha=0.25 if many else 0.75,
        rasterized=many,
    )


def _write_above(axes: Axes, text: str, height: float, **style: Any) -> None:
    """Text that begins above the labels of the axis of values."""
    write_head(axes, text, style.pop("fontsize", 8.0), height, -30.0, **style)


def _draw_box(axes: Axes, scale: Scale, index: int, run: RunValues) -> None:
    from matplotlib.patches import Rectangle

    if run.box is None:
        return
    box = run.box
    low, q1, median, q3, high = scale.coordinates_of(
        np.array([box.low, box.q1, box.median, box.q3, box.high])
    )
    left, right, cap = index - BOX_WIDTH / 2, index + BOX_WIDTH / 2, BOX_WIDTH / 4
    lines: list[tuple[list[float], list[float]]] = [
        ([index, index], [q3, high]),
        ([index, index], [q1, low]),
        ([index - cap, index + cap], [high, high]),
        ([index - cap, index + cap], [low, low]),
    ]
    for x, y in lines:
        axes.plot(x, y, color=run.colour, linewidth=0.9)
    axes.add_patch(Rectangle((left, q1), right - left, q3 - q1, facecolor="white", zorder=2))
    axes.add_patch(
        Rectangle(
            (left, q1), right - left, q3 - q1, facecolor=run.colour + "50", edgecolor=run.colour, zorder=2.1
        )
    )
    axes.plot([left, right], [median, median], color=TEXT, linewidth=1.6, solid_capstyle="butt", zorder=2.2)
