"""The widget for a plot over time: the window's clock sets its range, and it sends changes to the clock."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QEvent, QRectF, QSize
from PySide6.QtGui import (
    QColor,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QWidget

from views.data.scales import Scale
from views.plot.area import PlotArea
from views.plot.layers import Band, Bands, HangingMarks, Layer, Raster
from views.plot.sampling import sampled
from views.plotting.pyqtgraph_loader import PyqtgraphLoader, is_loaded
from views.plotting.widget_area import WidgetArea
from views.raster.areas import draw_line, fill_between
from views.state.context import ViewContext
from views.text.ticks import TimeAxis
from views.theme.palette import Pixels, pixel
from views.theme.theme import Theme
from views.timechart.clock_chart import ClockChart
from views.timechart.frame import BOTTOM, Frame, frame_of, paint_side_name, paint_title
from views.work.async_memo import AsyncMemo

if TYPE_CHECKING:
    from views.plotting.clock_canvas import ClockCanvas

_MARK, _BELOW = 5.0, 2.0
"""Height of a mark, and its distance from what it hangs from, in pixels."""


def rasterized(layer: Layer, area: PlotArea, theme: Theme) -> Layer:
    """Bands as a picture of what is seen of them; other layers as they are.

    It is painted in a thread: pyqtgraph takes 160 ms for a thick line that jumps a lot.
    """
    if not isinstance(layer, Bands):
        return layer
    width, height = (max(round(size * area.ratio), 1) for size in (area.width, area.height))
    pixels = paint_bands(width, height, area, layer.bands, theme)
    for marks in layer.marks:
        _paint_marks(pixels, area, marks)
    bytes_of = np.ascontiguousarray(pixels).view(np.uint8).reshape(*pixels.shape, 4)
    return Raster(np.ascontiguousarray(bytes_of[..., [2, 1, 0, 3]]), area.x, area.y, run=layer.run)


def paint_bands(width: int, height: int, area: PlotArea, bands: Sequence[Band], theme: Theme) -> Pixels:
    """All tints, then all lines, the first of them on top; shape (height, width)."""
    low, high = area.y
    pixels = np.full((height, width), pixel(theme.chart), np.uint32)
    down = [(1 - (band.heights - low) / (high - low)) * height for band in bands]
    for band, (least, _, greatest) in reversed(list(zip(bands, down, strict=True))):
        fill_between(pixels, greatest, least, band.colour, band.tint)
    for band, (_, mean, _) in reversed(list(zip(bands, down, strict=True))):
        thick = band.thick * area.ratio
        draw_line(pixels, np.clip(mean, thick / 2, height - thick / 2), band.colour, thick)
    return pixels


def _paint_marks(pixels: Pixels, area: PlotArea, marks: HangingMarks) -> None:
    """Paint a column of pixels, or part of it, in each column with at least one mark."""
    height, width = pixels.shape
    top = (area.y[1] - marks.y) / (area.y[1] - area.y[0]) * height
    above, below = (round(top + down * area.ratio) for down in (_BELOW, _BELOW + _MARK))
    first, last = np.searchsorted(marks.x, area.x)
    columns = (marks.x[first:last] - area.x[0]) / (area.x[1] - area.x[0]) * width
    pixels[above:below, np.unique(np.minimum(columns.astype(np.int64), width - 1))] = pixel(marks.colour)


_TITLE, _LOW_TITLE = 20.0, 4.0
"""Pixels above the plot with a title line and without."""


class ClockPlot(ClockChart):
    """A plot of layers over the clock's window, with the same mouse and keys as all charts on the clock.

    Subclasses implement `_y`, the vertical scale, `_layers`, and the description of a position, and call
    `refresh` when any of them changes. A low plot has no title line, but its `brief` name in the gutter.
    """

    brief = ""

    def __init__(self, context: ViewContext, theme: Theme, name: str, parent: QWidget | None = None) -> None:
        super().__init__(context, theme, name, parent)
        self.title_height = _TITLE
        self._version = 0
        self._shown: Sequence[Layer] = ()  # before they are sampled
        self._canvas: ClockCanvas | None = None
        self._memo: AsyncMemo[list[Layer]] = AsyncMemo(context.executor, name, self)
        self._memo.ready.connect(self._take_layers)
        self._loader = PyqtgraphLoader(context, self)
        self._loader.loaded.connect(self._show)
        self._gestures.dragged.connect(self._show_picked)
        self.clock.changed.connect(self._show)
        self.clock.bounds_changed.connect(self._show)
        self.selection.changed.connect(self._show_picked)
        self._view.follow(self, "marks", self._show)

    # What a kind of plot gives.

    def _y(self) -> Scale:
        """The scale up."""
        raise NotImplementedError

    def _layers(self) -> Sequence[Layer]:
        """The layers, the first at the bottom; times are in seconds."""
        raise NotImplementedError

    def _paint_name(self, painter: QPainter, frame: Frame) -> None:
        """The title line, or the name in the gutter."""
        if self.low:
            paint_side_name(painter, frame, self.brief, self.theme, self.font())
        else:
            self._cut_title = paint_title(painter, frame, self.title, "", None, self.theme, self.font())

    # Set by the owner.

    @property
    def low(self) -> bool:
        """True if there is no room for a title line."""
        return self.title_height < _TITLE

    def set_low(self, low: bool) -> None:
        """Do without a title line, or not."""
        if low != self.low:
            self.title_height = _LOW_TITLE if low else _TITLE
            self.updateGeometry()
            self._show()

    def set_theme(self, theme: Theme) -> None:
        """Use other colours."""
        self.theme = theme
        self.refresh()

    def set_time_axis(self, axis: TimeAxis) -> None:
        """Label times by this axis."""
        if axis != self.time_axis:
            self.time_axis = axis
            self._show()

    def show_axis(self, shown: bool) -> None:
        """Show the time axis under this plot, or not."""
        self._shows_axis = shown
        self._show()

    def refresh(self) -> None:
        """Something else is to be shown; what was shown stays until that is there."""
        self._version += 1
        self._shown = () if self.message else tuple(self._layers())
        self.setAccessibleDescription(self.summary())
        self._show()

    # Showing.

    def frame(self) -> Frame:
        """The layout; times are aligned with those in all charts on the clock."""
        room = QRectF(self.rect())
        return frame_of(room, self.clock.window, self.font(), self._shows_axis, self.title_height)

    def area(self, frame: Frame) -> WidgetArea:
        """The visible part of the plot, and its position."""
        plot = frame.plot
        return WidgetArea(
            plot.left(),
            plot.top(),
            plot.width(),
            plot.height(),
            self.clock.window,
            self._y().full_range,
            self.devicePixelRatioF(),
        )

    def _show(self) -> None:
        """Lay everything out, and have the layers of this part of time prepared."""
        # A hidden plot shows nothing and must not load pyqtgraph; it is laid out when it is shown.
        if not self.isVisible() or self.size().isEmpty():
            return
        # Loading pyqtgraph takes long: the loader does it in small steps and in a thread, and then this is
        # called again.
        if not is_loaded():
            self._loader.request()
            return
        from views.plotting.clock_canvas import ClockCanvas, ClockLook

        if self._canvas is None:
            self._canvas = ClockCanvas(self.theme, self.font(), self._paint_name, self)
            self._canvas.show()
        self._canvas.set_theme(self.theme, self.font())
        frame = self.frame()
        self._canvas.setGeometry(self.rect())
        # The canvas lies over the whole widget, so its frame is computed here once and shared with the axes.
        bounds, focused, marks = self.clock.bounds, self.hasFocus(), self._view.options.marks
        shown = frame, self._y(), self.time_axis, self._shows_axis, bounds, self.message
        look = ClockLook(*shown, focused, marks)
        self._canvas.show_look(look)
        self._show_picked()
        self._follow_hover(self.clock.hover)
        # A thread prepares the layers of this part of time; until then the old layers are shown, moved.
        area, layers = self.area(frame), self._shown
        self._memo.request((self._version, area), partial(_prepare, layers, area, self.theme))

    def _take_layers(self) -> None:
        if self._canvas is not None and self._memo.value is not None:
            self._canvas.layers.show(self._memo.value, self.theme)

    def _show_picked(self) -> None:
        if self._canvas is not None:
            picked = self.selection.value
            self._canvas.show_picked(picked.instant, picked.time_range, self._gestures.range)

    def _follow_hover(self, time: float | None) -> None:
        if self._canvas is not None:
            self._canvas.show_cursor(time)

    def minimumSizeHint(self) -> QSize:
        bottom = round(self.frame().axis.height()) or round(BOTTOM)
        return QSize(240, round(self.title_height) + bottom + 24)

    # Events.

    def paintEvent(self, event: QPaintEvent) -> None:
        QPainter(self).fillRect(self.rect(), QColor(self.theme.window))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._show()

    def _show_focus(self) -> None:
        self._show()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.FontChange and self._canvas is not None:
            self._show()
        super().changeEvent(event)


def _prepare(layers: Sequence[Layer], area: WidgetArea, theme: Theme) -> list[Layer]:
    """The drawn items of the layers in a visible part; called in any thread."""
    return [rasterized(sampled(layer, area), area, theme) for layer in layers]
