"""A message across the window: what went wrong and what to do, details on demand."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget


class MessageBar(QFrame):
    """Shows one message until it is closed; it never stops the work."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.text = QLabel("", self, wordWrap=True)
        self.details = QPlainTextEdit(self, readOnly=True)
        self.details.setMaximumHeight(160)
        self.more = QPushButton("Details", self)
        self.more.setCheckable(True)
        self.more.toggled.connect(self.details.setVisible)
        self.dismiss = QPushButton("Close", self)
        self.dismiss.clicked.connect(self.hide)
        row = QHBoxLayout()
        row.addWidget(self.text, 1)
        row.addWidget(self.more)
        row.addWidget(self.dismiss)
        column = QVBoxLayout(self)
        column.addLayout(row)
        column.addWidget(self.details)
        self.hide()

    def show_message(self, text: str, details: str = "") -> None:
        """Show a message in place of the one before."""
        self.text.setText(text)
        self.details.setPlainText(details)
        self.details.hide()
        self.more.setChecked(False)
        self.more.setVisible(bool(details))
        self.show()
