"""The base of pages about a site: what is shown, why it cannot be, how far the work is, and how to begin."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QProgressBar, QPushButton, QVBoxLayout, QWidget

from views.theme.theme import Theme
from views.widgets.elided_label import ElidedLabel
from views.widgets.page_stack import PageStack


class Themed(Protocol):
    """A part that is drawn in the colours of a theme."""

    def set_theme(self, theme: Theme) -> None:
        """Use other colours."""


class SitePage(QWidget):
    """A page with a row of buttons, an error line and a thin progress bar above its contents.

    Before there is anything to show, a text says what the page is for.
    """

    def __init__(self, lead: str, parent: QWidget | None) -> None:
        super().__init__(parent)
        plain = Qt.TextFormat.PlainText
        self.message = ElidedLabel("", self)
        self.error = QLabel("", self, wordWrap=True, textFormat=plain)
        self.error.setAccessibleName("Error")
        self.error.setContentsMargins(8, 0, 8, 0)
        self.progress = QProgressBar(self, textVisible=False, maximum=1000)
        self.progress.setFixedHeight(4)
        keeps = self.progress.sizePolicy()
        keeps.setRetainSizeWhenHidden(True)
        self.progress.setSizePolicy(keeps)
        self._start = QWidget(self)
        self.lead = QLabel(lead, self._start, wordWrap=True, textFormat=plain)
        self._themed: Sequence[Themed] = ()

    def show_error(self, text: str) -> None:
        """Say why nothing new can be shown; what is shown stays. Empty: all is well."""
        self.error.setText(text)
        self.error.setVisible(bool(text))

    def set_theme(self, theme: Theme) -> None:
        """Use other colours."""
        self.lead.setStyleSheet(f"color: {theme.faint}")
        self.message.setStyleSheet(f"color: {theme.faint}")
        self.error.setStyleSheet(f"color: {theme.bad}")
        for part in self._themed:
            part.set_theme(theme)

    def _stack_up(
        self,
        head: QWidget,
        shown: QWidget,
        *,
        open_: QPushButton | None = None,
        rows: Sequence[QWidget] = (),
    ) -> PageStack:
        """Lay the page out: its head, `rows` below it, and the lead text where `shown` comes later.

        `open_` is a button below the lead text.
        """
        column = QVBoxLayout(self._start)
        column.setContentsMargins(40, 20, 40, 20)
        column.addWidget(self.lead)
        if open_ is not None:
            column.addWidget(open_, 0, Qt.AlignmentFlag.AlignLeft)
        column.addStretch(1)
        body = QWidget(self)
        stack = PageStack(body, self._start, shown)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(2)
        for part in (head, self.error, self.progress, *rows):
            whole.addWidget(part)
        whole.addWidget(body, 1)
        return stack
