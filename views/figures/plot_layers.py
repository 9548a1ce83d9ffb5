"""The layers of plots, drawn by matplotlib: a function for each, as `views.plotting.items` has an item for
each.

Runs are distinguishable without colours too: lines have markers and bars hatches, chosen by the place in the
legend.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import singledispatch
from typing import TYPE_CHECKING, Any

import numpy as np

from engine.arrays import Floats
from views.figures.page_settings import is_grey
from views.figures.page_text import text_inches, wrapped
from views.figures.run_styles import STYLES, RunStyle
from views.plot.area import PlotArea
from views.plot.layers import (
    Bands,
    Bars,
    BoxOutline,
    Curve,
    Dots,
    Intervals,
    Labels,
    LaneBars,
    LaneColumns,
    LaneHeads,
    Layer,
    Pointers,
    Polygon,
    RadarGrid,
    Raster,
    ReferenceLine,
    StepLayer,
    TextOverlay,
)
from views.plot.sampling import LEAST, sampled
from views.theme.theme import LIGHT, Theme

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PIXELS = 120.0
"""Pixels of the window in an inch of print."""

POINT = 72.0 / PIXELS
"""Points of a pixel of the window."""

_DASHES = (0, (4, 3))
_FINEST = 2000
"""Corners of a step function at most: files stay small."""

_MARKERS = 6
"""Markers on a line, about."""

_LABEL, _SMALLEST = 6.0, 4.5
"""Points of words at points: usually, and where there is little room."""

_CENTRED = 0.8
"""Part of their room that centred words may take, because others are on both sides."""

_DIGIT = 0.75
"""Height of a digit as a part of its size: upright words need so much across."""

_TEXT = 8.0
"""Points of the text that `text_inches` measures."""


@dataclass(eq=False)
class PlotTarget:
    """The target that layers are drawn on: axes, and the visible part of the plot, in pixels of the
    window.
    """

    axes: Axes
    area: PlotArea
    styles: Mapping[int, RunStyle] = field(default_factory=dict)  # by the id of a run
    hatches: Mapping[str, str] = field(default_factory=dict)  # of the parts of bars, by their colour
    theme: Theme = LIGHT
    height: float = 2.0  # above what was drawn before

    def style(self, layer: Layer) -> RunStyle:
        """The style of the run of a layer."""
        return self.styles.get(layer.run, STYLES[0]) if layer.run is not None else STYLES[0]

    def parts(self, colours: Sequence[str]) -> dict[str, Any]:
        """The hatches of bars of these colours, if any."""
        if not self.hatches:
            return {}
        return {"edgecolor": "white", "hatch": [self.hatches.get(colour, "") for colour in colours]}

    def inches(self, across: float) -> float:
        """Inches of a length on the scale across."""
        low, high = self.area.x
        return across / (high - low) * self.area.width / PIXELS

    def inches_to_top(self, up: float) -> float:
        """Inches from a height on the scale up to the upper edge of the axes."""
        low, high = self.area.y
        return (high - up) / (high - low) * self.area.height / PIXELS

    def inches_to_bottom(self, up: float) -> float:
        """Inches from a height on the scale down to the lower edge of the axes."""
        return self.area.height / PIXELS - self.inches_to_top(up)

    def inside(self, across: float, wide: float) -> float:
        """Points by which a text of that width, in inches, around a coordinate is moved into the axes."""
        low, high = self.area.x
        left, right = self.inches(across - low), self.inches(high - across)
        return 72 * max(wide / 2 - left, 0.0) or -72 * max(wide / 2 - right, 0.0)

    def draw(self, layer: Layer) -> None:
        """Draw a layer over the layers that were drawn before."""
        shown = layer if isinstance(layer, StepLayer) else sampled(layer, self.area)
        draw(shown, self)
        self.height += 0.01


@singledispatch
def draw(layer: Layer, paper: PlotTarget) -> None:
    """Draw a layer. Register a function here for a new kind of layer."""
    raise NotImplementedError(type(layer).__name__)


@draw.register
def _(layer: Dots, paper: PlotTarget) -> None:
    paper.axes.plot(
        layer.x,
        layer.y,
        "o",
        color=layer.colour,
        alpha=min(LEAST * layer.strength, 1.0),
        markersize=layer.diameter * POINT,
        markeredgewidth=0,
        zorder=paper.height,
    )


@draw.register
def _(layer: Curve, paper: PlotTarget) -> None:
    marks = RunStyle() if layer.fill else paper.style(layer)  # an outline is no line to follow
    _draw_line(layer, layer.x, layer.y, paper, marks, dashed=layer.dashed)
    if layer.fill:
        paper.axes.fill_between(
            layer.x,
            layer.base,
            layer.y,
            color=layer.colour,
            alpha=layer.fill,
            linewidth=0,
            zorder=paper.height - 0.005,
        )


@draw.register
def _(layer: StepLayer, paper: PlotTarget) -> None:
    x, y = layer.x, layer.y
    if len(x) > _FINEST:
        kept = np.unique(np.linspace(0, len(x) - 1, _FINEST).astype(np.int64))
        x, y = x[kept], y[kept]
    _draw_line(layer, x, y, paper, paper.style(layer), drawstyle="steps-post")


def _draw_line(
    layer: Curve | StepLayer,
    x: Floats,
    y: Floats,
    paper: PlotTarget,
    marks: RunStyle,
    dashed: bool = False,
    **how: Any,
) -> None:
    """Draw a line, with a few markers if it belongs to a run among others."""
    style: Any = {"color": layer.colour, "linewidth": layer.width * POINT, "zorder": paper.height, **how}
    line = _DASHES if dashed else marks.line
    if marks.marker and len(x) > 1:
        style |= {"marker": marks.marker, "markersize": 3.2, "markeredgewidth": 0.6}
        style |= {"markerfacecolor": "white", "markevery": _spots(x, paper.area, marks.place)}
    paper.axes.plot(x, y, linestyle=line, **style)


def _spots(x: Floats, area: PlotArea, place: float) -> list[int]:
    """The points of a line that have a marker: those nearest to some spots evenly across the plot."""
    low, high = area.x
    known = np.flatnonzero(np.isfinite(x))
    wanted = low + (high - low) * (np.arange(_MARKERS) + place) / _MARKERS
    places = np.searchsorted(x[known], wanted) if len(known) else np.zeros(0, np.int64)
    return sorted({int(known[k]) for k in places if k < len(known)})


@draw.register
def _(layer: Raster, paper: PlotTarget) -> None:
    paper.axes.imshow(
        layer.pixels,
        extent=(*layer.x, *layer.y),
        aspect="auto",
        interpolation="bilinear" if layer.smooth else "none",
        zorder=paper.height,
    )


@draw.register
def _(layer: Bands, paper: PlotTarget) -> None:
    """Grounds are pixels in the file, lines are lines."""
    width = max((band.heights.shape[1] for band in layer.bands), default=1)
    edges = np.linspace(*paper.area.x, width + 1)
    middle = (edges[1:] + edges[:-1]) / 2
    for band in reversed(layer.bands):
        least, mean, greatest = band.heights
        style: Any = {"color": band.colour, "zorder": paper.height}
        paper.axes.fill_between(
            middle, least, greatest, alpha=band.tint, linewidth=0, rasterized=True, **style
        )
        paper.axes.plot(middle, mean, linewidth=band.thick * POINT, solid_capstyle="butt", **style)
    low, high = paper.area.y
    gap, tall = (pixels / paper.area.height * (high - low) for pixels in (2.0, 5.0))
    for marks in layer.marks:
        top = marks.y - gap
        seen = marks.x[(marks.x >= paper.area.x[0]) & (marks.x <= paper.area.x[1])]
        paper.axes.vlines(seen, top - tall, top, color=marks.colour, linewidth=0.4, zorder=paper.height)


@draw.register
def _(layer: ReferenceLine, paper: PlotTarget) -> None:
    line = paper.axes.axvline if layer.upright else paper.axes.axhline
    style: Any = _DASHES if layer.dashed else "-"
    line(layer.at, color=layer.colour, linewidth=POINT, linestyle=style, zorder=paper.height)


@draw.register
def _(layer: Bars, paper: PlotTarget) -> None:
    paper.axes.bar(
        layer.left,
        layer.top,
        layer.right - layer.left,
        align="edge",
        color=list(layer.colours),
        edgecolor="white",
        linewidth=0.5,
        hatch=paper.style(layer).hatch or None,
        zorder=paper.height,
    )


@draw.register
def _(layer: Polygon, paper: PlotTarget) -> None:
    x, y = np.append(layer.x, layer.x[:1]), np.append(layer.y, layer.y[:1])
    dashes = _DASHES if layer.dashed and not is_grey() else paper.style(layer).line
    style: Any = {"color": layer.colour, "linestyle": dashes}
    marker = paper.style(layer).marker or "."
    paper.axes.plot(x, y, linewidth=2 * POINT, marker=marker, markersize=3.2, zorder=paper.height, **style)
    if np.isfinite(x).all() and not is_grey():  # tints of several greys would look like another grey
        paper.axes.fill(x, y, color=layer.colour, alpha=layer.fill, linewidth=0, zorder=paper.height)


@draw.register
def _(layer: Intervals, paper: PlotTarget) -> None:
    line = paper.style(layer).line if layer.joined else "none"
    marker = paper.style(layer).marker
    paper.axes.errorbar(
        layer.x,
        layer.y,
        np.stack((layer.y - layer.low, layer.high - layer.y)),
        color=layer.colour,
        marker=marker or "o",
        markerfacecolor="white" if marker else layer.colour,
        markeredgewidth=0.6,
        linestyle=line,
        markersize=3.4 if marker or not layer.joined else 2.0,
        linewidth=1.0,
        elinewidth=0.8,
        capsize=1.5,
        zorder=paper.height,
    )


@draw.register
def _(layer: BoxOutline, paper: PlotTarget) -> None:
    """A box plot, without the ghost that a chart shows while its run is explored."""
    from matplotlib.patches import Rectangle

    def turned(across: float, up: float) -> tuple[float, float]:
        return (up, across) if layer.lies else (across, up)

    left, right, cap = layer.at - layer.width / 2, layer.at + layer.width / 2, layer.width / 4
    style: Any = {"color": layer.colour, "linewidth": 0.9, "zorder": paper.height}
    lines = (
        ((layer.at, layer.q3), (layer.at, layer.high)),
        ((layer.at, layer.q1), (layer.at, layer.low)),
        ((layer.at - cap, layer.high), (layer.at + cap, layer.high)),
        ((layer.at - cap, layer.low), (layer.at + cap, layer.low)),
    )
    for begin, end in lines:
        paper.axes.plot(*zip(turned(*begin), turned(*end), strict=True), **style)
    size = turned(right - left, layer.q3 - layer.q1)
    # White below the tint, so that lines of the grid do not show through the box.
    for ground, edge in (("white", "none"), (layer.colour + "50", layer.colour)):
        box = Rectangle(turned(left, layer.q1), *size, facecolor=ground, edgecolor=edge, linewidth=0.9)
        box.set_zorder(paper.height)
        paper.axes.add_patch(box)
    median = zip(turned(left, layer.median), turned(right, layer.median), strict=True)
    paper.axes.plot(
        *median, color=paper.theme.text, linewidth=1.6, solid_capstyle="butt", zorder=paper.height + 0.005
    )


@draw.register
def _(layer: Labels, paper: PlotTarget) -> None:
    """Words that are wider than their room are written smaller, upright, or not at all: all in one way."""
    room = paper.inches(layer.width) * (_CENTRED if layer.anchor[0] == 0.5 else 1.0)
    colours = layer.colours or [paper.theme.text] * len(layer.texts)
    across = ("left", "center", "right")[round(2 * layer.anchor[0])]
    up = ("top", "center", "bottom")[min(round(2 * layer.anchor[1]), 2)]
    wide = max((text_inches(text) * _LABEL / _TEXT for text in layer.texts), default=0.0)
    size = max(min(_LABEL, _LABEL * room / max(wide, 1e-6)), _SMALLEST)
    turned = 90 if wide * size / _LABEL > room * 1.02 else 0
    if turned and room * 72 < _DIGIT * size:
        return
    # Some are whole lines above their points, as numbers of bars that are cut side by side.
    lines = max(layer.anchor[1] - 1.0, 0.0)
    gap = {"top": -1.0, "center": 0.0, "bottom": 1.0}[up] + lines * 1.2 * size
    part, placed = size / _TEXT, list[tuple[float, float]]()
    for x, y, text, colour in zip(layer.x, layer.y, layer.texts, colours, strict=True):
        wide, tall = text_inches(text) * part, _DIGIT * size / 72
        tall, beside = (wide, tall) if turned else (tall, wide)
        above, under = gap, up
        clear = layer.clear
        if up == "bottom" and paper.inches_to_top(float(y)) < tall + gap / 72:
            # A value that would leave its axes lies below the end of its bar, on a ground of its own.
            above, under, clear = -gap, "top", True
        elif up == "top" and paper.inches_to_bottom(float(y)) < tall - gap / 72:
            above, under, clear = -gap, "bottom", True
        # Neighbours that would cover each other are numbers of a scale: some of them are enough.
        spot = paper.inches(float(x)), paper.inches_to_top(float(y))
        if any(abs(spot[0] - a) < beside and abs(spot[1] - b) < tall for a, b in placed):
            continue
        placed.append(spot)
        style: Any = {"fontsize": size, "color": colour, "ha": across, "va": under, "zorder": paper.height}
        style |= _clear(paper) if clear else {}
        shift = paper.inside(float(x), beside) if across == "center" else 0.0
        place: Any = {"xytext": (shift, above), "textcoords": "offset points"}
        paper.axes.annotate(text, (float(x), float(y)), rotation=turned, **place, **style)


def _clear(paper: PlotTarget) -> dict[str, Any]:
    """The style of a text with a ground of its own, which hides the lines behind it; it stays text in SVG."""
    return {"bbox": {"boxstyle": "square,pad=0.05", "facecolor": paper.theme.chart, "linewidth": 0.0}}


@draw.register
def _(layer: TextOverlay, paper: PlotTarget) -> None:
    across = ("left", "center", "right")[round(2 * layer.anchor[0])]
    up = ("top", "center", "bottom")[round(2 * layer.anchor[1])]
    ground = {"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "pad": 0.5}
    style: Any = {"ha": across, "va": up, "fontsize": 6.5, "color": paper.theme.faint}
    paper.axes.text(layer.x, layer.y, layer.text, bbox=ground, zorder=paper.height, **style)


@draw.register
def _(layer: LaneHeads, paper: PlotTarget) -> None:
    """A name is written smaller, then cut, where it would run into its note."""
    from views.figures.page_text import fitting

    low, high = paper.area.x
    wide = paper.inches(high - low)
    for y, name, colour, note in zip(layer.y, layer.names, layer.colours, layer.notes, strict=True):
        room = wide - 11 / 72 - text_inches(note) * 6.5 / _TEXT - 0.12
        text, size = fitting(name, room, 7.0)
        place: Any = {"xycoords": "data", "textcoords": "offset points", "va": "top", "zorder": paper.height}
        paper.axes.annotate("■", (low, float(y)), (2, -2.5), color=colour, fontsize=7, **place)
        paper.axes.annotate(text, (low, float(y)), (11, -2.5), color=paper.theme.text, fontsize=size, **place)
        style: Any = {"color": paper.theme.faint, "fontsize": 6.5, "ha": "right", **_clear(paper)}
        paper.axes.annotate(note, (high, float(y)), (-2, -2.5), **place, **style)


@draw.register
def _(layer: LaneBars, paper: PlotTarget) -> None:
    low, high = paper.area.y
    tall = layer.tall / paper.area.height * (high - low)
    look: Any = {
        "filled": {"color": list(layer.colours), "linewidth": 0, **paper.parts(layer.colours)},
        "hatched": {"facecolor": "none", "edgecolor": list(layer.colours), "hatch": "////", "linewidth": 0},
        "outlined": {"facecolor": "white", "edgecolor": list(layer.colours), "linewidth": 0.6},
    }[layer.look]
    paper.axes.barh(layer.y, layer.right - layer.left, tall, layer.left, zorder=paper.height, **look)


@draw.register
def _(layer: LaneColumns, paper: PlotTarget) -> None:
    look: Any = {"color": layer.colour, "linewidth": 0, **paper.parts([layer.colour] * len(layer.x))}
    paper.axes.bar(layer.x, layer.tall, layer.width, layer.base, zorder=paper.height, **look)


@draw.register
def _(layer: Pointers, paper: PlotTarget) -> None:
    low, high = paper.area.y
    half = layer.tall / paper.area.height * (high - low) / 2
    colour: Any = {"color": paper.theme.text, "zorder": paper.height}
    paper.axes.vlines(layer.x, layer.y - half, layer.y + half, linewidth=0.6, **colour)
    paper.axes.plot(layer.x, layer.y + half, "v", markersize=3, **colour)


@draw.register
def _(layer: RadarGrid, paper: PlotTarget) -> None:
    rows = len(layer.names)
    angle = 2 * np.pi * np.arange(rows + 1) / rows
    for ring in layer.rings:
        colour = paper.theme.border if ring == layer.rings[-1] else paper.theme.grid
        x, y = ring * np.sin(angle), ring * np.cos(angle)
        paper.axes.plot(x, y, color=colour, linewidth=0.6, zorder=paper.height)
    outer = layer.rings[-1]
    for (name, note), at in zip(layer.names, angle, strict=False):
        right, up = float(np.sin(at)), float(np.cos(at))
        end = outer * right, outer * up
        paper.axes.plot([0, end[0]], [0, end[1]], color=paper.theme.grid, linewidth=0.6, zorder=paper.height)
        # Names at the sides have the rest of the page; those at top and bottom stand over their axis.
        beside = abs(right) > 0.05
        edge = paper.area.x[1] if right > 0 else paper.area.x[0]
        room = paper.inches(abs(edge - end[0]) if beside else 2 * paper.area.x[1]) - 0.08
        size = 7.0 if room > 1.0 else 6.0
        lines = [*wrapped(name, room, size), *wrapped(note, room, size)]
        style: Any = {"textcoords": "offset points", "fontsize": size, "zorder": paper.height}
        style["ha"] = ("left" if right > 0 else "right") if beside else "center"
        style["va"] = "center" if beside else ("bottom" if up > 0 else "top")
        away = (4 if right > 0 else -4, 0) if beside else (0, 3 if up > 0 else -3)
        paper.axes.annotate("\n".join(lines), end, away, **style)
