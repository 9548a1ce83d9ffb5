"""Scores of all runs as a radar, and their gains over a baseline as bars."""

from __future__ import annotations

import math
from collections.abc import Sequence
from textwrap import fill
from typing import TYPE_CHECKING, Any

from engine.metrics.catalog import METRICS
from views.data.metric_scores import OWN, OWN_WEIGHTS, MetricScores, gain_range, tunes
from views.figures.sheet import (
    FAINT,
    GRID,
    LEFT,
    LEGEND_LINE,
    TOP,
    add_axes,
    add_legend,
    in_style,
    is_narrow,
    legend_columns,
    new_figure,
    page_width,
    write_head,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from views.data.results import Result

_RADAR, _NARROW, _BARS = 3.4, 1.6, 2.4  # inches
_COLUMNS = 2


@in_style
def radar_figure(results: Sequence[Result], title: str = "") -> Figure:
    """An axis a metric, a polygon a run: 100 is the worst run's score (Tang et al. 2013, figure 11).

    Runs that tune nothing are dashed where others tune.
    """
    scores = MetricScores.of(results)
    columns, side = legend_columns(_COLUMNS), _NARROW if is_narrow() else _RADAR
    lines = -(-len(results) // columns)
    height = TOP + 0.4 + side + 0.5
    figure = new_figure(height + lines * LEGEND_LINE, title or results[0].schedule.trace.name)
    whole = figure.get_figheight()
    page = page_width()
    left = (page - side) / 2
    box = (left / page, 1 - (TOP + 0.4 + side) / whole, side / page, side / whole)
    axes: Any = figure.add_axes(box, projection="polar")
    axes.set_theta_offset(math.pi / 2)
    axes.set_theta_direction(-1)
    angles = [2 * math.pi * index / len(scores.axes) for index in range(len(scores.axes))]
    adaptive = any(map(tunes, results))
    for run, result in enumerate(results):
        corners = [*scores.scores[run], scores.scores[run, 0]]
        style = "--" if adaptive and not tunes(result) else "-"
        axes.plot([*angles, angles[0]], corners, style, color=result.colour, linewidth=1.3)
        axes.fill([*angles, angles[0]], corners, color=result.colour, alpha=0.06)
    labels = [
        _broken(METRICS[name].label, f"worst: {scores.worst(index)}")
        for index, name in enumerate(scores.axes)
    ]
    axes.set_xticks(angles, labels, fontsize=5.5 if is_narrow() else 7.5)
    axes.tick_params(axis="x", pad=6)
    for label, angle in zip(axes.get_xticklabels(), angles, strict=True):
        aside = math.sin(angle)
        label.set_horizontalalignment("center" if abs(aside) < 0.1 else "left" if aside > 0 else "right")
    axes.set_ylim(0, 100)
    axes.set_yticks([25, 50, 75, 100], ["25", "50", "75", ""], fontsize=6.5, color=FAINT)
    axes.grid(color=GRID, linewidth=0.6)
    axes.spines["polar"].set_visible(False)
    add_legend(figure, [(one.colour, one.name) for one in results], height, columns, "runs")
    return figure


@in_style
def gains_figure(
    results: Sequence[Result], baseline: int = 0, own: Sequence[int] = OWN_WEIGHTS, title: str = ""
) -> Figure:
    """What each run gains over run `baseline`, an index, in %, by several weights (figure 12)."""
    scores = MetricScores.of(results)
    gains = scores.gains(baseline, own)
    others = [index for index in range(len(results)) if index != baseline]
    columns = legend_columns(_COLUMNS)
    lines = -(-max(len(others), 1) // columns)
    height = TOP + 0.3 + _BARS + 0.3
    figure = new_figure(height + lines * LEGEND_LINE, title or results[0].schedule.trace.name)
    axes = add_axes(figure, TOP + 0.3, _BARS, left=LEFT)
    wide = 0.75 / max(len(others), 1)
    low, high = gain_range([float(gain[index]) for gain in gains.values() for index in others])
    for k, index in enumerate(others):
        spots = [group - 0.375 + (k + 0.5) * wide for group in range(len(gains))]
        heights = [float(gain[index]) for gain in gains.values()]
        axes.bar(spots, heights, width=0.95 * wide, color=results[index].colour)
        for spot, gain in zip(spots, heights, strict=True):
            if not math.isnan(gain):
                above = gain >= 0
                y = gain if above else max(gain, low)
                inside = gain < low
                text = f"{gain:.0f}".replace("-", "−")
                axes.annotate(
                    text,
                    (spot, y),
                    (0, 1 if above or inside else -1),
                    textcoords="offset points",
                    ha="center",
                    va="bottom" if above or inside else "top",
                    fontsize=4.5 if is_narrow() else min(6.5, 60 * wide),
                    rotation=90 if is_narrow() else 0,
                )
    total = sum(own) or 1
    shares = "/".join(f"{100 * weight / total:.0f}" for weight in own)
    names = [f"{name}\n{shares}" if name == OWN else name for name in gains]
    axes.set_xticks(range(len(gains)), names, fontsize=5.5 if is_narrow() else 7.5)
    axes.tick_params(axis="x", length=0)
    axes.set_xlim(-0.6, len(gains) - 0.4)
    axes.set_ylim(low, high)
    axes.axhline(0, color=FAINT, linewidth=0.7)
    axes.grid(axis="y", color=GRID, linewidth=0.5)
    axes.set_axisbelow(True)
    weighed = ", ".join(scores.weighed)
    axes.set_ylabel("%")
    told = f"Relative gain over {results[baseline].name}: {weighed}"
    write_head(axes, told, 8.0)
    add_legend(
        figure, [(results[index].colour, results[index].name) for index in others], height, columns, "runs"
    )
    return figure


def _broken(name: str, worst: str) -> str:
    """A label beside a radar; in a column its words stand below one another."""
    return f"{fill(name, 14) if is_narrow() else name}\n{worst}"
