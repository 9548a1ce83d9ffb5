"""The fonts of charts, derived from the window's font."""

from __future__ import annotations

from PySide6.QtGui import QFont, QFontMetricsF


def tick_font(base: QFont) -> QFont:
    """The font of numbers on axes and labels in data: a little smaller than the window's own text."""
    return _scaled(base, 0.88)


def title_font(base: QFont) -> QFont:
    """The font of the names of charts."""
    font = _scaled(base, 1.0)
    font.setWeight(QFont.Weight.DemiBold)
    return font


def fitted(font: QFont, text: str, width: float) -> QFont:
    """The font, or a font up to a tenth smaller if that makes the text fit `width` pixels."""
    taken = QFontMetricsF(font).horizontalAdvance(text)
    return _scaled(font, max(0.98 * width / taken, 0.9)) if taken > width > 0 else font


def _scaled(base: QFont, factor: float) -> QFont:
    font = QFont(base)
    if base.pointSizeF() > 0:
        font.setPointSizeF(base.pointSizeF() * factor)
    else:
        font.setPixelSize(max(1, round(base.pixelSize() * factor)))
    return font
