"""The runs with their colours, named in full."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QLabel, QWidget

from views.data.results import Result


class RunLegend(QLabel):
    """A line of text, or more where it is narrow, that says which colour is which run."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("", parent)
        self.setTextFormat(Qt.TextFormat.RichText)
        self.setWordWrap(True)

    def set_results(self, results: Sequence[Result]) -> None:
        """Name these runs."""
        self.setText("&nbsp;&nbsp; ".join(_entry(result) for result in results))
        self._keep_height()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """What stands below makes room for all lines: layouts of pages do not ask by the width."""
        super().resizeEvent(event)
        self._keep_height()

    def showEvent(self, event: QShowEvent) -> None:
        """Before that its width means nothing."""
        super().showEvent(event)
        self._keep_height()

    def _keep_height(self) -> None:
        if self.isVisible():
            self.setMinimumHeight(0)  # the height below is at least that
            self.setMinimumHeight(max(self.heightForWidth(self.width()), 0))


def _entry(result: Result) -> str:
    """Lines break between the parts of a policy or of a machine, else between runs."""
    name = escape(result.name).replace("-", "\u2011").replace(" ", "&nbsp;")
    for sign in ",+":
        name = name.replace(sign, f"{sign}\u200b")
    return f'<span style="color: {result.colour}">■</span>&nbsp;{name}'
