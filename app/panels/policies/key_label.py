"""The label of a key of a policy: its plain name, and the key itself behind it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QHBoxLayout, QLabel, QWidget

from engine.policy.phrases import key_title
from views.widgets.elided_label import ElidedLabel


class KeyLabel(QWidget):
    """The title of a key, and at the right end, faint, its name as policies spell it.

    A title that finds no room is elided; the name is always whole.
    """

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._title = ElidedLabel(key_title(name), self)
        key = QLabel(name, self, textFormat=Qt.TextFormat.PlainText)
        key.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self._title, 1)
        row.addWidget(key)

    def setBuddy(self, field: QWidget) -> None:
        """Name the field by the title, for those who hear the window."""
        self._title.setBuddy(field)
