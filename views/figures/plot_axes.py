"""The axes of a plot in print: titles, ticks, category names, and layers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from views.data.scales import Categories, NamedSteps, Scale
from views.figures.page_settings import DPI, FAINT, GRID, LEFT, STYLE, TEXT, fineness
from views.figures.page_text import elided, fitting_size, shortened, text_inches, wrapped
from views.figures.plot_layers import PIXELS, PlotTarget
from views.figures.run_styles import RunStyle
from views.figures.sheet import write_head
from views.plot.area import PlotArea
from views.plot.plot import Category, Plot

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from views.data.scales import AxisRange

_UP = 0.2
"""Inches between two labels beside a plot at least."""

_TICK, _NAME, _TITLE, _SMALL = 7.0, 7.0, 8.0, 5.5
"""Points of the labels of ticks, of the names of axes, and of a title; and of numbers at least."""

LINE = 0.115
"""Inches of a line of names below a plot."""

TICKS = 0.2
"""Inches of the labels of ticks below a plot."""

_GAP = 0.1
"""Inches between the edge of the page and the labels beside a plot, with their ticks."""

_ROW_LINE = 0.09
"""Inches of a line of the name of a row."""

_MOST_LINES = 3
_BESIDE = 30.0
"""Points from a plot to the left end of its title, over the labels beside it."""


def name_lines(plot: Plot, width: float) -> list[str]:
    """The name of the horizontal axis, wrapped to a plot of this width in inches."""
    return wrapped(plot.words.x_name, width + 0.2, _NAME) if plot.words.x_name and plot.has_axes else []


def slot_lines(plot: Plot, width: float) -> list[list[str]] | None:
    """The lines of the name of each slot; None if a name does not fit, and a legend is needed."""
    low, high = plot.x.full_range
    room = width / (high - low) - 0.05
    broken_names = [broken(slot.name, room) for slot in plot.slots]
    fits = all(
        len(lines) <= _MOST_LINES and all(text_inches(line) * _TICK / 8 <= room + 0.02 for line in lines)
        for lines in broken_names
    )
    return broken_names if fits else None


def below(plot: Plot, width: float) -> float:
    """Inches that are needed below a plot."""
    if not plot.has_axes or plot.words.message:
        return 0.1
    slots = slot_lines(plot, width) if plot.slots else None
    lines = max(map(len, slots), default=1) if slots else 1
    return TICKS + (lines - 1) * LINE + len(name_lines(plot, width)) * LINE + 0.1


def head_lines(plot: Plot, width: float) -> list[str]:
    """The name of the vertical axis, in at most two lines above a plot."""
    if not plot.words.y_name:
        return []
    lines = wrapped(plot.words.y_name, width + _BESIDE / 72, _NAME)
    return lines if len(lines) <= 2 else [lines[0], " ".join(lines[1:])]


def draw_plot(
    axes: Axes,
    plot: Plot,
    size: tuple[float, float],
    styles: Mapping[int, RunStyle],
    x: AxisRange | None = None,
    hatches: Mapping[str, str] | None = None,
) -> None:
    """Draw a plot on axes of so many inches; `x`: this part of it only. `hatches` are of parts of bars."""
    wide, tall = (inches * PIXELS for inches in size)
    whole, up = plot.full_ranges(wide, tall, 13.0)
    across = x or whole
    axes.set_xlim(*across)
    axes.set_ylim(*up)
    _write_heads(axes, plot, size[0])
    if plot.words.message:
        axes.set_axis_off()
        message = "\n".join(wrapped(plot.words.message, size[0] - 0.1, _NAME))
        axes.text(0.5, 0.5, message, transform=axes.transAxes, ha="center", va="center", color=FAINT)
        return
    if plot.has_axes:
        _draw_axes(axes, plot, size, timed=x is not None)
    else:
        axes.set_axis_off()
    area = PlotArea(0.0, 0.0, wide, tall, across, up, DPI * fineness() / PIXELS)
    paper = PlotTarget(axes, area, styles, hatches or {})
    for layer in plot.layers(paper.theme):
        paper.draw(layer)
    axes.set_xlim(*across)  # pictures set them anew
    axes.set_ylim(*up)


def _write_heads(axes: Axes, plot: Plot, width: float) -> None:
    """Write the title, and the name of the vertical axis below it."""
    lines = head_lines(plot, width)
    shift = -_BESIDE if plot.has_axes and not plot.words.message else 0.0
    for row, line in enumerate(reversed(lines)):
        write_head(axes, line, _NAME, 4.5 + row * LINE * 72, shift, color=FAINT)
    title = 4.5 + len(lines) * LINE * 72 + (1.0 if lines else 0.0)
    write_head(axes, plot.words.title, _TITLE, title, shift, fontweight="bold")


def labels_beside(plot: Plot, height: float) -> float:
    """The width of the tick labels beside a plot of this height, with the gap to its axis, inches."""
    if not plot.has_axes or plot.words.message:
        return 0.0
    names = [text for _, text in _ticks_up(plot.y, height)]
    return min(max(map(text_inches, names), default=0.0) * _TICK / 8 + _GAP, LEFT)


def _draw_axes(axes: Axes, plot: Plot, size: tuple[float, float], timed: bool) -> None:
    """Ticks with their lines through the plot, names below, and the breaks above 0."""
    low, high = plot.y.full_range
    ticks = _ticks_up(plot.y, size[1])
    names, small = [text for _, text in ticks], _TICK
    if any(text_inches(text) * _TICK / 8 > LEFT - _GAP for text in names):  # of rows, which may be policies
        small = _SMALL
        tall = (
            size[1]
            / (high - low)
            * min((b - a for a, b in pairwise(sorted(at for at, _ in ticks))), default=1)
        )
        names = ["\n".join(_row_lines(text, int(tall / _ROW_LINE))) for text in names]
    axes.set_yticks([at for at, _ in ticks], names, fontsize=small, color=FAINT)
    axes.grid(axis="y", color=GRID, linewidth=0.5)
    axes.set_axisbelow(True)
    if not timed:
        _name_across(axes, plot, size[0])
    if isinstance(plot.y, Categories):  # lanes have their own lines
        for side in ("left", "right", "top"):
            axes.spines[side].set_visible(False)
        axes.tick_params(axis="y", length=0)
    style: Any = {"color": FAINT, "linewidth": 0.6, "linestyle": (0, (3, 3)), "zorder": 0.9}
    if plot.x.gap is not None:
        axes.axvline(plot.x.gap, **style)
    if plot.y.gap is not None:
        axes.axhline(plot.y.gap, **style)


def _row_lines(name: str, most: int) -> list[str]:
    """The lines of a name beside a row that has room for so many, or its beginning."""
    room = (LEFT - _GAP) * _TICK / _SMALL
    lines = [part for line in broken(name, room) for part in wrapped(line, room, 8.0)]
    if len(lines) <= max(most, 1):
        return lines
    return [elided(name, room)]


def _name_across(axes: Axes, plot: Plot, width: float) -> None:
    if plot.slots:
        _name_slots(axes, plot.slots, slot_lines(plot, width), plot, width)
    else:
        ticks = _ticks_across(plot.x, width)
        axes.set_xticks([at for at, _ in ticks], [text for _, text in ticks], fontsize=_TICK)
        if isinstance(plot.x, NamedSteps):
            axes.tick_params(axis="x", length=0)
        else:
            axes.grid(axis="x", color=GRID, linewidth=0.5)
    axes.set_xlabel("\n".join(name_lines(plot, width)), fontsize=_NAME, labelpad=2.0)


def _name_slots(
    axes: Axes, slots: Sequence[Category], lines: list[list[str]] | None, plot: Plot, width: float
) -> None:
    """The names of slots, smaller where a word finds no room; or numbers, which the legend explains."""
    axes.tick_params(axis="x", length=0)
    low, high = plot.x.full_range
    # Slots that nothing explains, neither a legend nor lines of words, keep their names, shortened.
    if lines is None and not any(slot.colour for slot in slots):
        room = width / (high - low) - 0.04
        names = shortened([slot.name for slot in slots], room * STYLE["font.size"] / _SMALL)
        axes.set_xticks(range(len(slots)), names, fontsize=_SMALL, color=TEXT)
        return
    # Slots with colours are explained by the legend, which has the same numbers. The type is as large as
    # fits, and where even small type does not, every second number is left out.
    if lines is None:
        apart, widest = width / (high - low), text_inches(str(len(slots))) / 8
        size = min(max((apart - 0.03) / widest, _SMALL), _TICK)
        every = 1 if widest * size <= apart - 0.02 else 2
        shown = range(0, len(slots), every)
        axes.set_xticks(shown, [str(k + 1) for k in shown], fontsize=size)
        return
    room = width / (high - low) - 0.03
    names = ["\n".join(line) for line in lines]
    # All names have the same size, that of the longest word.
    small = min((fitting_size(line, room, _TICK) for name in lines for line in name), default=_TICK)
    axes.set_xticks(range(len(slots)), names, fontsize=small, color=TEXT)


def _ticks_up(scale: Scale, height: float) -> list[tuple[float, str]]:
    """Ticks of a scale that is so many inches high; closer ones where a single one would not tell it."""
    low, high = scale.full_range
    apart = _UP * (high - low) / height
    ticks = scale.ticks(apart)
    return ticks if len(ticks) > 1 else scale.ticks(apart / 2)


def _ticks_across(scale: Scale, width: float) -> list[tuple[float, str]]:
    """Ticks with room for the widest of their labels."""
    low, high = scale.full_range
    apart = 0.5 * (high - low) / width
    if isinstance(scale, NamedSteps):
        apart = (text_inches(scale.widest) * _TICK / 8 + 0.06) * (high - low) / width
    ticks = scale.ticks(apart)
    # Two numbers hardly tell a scale: short numbers may lie closer.
    if len(ticks) <= 2 and not _crowded(closer := scale.ticks(apart / 2), width / (high - low)):
        ticks = closer
    while len(ticks) > 2 and _crowded(ticks, width / (high - low)):
        apart *= 1.3
        ticks = scale.ticks(apart)
    return ticks


def _crowded(ticks: Sequence[tuple[float, str]], unit: float) -> bool:
    """True if labels would touch; `unit` is the length of 1 on the scale in inches."""
    half = _TICK / 8 / 2
    return any(
        (right - left) * unit < (text_inches(text) + text_inches(next_text)) * half + 0.04
        for (left, text), (right, next_text) in pairwise(ticks)
    )


def broken(name: str, room: float) -> list[str]:
    """A name wrapped into lines of at most `room` inches, which break at spaces and after `-` `:` `,`."""
    lines = [""]
    for part in re.findall(r"[^-:, ]+[-:, ]?|[-:, ]", name):
        if not lines[-1] or text_inches((lines[-1] + part).rstrip()) * _TICK / 8 <= room:
            lines[-1] += part
        else:
            lines.append(part)
    return [line.strip() for line in lines if line.strip()]
