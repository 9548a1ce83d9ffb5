"""What a search tried, for print: its front, and parallel coordinates below it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from views.data.search_results import SearchResults, axis_title, scale_of
from views.figures.sheet import (
    FAINT,
    GRID,
    LEFT,
    TOP,
    add_axes,
    fitting,
    in_style,
    new_figure,
    page_width,
    write_head,
)
from views.theme.palette import RUN_COLOURS, UNKNOWN

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_FRONT, _LINES, _BELOW = 2.4, 2.0, 0.6  # inches


@in_style
def search_figure(results: SearchResults, name: str) -> Figure:
    """The front of the first two objectives, or the only one as it was tried, over all that was tried."""
    goals = ", ".join(map(str, results.question.objectives))
    figure = new_figure(TOP + 0.3 + _FRONT + _BELOW + 0.2 + _LINES + _BELOW, f"{name}: {goals}")
    _draw_front(add_axes(figure, TOP + 0.3, _FRONT), results)
    _draw_lines(add_axes(figure, TOP + 0.5 + _FRONT + _BELOW, _LINES, left=LEFT), results)
    return figure


def _draw_front(axes: Axes, results: SearchResults) -> None:
    metrics = [one.metric for one in results.question.objectives]
    across, up = (metrics[0], metrics[1]) if len(metrics) > 1 else ("", metrics[0])
    y = results.values(up)
    x = results.values(across) if across else np.arange(1.0, len(y) + 1)
    scales = [scale_of(across, x) if across else None, scale_of(up, y)]
    x, y = (v if scale is None else scale.coordinates_of(v) for scale, v in zip(scales, (x, y), strict=True))
    kept, front = np.array([trial.kept for trial in results.trials], np.bool_), list(results.front)
    axes.plot(x[~kept], y[~kept], "o", markersize=2, color=UNKNOWN)
    axes.plot(x[kept], y[kept], "o", markersize=2, color=FAINT)
    axes.plot(x[front], y[front], "o", markersize=4, color=RUN_COLOURS[0])
    base = results.answer.baseline.trial.values if results.answer is not None else {}
    lines = (axes.axvline, axes.axhline)
    ticked = (axes.set_xticks, axes.set_yticks)
    limits: tuple[Callable[[float, float], object], ...] = (axes.set_xlim, axes.set_ylim)
    for metric, scale, line, ticks, limit in zip((across, up), scales, lines, ticked, limits, strict=True):
        if scale is None:
            continue
        low, high = scale.full_range
        marks = scale.ticks((high - low) / 6)
        ticks([at for at, _ in marks], [text for _, text in marks])
        limit(low, high)
        if (value := base.get(metric)) is not None:
            at = float(scale.coordinates_of(np.array([float(value)]))[0])
            line(at, color=RUN_COLOURS[1], linewidth=0.8, linestyle="--")
    told = f"{axis_title(across) if across else 'policies tried'}; blue: not beaten, orange: the baseline"
    text, size = fitting(told, page_width() - LEFT, 8.0)
    axes.set_xlabel(text, fontsize=size)
    write_head(axes, axis_title(up), 8.5, color=FAINT)
    axes.grid(color=GRID, linewidth=0.5)
    axes.set_axisbelow(True)


def _draw_lines(axes: Axes, results: SearchResults) -> None:
    ladders, front = results.ladders, set(results.front)
    heights = np.column_stack([one.heights for one in ladders])
    for index in sorted(range(len(heights)), key=lambda index: index in front):
        colour, width = (RUN_COLOURS[0], 1.2) if index in front else (GRID, 0.5)
        axes.plot(range(len(ladders)), heights[index], color=colour, linewidth=width)
    for k, one in enumerate(ladders):
        axes.axvline(k, color=FAINT, linewidth=0.5)
        for height, text in one.labels:
            axes.annotate(text, (k, height), (2, 0), textcoords="offset points", va="center", fontsize=5.5)
    axes.set_xticks(range(len(ladders)), [one.name for one in ladders])
    axes.tick_params(axis="x", labelsize=6.5, rotation=15, length=0)
    axes.set_yticks([])
    axes.set_xlim(-0.2, len(ladders) - 0.4)
    for spine in axes.spines.values():
        spine.set_visible(False)
