"""A chart over time as an image, in another size or with complete labels."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QImage, QPainter

from views.timechart.axis import axis_height
from views.timechart.chart import TimeChart
from views.timechart.frame import TITLE


def image_of(chart: TimeChart, size: QSize, scale: float = 1.0, apart: bool = False) -> QImage:
    """The chart as it is, complete, in another size; `scale` device pixels a pixel.

    Where it is to be seen `apart` from the others it has a title line and a time axis of its own.
    """
    image = QImage(size * scale, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(scale)
    painter = QPainter(image)
    chart.paint(painter, QRectF(0, 0, size.width(), size.height()), scale, apart)
    painter.end()
    return image


def portrait(chart: TimeChart, scale: float = 1.0) -> QImage:
    """The chart as it is, with a title line and a time axis; `scale` device pixels a pixel."""
    frame = chart.frame()
    # The plot keeps its height: the image grows by the axis and title line that the screen lacks.
    missing = axis_height(chart.font()) - frame.axis.height() + TITLE - frame.title.height()
    return image_of(chart, chart.size() + QSize(0, round(missing)), scale, apart=True)
