"""A pyqtgraph item of dots: a single dot is rendered once and painted at each position.

Pyqtgraph's own scatter has a style, a record and a hit test for each dot. Here all dots of a layer look the
same and the plot finds the dot under the mouse, so that updates and painting are faster.
"""

from __future__ import annotations

import numpy as np
from pyqtgraph.graphicsItems.ScatterPlotItem import renderSymbol
from pyqtgraph.Qt import internals
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPen, QPixmap, QTransform

from views.plot.layers import Dots
from views.plotting.pixel_items import PixelItem
from views.theme.palette import pattern_of

_SYMBOLS = ("o", "s", "t1", "d")
"""Of dots, by the pattern of their colour."""

_FIELDS = 10
"""Numbers of a fragment: its middle on the screen, its rectangle in the picture, scales, angle, opacity."""


class DotsItem(PixelItem):
    """The dots of a layer in a common `tint`."""

    def __init__(self, layer: Dots, tint: QColor) -> None:
        super().__init__()
        self.draw(layer, tint)

    def draw(self, layer: Dots, tint: QColor) -> None:
        """Draw these from now on."""
        there = (layer.x == layer.x) & (layer.y == layer.y)
        self._x, self._y = layer.x[there], layer.y[there]
        self._tint, self._diameter = tint, layer.diameter
        self._picture: QPixmap | None = None
        self.update()

    def _paint(self, painter: QPainter, to_pixels: QTransform, room: QRectF) -> None:
        x = self._x * to_pixels.m11() + to_pixels.dx()
        y = self._y * to_pixels.m22() + to_pixels.dy()
        reach = self._diameter
        # Dots at the edge are seen in part.
        seen = (x > room.left() - reach) & (x < room.right() + reach)
        seen &= (y > room.top() - reach) & (y < room.bottom() + reach)
        count = int(np.count_nonzero(seen))
        if not count:
            return
        # A picture of a dot is copied by Qt to all places in a single call: single ellipses would take long.
        picture = self._picture_at(painter.device().devicePixelRatio())
        fragments = internals.PrimitiveArray(QPainter.PixmapFragment, _FIELDS)
        fragments.resize(count)
        numbers = fragments.ndarray()
        numbers[:, 0], numbers[:, 1] = x[seen], y[seen]
        ratio = picture.devicePixelRatio()
        numbers[:, 2:] = (0, 0, picture.width(), picture.height(), 1 / ratio, 1 / ratio, 0, 1)
        first, _ = fragments.drawargs()
        painter.drawPixmapFragments(first, count, picture)

    def _picture_at(self, ratio: float) -> QPixmap:
        """A picture of a dot, for a screen with this many pixels per unit."""
        if self._picture is None or self._picture.devicePixelRatio() != ratio:
            no_line = QPen(Qt.PenStyle.NoPen)
            symbol = _SYMBOLS[pattern_of(self._tint.name())]
            image = renderSymbol(symbol, self._diameter, no_line, QBrush(self._tint), dpr=ratio)
            self._picture = QPixmap.fromImage(image)
        return self._picture
