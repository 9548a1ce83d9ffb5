"""The outline of the widget that has the keys."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QRectF
from PySide6.QtGui import QPainter, QPalette, QPen
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractScrollArea,
    QAbstractSlider,
    QApplication,
    QComboBox,
    QLabel,
    QScrollArea,
    QTabBar,
    QWidget,
)
from shiboken6 import isValid

from views.work.widget_handlers import EventWatch

_KINDS = (QAbstractButton, QAbstractScrollArea, QAbstractSlider, QComboBox, QLabel, QTabBar)
"""Qt's widgets for which its style shows no focus; charts paint theirs, and lines of text have a frame."""

_WIDTH = 2.0
"""Width of the outline in pixels."""


class FocusOutline(QObject):
    """Outline in the accent colour around the widget that has the keys, in all windows of the program.

    It is painted after the widget has painted itself, so it takes no room, and is no widget that layouts and
    screen readers would meet.
    """

    def __init__(self, app: QApplication) -> None:
        super().__init__(app)
        self._owner: QWidget | None = None
        self._canvas: QWidget | None = None
        self._watch: EventWatch | None = None
        app.focusChanged.connect(self._follow)

    def _follow(self, _: QWidget | None, now: QWidget | None) -> None:
        """Outline another widget, or none."""
        before, self._owner, self._canvas = self._canvas, None, None
        if self._watch is not None:
            self._watch.stop()
        if before is not None and isValid(before):
            before.update()
        if isinstance(now, _KINDS) and not isinstance(now, QScrollArea):
            self._owner = now
            self._canvas = now.viewport() if isinstance(now, QAbstractScrollArea) else now
            self._watch = EventWatch(self._canvas, now, self._paint)
            self._canvas.update()

    def _paint(self, watched: QObject, event: QEvent) -> bool:
        """Let the widget paint itself, and paint the outline over it."""
        owner, canvas = self._owner, self._canvas
        if event.type() != QEvent.Type.Paint or canvas is None or owner is None or watched is not canvas:
            return False
        if isinstance(owner, QAbstractScrollArea):
            owner.viewportEvent(event)
        else:
            canvas.event(event)
        painter = QPainter(canvas)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(owner.palette().color(QPalette.ColorRole.Accent), _WIDTH))
        inside = QRectF(canvas.rect()).adjusted(_WIDTH / 2, _WIDTH / 2, -_WIDTH / 2, -_WIDTH / 2)
        painter.drawRoundedRect(inside, _WIDTH, _WIDTH)
        painter.end()
        return True
