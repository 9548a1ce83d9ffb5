"""The line in which the formula of an order is typed: what is wrong is underlined."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QPalette, QPen
from PySide6.QtWidgets import QWidget

from app.panels.completing_line import CompletingLine
from engine.policy.policy import PRESETS
from engine.score.complete import complete_formula
from engine.score.parse import FormulaError, parse_formula

_WAVE = 3
"""Pixels of half a wave of the underline, and its height."""


class FormulaLine(CompletingLine):
    """Offers variables, functions and the formulas of presets. `problem` is what is wrong, if anything."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(complete_formula, _formulas, parent)
        self.problem: FormulaError | None = None
        self.textChanged.connect(self._check)

    def underline(self) -> tuple[int, int]:
        """The horizontal range of the wrong character in pixels; as wide as a letter at the end."""
        assert self.problem is not None
        text, metrics = self.text(), self.fontMetrics()
        begin = self.cursorRect().center().x() - metrics.horizontalAdvance(text[: self.cursorPosition()])
        at = self.problem.position
        low = begin + metrics.horizontalAdvance(text[:at])
        return low, low + max(metrics.horizontalAdvance(text[at : at + 1]), metrics.averageCharWidth())

    def paintEvent(self, event: QPaintEvent) -> None:
        """The text, and a wave under what is wrong."""
        super().paintEvent(event)
        if self.problem is None or not self.text():
            return
        low, high = self.underline()
        bottom = self.cursorRect().bottom()
        painter = QPainter(self)
        painter.setPen(QPen(self.palette().color(QPalette.ColorRole.BrightText), 1.5))
        points = [QPoint(x, bottom - _WAVE * (k % 2)) for k, x in enumerate(range(low, high + 1, _WAVE))]
        painter.drawPolyline(points)
        painter.end()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Esc closes the list, or else what the line is part of; so does Enter if nothing is chosen."""
        listed = self.list.isVisible()
        leaves = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Escape)
        if leaves and not (
            listed and (event.key() == Qt.Key.Key_Escape or self.list.currentIndex().isValid())
        ):
            self.list.hide()
            event.ignore()
        else:
            super().keyPressEvent(event)

    def _check(self, text: str) -> None:
        self.problem = None
        try:
            parse_formula(text)
        except FormulaError as error:
            self.problem = error
        self.setToolTip(self.problem.message if self.problem is not None else "")
        self.update()


def _formulas() -> dict[str, str]:
    """The formulas of the presets, by name."""
    return {name: policy.score.text for name, (policy, _) in PRESETS.items() if policy.order == "score"}
