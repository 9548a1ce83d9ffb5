"""A plot as data: what it shows, what is written around it, and what the mouse finds in it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from views.data.scales import AxisRange, LinearScale, Scale
from views.plot.area import PixelBox, PlotArea, Point
from views.plot.layers import Layer
from views.theme.theme import Theme


@dataclass(frozen=True)
class HoverText:
    """A thing under the mouse, in words; the units that a click picks, if any, and where it is ringed.

    `spot` are coordinates of both scales.
    """

    text: str
    units: Callable[[], Sequence[int]] | None = None
    spot: tuple[float, float] | None = None


@dataclass(frozen=True)
class Pick:
    """A picked unit: coordinates on both scales, and its value in words."""

    x: float
    y: float
    text: str


@dataclass(frozen=True)
class PlotWords:
    """The words around a plot: `title` and `y_name` above, `x_name` below; `text` explains them.

    The names of axes have a swatch where a colour is given. With a `message` there is nothing else to see.
    A title with `terms`, the keys of words in it, has dots under it, and explains the first by a click.
    A `note` is a line below the page that print writes with this plot.
    """

    title: str
    text: str = ""
    x_name: str = ""
    y_name: str = ""
    message: str = ""
    x_colour: str = ""
    y_colour: str = ""
    terms: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True)
class Category:
    """A category below a plot on a scale of `Categories`: its name and a swatch.

    In the window an abbreviation is written out as `words` where there is room for those of all categories.
    Without a colour there is no swatch. `run` is the id of the run that it represents, if any. Categories of
    the same `style` have the same marker and hatch in print; without one that is their place in the legend.
    """

    name: str
    colour: str = ""
    run: int | None = None
    style: int | None = None
    words: str = ""


@dataclass(frozen=True)
class PrintRoom:
    """The room for a plot in print, in inches; plots that would be narrower are put into more rows.

    `share` is its part of the width, among plots beside one another. A `square` plot is as high as it is
    wide.
    """

    height: float = 2.1
    width: float = 1.1  # at least
    share: float = 1.0
    square: bool = False


@dataclass(frozen=True, eq=False, kw_only=True)
class Plot(ABC):
    """The content of a `PlotWidget`, immutable: it is made in a worker thread and read in the GUI thread."""

    words: PlotWords
    x: Scale
    y: Scale
    slots: Sequence[Category] = ()
    has_axes: ClassVar[bool] = True
    """Whether its scales lie along two axes."""

    on_clock: ClassVar[bool] = False
    """Whether it shows any window of time that is asked for: see `time_plot`."""

    zooms: ClassVar[bool] = True
    """True if the plot can be zoomed; otherwise the wheel scrolls its surroundings."""

    @property
    def paper(self) -> PrintRoom:
        """The room that it has in print."""
        return PrintRoom()

    @property
    def least_lines(self) -> float:
        """The height below which its words overlap, in lines of text, without its title and axis."""
        return 0.0

    def full_ranges(self, width: float, height: float, line: float) -> tuple[AxisRange, AxisRange]:
        """The coordinates on both scales that are seen when all of the plot is.

        It takes `width` times `height` pixels; a line of text `line` of them.
        """
        return self.x.full_range, self.y.full_range

    @abstractmethod
    def layers(self, theme: Theme) -> Sequence[Layer]:
        """The layers, the first at the bottom."""

    def pictured(self) -> Sequence[Mapping[str, float | str]]:
        """The numbers of layers that are pictures, a row each, for files of data; empty: there are none."""
        return ()

    def read(self, area: PlotArea, position: Point) -> HoverText | None:
        """The reading at a position in pixels."""
        return None

    def units_in(self, area: PlotArea, box: PixelBox) -> Sequence[int]:
        """The units within a rectangle of pixels, where a drag picks."""
        return []

    def marks(self, units: Sequence[int]) -> list[Pick]:
        """The positions of picked units."""
        return []


@dataclass(frozen=True, eq=False, kw_only=True)
class EmptyPlot(Plot):
    """Words alone, where there is nothing to show."""

    x: Scale = field(default_factory=LinearScale)
    y: Scale = field(default_factory=LinearScale)

    def layers(self, theme: Theme) -> Sequence[Layer]:
        """No layers: there are words alone."""
        return []
