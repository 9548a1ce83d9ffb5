"""The user guide beside the window, so that its steps can be followed as they are read."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QImage, QTextDocument
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QTextBrowser, QVBoxLayout, QWidget

from resources import guide_path

_PICTURE = 840
"""Pixels across: the width of all pictures."""


class GuideDialog(QDialog):
    """The guide as a page of its own; the window can be used meanwhile."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Guide")
        self.page = _Page(self)
        self.page.setAccessibleName("Guide")
        self.page.setFrameShape(QTextBrowser.Shape.NoFrame)
        self.page.document().setDocumentMargin(16)
        self.page.setSource(QUrl.fromLocalFile(str(guide_path())))
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.addWidget(self.page)
        column.addWidget(buttons)
        self.resize(_PICTURE + 80, 720)


class _Page(QTextBrowser):
    """Markdown whose pictures fit in."""

    def loadResource(self, kind: int, name: QUrl | str) -> Any:
        """Pictures are scaled down; anything else is as Qt reads it."""
        if kind != QTextDocument.ResourceType.ImageResource.value:
            return super().loadResource(kind, name)
        picture = QImage(self.source().resolved(QUrl(name)).toLocalFile())
        return picture.scaledToWidth(_PICTURE, Qt.TransformationMode.SmoothTransformation)
