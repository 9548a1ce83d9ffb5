"""Fonts derived from the window's font: of charts, and of labels smaller or larger than other text."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QFont, QFontMetricsF
from PySide6.QtWidgets import QWidget

from views.work.widget_handlers import EventWatch


def tick_font(base: QFont) -> QFont:
    """The font of numbers on axes and labels in data: a little smaller than the window's own text."""
    return scaled(base, 0.88)


def follow_font(
    widget: QWidget, derive: Callable[[QFont], QFont], changed: Callable[[], object] | None = None
) -> None:
    """Write a widget in a font derived from its parent's, and in another one whenever that changes.

    `changed` is called after each change. Qt passes a size on only to widgets without a size of their own.
    """
    parent = widget.parentWidget()
    assert parent is not None

    def follow(watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.FontChange and isinstance(watched, QWidget):
            widget.setFont(derive(watched.font()))
            if changed is not None:
                changed()
        return False

    widget.setFont(derive(parent.font()))
    EventWatch(parent, widget, follow)


def title_font(base: QFont) -> QFont:
    """The font of the names of charts."""
    font = scaled(base, 1.0)
    font.setWeight(QFont.Weight.DemiBold)
    return font


def fitted(font: QFont, text: str, width: float) -> QFont:
    """The font, or a font up to a tenth smaller if that makes the text fit `width` pixels."""
    taken = QFontMetricsF(font).horizontalAdvance(text)
    return scaled(font, max(0.98 * width / taken, 0.9)) if taken > width > 0 else font


def scaled(base: QFont, factor: float) -> QFont:
    """A font larger or smaller by this factor, in points or pixels as it was."""
    font = QFont(base)
    if base.pointSizeF() > 0:
        font.setPointSizeF(base.pointSizeF() * factor)
    else:
        font.setPixelSize(max(1, round(base.pixelSize() * factor)))
    return font
