"""Selectable text that wraps within words too, such as the spelling of a policy, which has no blanks."""

from __future__ import annotations

import math

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent, QTextOption
from PySide6.QtWidgets import QFrame, QSizePolicy, QTextEdit, QWidget

_NARROWEST = 160


class WrappedText(QTextEdit):
    """Plain text as high as its lines, on the ground of what it stands in."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, readOnly=True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.viewport().setAutoFillBackground(False)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.document().setDocumentMargin(0)
        for policy in (self.setHorizontalScrollBarPolicy, self.setVerticalScrollBarPolicy):
            policy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._fit()

    def text(self) -> str:
        """What it says."""
        return self.toPlainText()

    def setText(self, text: str) -> None:
        """Say something else."""
        self.setPlainText(text)
        self._fit()

    def sizeHint(self) -> QSize:
        return QSize(2 * _NARROWEST, self.maximumHeight())

    def minimumSizeHint(self) -> QSize:
        return QSize(_NARROWEST, self.maximumHeight())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        self.setFixedHeight(max(math.ceil(self.document().size().height()), self.fontMetrics().height()))
