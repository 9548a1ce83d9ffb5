"""The mark of a run beside its name, in lists, tables and buttons."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPainter, QPixmap


def swatch(colour: str) -> QPixmap:
    """A small field of a run's colour."""
    pixmap = QPixmap(14, 10)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.fillRect(0, 0, 10, 10, QColor(colour))
    painter.end()
    return pixmap
