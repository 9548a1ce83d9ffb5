"""A label that elides its words."""

from __future__ import annotations

from math import ceil

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QResizeEvent
from PySide6.QtWidgets import QLabel, QWidget

_SPARE = 2
"""Pixels that a label takes besides its words."""


class ElidedLabel(QLabel):
    """A label of a single line, elided at its end, or elsewhere, if it does not fit."""

    def __init__(
        self,
        text: str = "",
        parent: QWidget | None = None,
        where: Qt.TextElideMode = Qt.TextElideMode.ElideRight,
    ) -> None:
        super().__init__(parent, textFormat=Qt.TextFormat.PlainText)
        self._whole, self._where = text, where
        self._cut()

    def text(self) -> str:
        """All words, whether there is room for them or not."""
        return self._whole

    def setText(self, text: str) -> None:
        if text == self._whole:
            return  # or all around it would be laid out anew
        self._whole = text
        self._cut()
        self.updateGeometry()

    @property
    def wanted(self) -> int:
        """Pixels that all words take."""
        return ceil(QFontMetricsF(self.font()).horizontalAdvance(self._whole)) + _SPARE

    def minimumSizeHint(self) -> QSize:
        metrics = self.fontMetrics()
        return QSize(metrics.horizontalAdvance("..."), metrics.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._cut()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._cut()

    def _cut(self) -> None:
        room = self.width() - _SPARE
        super().setText(self.fontMetrics().elidedText(self._whole, self._where, room))
