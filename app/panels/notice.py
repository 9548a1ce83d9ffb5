"""A line that says what is left out of all that is measured, with a button that takes it back."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from views.text.tooltips import as_tip
from views.widgets.elided_label import ElidedLabel


class Notice(QWidget):
    """A line of words and a button behind them; hidden while there is nothing to say."""

    def __init__(self, button: str, tip: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.label = ElidedLabel("", self)
        self.button = QPushButton(button, self)
        self.button.setToolTip(tip)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.label, 1)
        row.addWidget(self.button)
        self.hide()

    def say(self, text: str) -> bool:
        """Say this, or with an empty text nothing; returns whether it is another text."""
        if text == self.label.text():
            return False
        self.label.setText(text)
        self.label.setToolTip(as_tip(text))
        self.setVisible(bool(text))
        return True
