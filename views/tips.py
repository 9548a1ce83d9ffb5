"""Tooltips: Qt would take names with angle brackets for markup, and would not break long lines."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import QPoint
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QToolTip, QWidget

_BESIDE = QPoint(12, 12)
"""From the pointer to the tooltip of a chart, in pixels."""


def tip(plain: str) -> str:
    """Text as a tooltip that shows it as it is; an empty line parts paragraphs."""
    paragraphs = ("<br>".join(escape(line) for line in part.split("\n")) for part in plain.split("\n\n"))
    return "".join(f"<p>{part}</p>" for part in paragraphs)


def show_tip(event: QMouseEvent, text: str, chart: QWidget) -> None:
    """Tell beside the pointer what lies under it in a chart; empty: nothing."""
    if text:
        QToolTip.showText(event.globalPosition().toPoint() + _BESIDE, tip(text), chart)
    else:
        QToolTip.hideText()
