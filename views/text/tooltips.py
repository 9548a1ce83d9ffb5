"""Tooltips: Qt would take names with angle brackets for markup, and would not break long lines."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QPointF
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QToolTip, QWidget

from engine.shown_text import html_text, printable

_BESIDE = QPoint(12, 12)
"""From the pointer to the tooltip of a chart, in pixels."""


_WHOLE = 64
"""Paragraphs whose lines have at most so many letters are not broken anywhere else."""


def tip(plain: str) -> str:
    """Text as a tooltip that shows it as it is; an empty line parts paragraphs."""
    return "".join(_paragraph(part.split("\n")) for part in plain.split("\n\n"))


def as_tip(words: str) -> str:
    """Words as a tooltip: as they are, unless Qt would take a name among them for markup."""
    return tip(words) if "<" in words else printable(words)


def _paragraph(lines: list[str]) -> str:
    whole = ' style="white-space: nowrap"' if max(map(len, lines)) <= _WHOLE else ""
    return f"<p{whole}>{'<br>'.join(map(html_text, lines))}</p>"


def show_tip(event: QMouseEvent, text: str, chart: QWidget) -> None:
    """Show a tooltip beside the pointer for the item under it in a chart; empty: none."""
    show_tip_at(event.globalPosition(), text, chart)


def show_tip_at(place: QPointF, text: str, chart: QWidget) -> None:
    """The same of a pointer that is at a `place` on the screen."""
    if text:
        QToolTip.showText(place.toPoint() + _BESIDE, tip(text), chart)
    else:
        QToolTip.hideText()
