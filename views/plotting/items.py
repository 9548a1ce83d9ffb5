"""Layers as items of pyqtgraph. Imported when the first plot is shown: see `pyqtgraph_loader`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import singledispatch

import pyqtgraph as pg
from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPen, QTransform
from PySide6.QtWidgets import QApplication, QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from views.plot.layers import (
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
    TextOverlay,
)
from views.plot.sampling import LEAST
from views.plotting.dots_item import DotsItem
from views.plotting.lane_items import LaneBarsItem, LaneColumnsItem, LaneHeadsItem, PointersItem
from views.plotting.pixel_items import IntervalsItem, LabelsItem, PolygonItem, RadarGridItem
from views.theme.fonts import tick_font
from views.theme.palette import pattern_of
from views.theme.swatch import HATCHES
from views.theme.theme import Theme

_DIMMED = 0.15
"""Opacity of what belongs to a run that is not picked."""

VEIL = 0.85
"""Strength of items under text, so that the text keeps a contrast of 4.5 : 1."""

_BEYOND = 0.08
"""By how much the box of before is wider at either side, on the scale."""

_LYING = QTransform(0, 1, 1, 0, 0, 0)
"""Vertical bars drawn horizontally: the two scales are exchanged."""


_DASHES = ((), (9.0, 3.0), (1.5, 2.5), (9.0, 3.0, 1.5, 3.0))
"""Lengths of dashes and gaps, in widths of the line, by the pattern of a colour; plain has none."""

_DASHED_TWICE = (3.0, 3.0)
"""Of lines that are dashed for another reason, in a colour with a pattern."""


def pen_of(colour: str, width: float = 1.0, dashed: bool = False) -> QPen:
    """A pen whose width is in pixels at any zoom."""
    pen = QPen(QColor(colour), width, Qt.PenStyle.DashLine if dashed else Qt.PenStyle.SolidLine)
    if pattern := pattern_of(colour):
        pen.setDashPattern(_DASHES[pattern] if not dashed else _DASHED_TWICE)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    # Cosmetic: the width stays in pixels at any zoom.
    pen.setCosmetic(True)
    return pen


def tint_of(colour: str, strength: float) -> QColor:
    """A transparent colour; `strength` 1 is opaque."""
    tint = QColor(colour)
    tint.setAlphaF(strength)
    return tint


@singledispatch
def item_of(layer: Layer, theme: Theme) -> QGraphicsItem:
    """The item that draws a layer. Register the item of a new kind of layer here."""
    raise NotImplementedError(type(layer).__name__)


@item_of.register
def _(layer: Dots, theme: Theme) -> QGraphicsItem:
    return DotsItem(layer, _tint_of_dots(layer))


def _tint_of_dots(layer: Dots) -> QColor:
    return tint_of(layer.colour, LEAST * layer.strength)


@item_of.register
def _(layer: Curve, theme: Theme) -> QGraphicsItem:
    return pg.PlotCurveItem(
        layer.x,
        layer.y,
        pen=pen_of(layer.colour, layer.width, layer.dashed),
        brush=tint_of(layer.colour, layer.fill) if layer.fill else None,
        fillLevel=layer.base if layer.fill else None,
        # A value that is not finite breaks the line.
        connect="finite",
        antialias=True,
    )


@item_of.register
def _(layer: Raster, theme: Theme) -> QGraphicsItem:
    # pyqtgraph's images have their first row at the bottom.
    item = pg.ImageItem(layer.pixels[::-1], axisOrder="row-major", autoLevels=False)
    (left, right), (low, high) = layer.x, layer.y
    item.setRect(QRectF(left, low, right - left, high - low))
    return item


@item_of.register
def _(layer: ReferenceLine, theme: Theme) -> QGraphicsItem:
    pen = pen_of(layer.colour, 1.0, layer.dashed)
    return pg.InfiniteLine(layer.at, angle=90 if layer.upright else 0, pen=pen, movable=False)


@item_of.register
def _(layer: Bars, theme: Theme) -> QGraphicsItem:
    return pg.BarGraphItem(
        x0=layer.left,
        x1=layer.right,
        y0=0.0,
        y1=layer.top,
        pen=pen_of(theme.chart),
        brushes=[QBrush(QColor(colour), HATCHES[pattern_of(colour)]) for colour in layer.colours],
    )


@item_of.register
def _(layer: TextOverlay, theme: Theme) -> QGraphicsItem:
    item = pg.TextItem(layer.text, theme.faint, anchor=layer.anchor, fill=tint_of(theme.chart, VEIL))
    item.setFont(tick_font(QApplication.font()))
    item.setPos(layer.x, layer.y)
    return item


@item_of.register
def _(layer: Polygon, theme: Theme) -> QGraphicsItem:
    return PolygonItem(layer, pen_of(layer.colour, 2.0, layer.dashed), tint_of(layer.colour, layer.fill))


class BoxItem(pg.GraphicsObject):
    """A box-plot of quartiles that were computed elsewhere; pyqtgraph's own takes raw data."""

    def __init__(self, box: BoxOutline, theme: Theme) -> None:
        super().__init__()
        self.draw(box, theme)

    def draw(self, box: BoxOutline, theme: Theme) -> None:
        """Draw this box from now on."""
        self.prepareGeometryChange()
        self._box, self._text = box, theme.text
        self._padded: QRectF | None = None
        half = box.width / 2 + _BEYOND
        # The box of before takes part, or Qt would cut it off.
        coordinates = (box.low, box.high, box.q1, box.q3, *(box.ghost or ()))
        upright = QRectF(box.at - half, min(coordinates), 2 * half, max(coordinates) - min(coordinates))
        self._bounds = _LYING.mapRect(upright) if box.lies else upright

    def boundingRect(self) -> QRectF:
        """Whiskers, box and what was before; pens are drawn beyond it by some pixels."""
        # pyqtgraph asks for the bounds with each move; the size of a pixel changes only with the view.
        if self._padded is None:
            across, up = (self.pixelLength(way) or 0.0 for way in (pg.Point(1, 0), pg.Point(0, 1)))
            self._padded = self._bounds.adjusted(-2 * across, -2 * up, 2 * across, 2 * up)
        return self._padded

    def viewTransformChanged(self) -> None:
        self.prepareGeometryChange()
        super().viewTransformChanged()
        self._padded = None

    def _hatch(self, hatch: Qt.BrushStyle, painter: QPainter) -> QBrush:
        """A hatch whose lines are as far apart on the screen however the plot is scaled."""
        brush = QBrush(QColor(self._box.colour), hatch)
        across, _ = painter.worldTransform().inverted()
        brush.setTransform(across)
        return brush

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        """Whiskers with caps, the box, its median; the box of before as a dotted outline around it."""
        box = self._box
        # A lying box is painted upright with both axes exchanged.
        if box.lies:
            painter.setTransform(_LYING, combine=True)
        left, right, cap = box.at - box.width / 2, box.at + box.width / 2, box.width / 4
        inside = QRectF(left, box.q1, right - left, box.q3 - box.q1)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.fillRect(inside, tint_of(box.colour, 0.31))  # three times as fast as with smooth edges
        if pattern := pattern_of(box.colour):
            painter.fillRect(inside, self._hatch(HATCHES[pattern], painter))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(pen_of(box.colour, 1.4))
        painter.drawLines(
            [
                QLineF(box.at, box.q3, box.at, box.high),
                QLineF(box.at, box.q1, box.at, box.low),
                QLineF(box.at - cap, box.high, box.at + cap, box.high),
                QLineF(box.at - cap, box.low, box.at + cap, box.low),
            ]
        )
        painter.drawRect(inside)
        painter.setPen(pen_of(self._text, 2.2))
        painter.drawLine(QLineF(left, box.median, right, box.median))
        if box.ghost is not None:
            q1, median, q3 = box.ghost
            pen = pen_of(self._text)
            pen.setStyle(Qt.PenStyle.DotLine)
            painter.setPen(pen)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(QRectF(left - _BEYOND, q1, right - left + 2 * _BEYOND, q3 - q1))
            painter.drawLine(QLineF(left - _BEYOND, median, right + _BEYOND, median))


item_of.register(Intervals, IntervalsItem)
item_of.register(Labels, LabelsItem)
item_of.register(LaneHeads, LaneHeadsItem)
item_of.register(LaneBars, LaneBarsItem)
item_of.register(LaneColumns, LaneColumnsItem)
item_of.register(Pointers, PointersItem)
item_of.register(RadarGrid, RadarGridItem)
item_of.register(BoxOutline, BoxItem)


class LayerItems:
    """The layers that a ViewBox shows, each with its item."""

    def __init__(self, box: pg.ViewBox) -> None:
        self._box = box
        self._items: dict[Layer, QGraphicsItem] = {}

    def show(self, layers: Sequence[Layer], theme: Theme) -> None:
        """Show these layers, the first at the bottom; layers that are already shown keep their items."""
        # Layers compare by identity: what is shown again is the same object and keeps its item.
        spare = [self._items.pop(layer) for layer in list(self._items) if layer not in layers]
        for height, layer in enumerate(layers):
            if layer not in self._items:
                self._items[layer] = _redrawn(spare, layer, theme) or self._added(item_of(layer, theme))
            # The order may be another, even if the items are the same.
            self._items[layer].setZValue(height)
        for item in spare:
            self._box.removeItem(item)

    def _added(self, item: QGraphicsItem) -> QGraphicsItem:
        self._box.addItem(item, ignoreBounds=True)
        return item

    def dim_runs(self, picked: frozenset[int]) -> None:
        """Draw what belongs to other runs back; with none picked nothing."""
        for layer, item in self._items.items():
            back = picked and layer.run is not None and layer.run not in picked
            item.setOpacity(_DIMMED if back else 1.0)


def _redrawn(spare: list[QGraphicsItem], layer: Layer, theme: Theme) -> QGraphicsItem | None:
    """A spare item that draws this layer from now on: half the cost of a new item."""
    for number, item in enumerate(spare):
        if isinstance(layer, Dots) and isinstance(item, DotsItem):
            item.draw(layer, _tint_of_dots(layer))
        elif isinstance(layer, BoxOutline) and isinstance(item, BoxItem):
            item.draw(layer, theme)
        else:
            continue
        return spare.pop(number)
    return None
