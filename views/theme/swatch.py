"""The mark of a run beside its name, in lists, tables and buttons."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPixmap

from views.theme.palette import pattern_of, text_on

HATCHES = (
    Qt.BrushStyle.SolidPattern,
    Qt.BrushStyle.BDiagPattern,
    Qt.BrushStyle.FDiagPattern,
    Qt.BrushStyle.DiagCrossPattern,
)
"""What areas are filled with, by the pattern of their colour."""


def paint_swatch(painter: QPainter, room: QRectF, colour: str) -> None:
    """Fill a rectangle with a colour, hatched where the colour has a pattern."""
    painter.fillRect(room, QColor(colour))
    pattern = pattern_of(colour)
    if pattern:
        painter.fillRect(room, QBrush(QColor(text_on(colour)), HATCHES[pattern]))


def swatch(colour: str) -> QPixmap:
    """A small field of a run's colour."""
    pixmap = QPixmap(14, 10)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    paint_swatch(painter, QRectF(0, 0, 10, 10), colour)
    painter.end()
    return pixmap
