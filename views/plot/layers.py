"""The things that plots are made of, as data: dots, lines, steps, boxes, bars, pictures, words. No Qt here.

All positions are coordinates on the scales of the plot. `items` draws each of them with pyqtgraph.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Floats
from views.data.scales import AxisRange
from views.plot.area import PlotArea

BarLook = Literal["filled", "hatched", "outlined"]

POINTER = 6.0
"""Width and height of a triangle of `Pointers`, in pixels."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Layer:
    """Something to draw. `run` is the id of the run that it belongs to, if any."""

    run: int | None = None


@dataclass(frozen=True, eq=False)
class Dots(Layer):
    """A dot a point, shape (n,) each; those with a NaN are left out. Many are drawn as their density.

    `diameter` in pixels.
    """

    x: Floats
    y: Floats
    colour: str
    strength: float = 1.0
    diameter: float = 5.0


@dataclass(frozen=True, eq=False)
class Curve(Layer):
    """A line from point to point, shape (n,), over a tint of strength `fill` down to `base` of the scale up.

    A NaN parts it. Lines of more than a pixel are slow where they go up and down a lot.
    """

    x: Floats
    y: Floats
    colour: str
    width: float = 1.6
    dashed: bool = False
    fill: float = 0.0
    base: float = 0.0


@dataclass(frozen=True, eq=False)
class StepLayer(Layer):
    """A step function: `y[i]` holds from `x[i]` up to `x[i + 1]`, 0 before; `x` ascends, shape (n,) each.

    Drawn with a corner a pixel at most, so that its cost follows the width.
    """

    x: Floats
    y: Floats
    colour: str
    width: float = 1.6

    def at(self, x: Floats) -> Floats:
        """The function at some coordinates of the scale across."""
        return np.append(0.0, self.y)[np.searchsorted(self.x, x, "right")]


@dataclass(frozen=True, eq=False)
class BoxOutline(Layer):
    """A box of quartiles with whiskers, as coordinates; never made from raw values.

    It is centred at the coordinate `at` of the horizontal scale, or, if it `lies`, of the vertical scale.
    `ghost` are the quartiles of the box before exploring, drawn around it.
    """

    at: float
    low: float  # ends of the whiskers
    q1: float
    median: float
    q3: float
    high: float
    colour: str
    width: float
    ghost: tuple[float, float, float] | None = None
    lies: bool = False


@dataclass(frozen=True, eq=False)
class Raster(Layer):
    """Pixels over a range of coordinates, red, green, blue, alpha, (height, width, 4), the top row first.

    If `smooth`, they are samples of a surface, and print interpolates between them.
    """

    pixels: NDArray[np.uint8]
    x: AxisRange
    y: AxisRange
    smooth: bool = False


@dataclass(frozen=True, eq=False)
class Bars(Layer):
    """Bars from `left` to `right` on the scale across, up from 0, a thin gap between: shape (n,) each."""

    left: Floats
    right: Floats
    top: Floats
    colours: Sequence[str]


@dataclass(frozen=True, eq=False)
class Polygon(Layer):
    """A closed line with a dot at each corner, shape (n,) each, over a tint of strength `fill`.

    A corner that is NaN is left out with the lines to it, and then there is no tint.
    """

    x: Floats
    y: Floats
    colour: str
    dashed: bool = False
    fill: float = 0.09


@dataclass(frozen=True, eq=False)
class Intervals(Layer):
    """Few dots, each with a line from `low` to `high`, shape (n,) each; `joined`: by lines."""

    x: Floats
    y: Floats
    low: Floats
    high: Floats
    colour: str
    joined: bool = True


@dataclass(frozen=True, eq=False)
class RadarGrid(Layer):
    """The rings and axes of a radar around (0, 0), the first axis upright, the others clockwise.

    The `names` of the axes, with a note below each, are outside of the outermost ring, the last of `rings`.
    """

    rings: Sequence[float]
    names: Sequence[tuple[str, str]]


@dataclass(frozen=True, eq=False)
class Labels(Layer):
    """Texts at points, shape (n,) each; texts wider than `width` on the horizontal scale are left out.

    `anchor` is the point of the text's rectangle, from (0, 0) at its top left to (1, 1), that is placed at
    `x` and `y`; at (0, 3) the point is two lines below the text. `colours` has an entry for each label; the
    default is the text colour. If `clear`, lines behind a text end beside it.
    """

    x: Floats
    y: Floats
    texts: Sequence[str]
    width: float
    anchor: tuple[float, float] = (0.5, 0.5)
    colours: Sequence[str] = ()
    clear: bool = True


@dataclass(frozen=True, eq=False)
class LaneHeads(Layer):
    """Names above lanes that go across: a swatch and the name at the left, a note at the right.

    `y` are the upper edges of the lanes, shape (n,). Names are cut where they find no room.
    """

    y: Floats
    names: Sequence[str]
    colours: Sequence[str]
    notes: Sequence[str]


@dataclass(frozen=True, eq=False)
class LaneBars(Layer):
    """Horizontal bars around `y`, `tall` pixels high and at least a pixel wide, shape (n,) each.

    The last bar is on top. `outlined` bars are pale, and fade out where they continue beyond the visible
    range.
    """

    left: Floats
    right: Floats
    y: Floats
    colours: Sequence[str]
    tall: float
    look: BarLook = "filled"


@dataclass(frozen=True, eq=False)
class LaneColumns(Layer):
    """Vertical bars from a line at `base` of the vertical scale, `tall` on it, around `x`, shape (n,) each.

    They are `width` wide on the horizontal scale, and at least a pixel high unless `tall` is 0.
    """

    x: Floats
    tall: Floats
    base: float
    width: float
    colour: str


@dataclass(frozen=True, eq=False)
class Pointers(Layer):
    """Triangles that point down at lines `tall` pixels high around `y`, shape (n,) each."""

    x: Floats
    y: Floats
    tall: float


@dataclass(frozen=True, eq=False)
class TextOverlay(Layer):
    """Text over the layers below it, which are faded.

    `anchor` is the point of the text's rectangle, from (0, 0) at its top left to (1, 1), that is placed at
    `x` and `y`.
    """

    x: float
    y: float
    text: str
    anchor: tuple[float, float] = (0.5, 0.5)


@dataclass(frozen=True, eq=False)
class ReferenceLine(Layer):
    """A straight line across the plot at a coordinate of a scale."""

    at: float
    colour: str
    upright: bool = False
    dashed: bool = True


@dataclass(frozen=True, eq=False)
class Band:
    """A line with what it spans: least, mean and greatest coordinate up of each column, shape (3, width).

    `thick` is in pixels, `tint` the strength of the ground between least and greatest.
    """

    heights: Floats
    colour: str
    thick: float = 1.6
    tint: float = 0.3
    name: str = ""  # in files of data


@dataclass(frozen=True, eq=False)
class HangingMarks:
    """Small marks below a coordinate of the vertical scale, at ascending coordinates of the horizontal
    scale.
    """

    x: Floats
    y: float
    colour: str


@dataclass(frozen=True, eq=False)
class Bands(Layer):
    """Lines over columns of the same width, from the left edge of the visible part to the right, the first on
    top.

    Lines with many jumps, and thick lines, are slow as curves on a screen: the window paints them as pixels.
    """

    bands: Sequence[Band]
    marks: Sequence[HangingMarks] = ()


@dataclass(frozen=True, eq=False)
class Computed(Layer):
    """A layer that `make` gives anew, in a thread, for each part of the plot that is seen."""

    make: Callable[[PlotArea], Layer]
