"""Explanations: a note with the meaning of a term, and headings that open it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QColor, QFontMetrics, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QFrame, QHeaderView, QLabel, QVBoxLayout, QWidget

from views.text.terms import term
from views.text.tooltips import tip

_WIDTH, _PAD, _BELOW = 420, 10, 2
_MARGIN = 4  # pixels that a style leaves before the text of a heading


class TermNote(QFrame):
    """Note with the meaning of a term, its formula and source; a click elsewhere or Esc closes it."""

    def __init__(self, key: str, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.words = QLabel(
            tip(term(key).explanation), self, wordWrap=True, textFormat=Qt.TextFormat.RichText
        )
        self.words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.words.setFixedWidth(_WIDTH)
        self.setAccessibleName(term(key).explanation)
        column = QVBoxLayout(self)
        column.setContentsMargins(_PAD, _PAD // 2, _PAD, _PAD // 2)
        column.addWidget(self.words)


def explain(key: str, place: QPoint, parent: QWidget) -> TermNote:
    """Open the explanation of a term below a `place` on the screen, within the window of `parent`."""
    note = TermNote(key, parent)
    note.adjustSize()
    screen = parent.screen().availableGeometry()
    left = min(place.x(), screen.right() - note.width())
    top = place.y() if place.y() + note.height() <= screen.bottom() else screen.bottom() - note.height()
    note.move(max(left, screen.left()), max(top, screen.top()))
    note.show()
    return note


def paint_dots(painter: QPainter, left: int, right: int, baseline: int, colour: QColor) -> None:
    """The dotted line under a term with an explanation."""
    painter.setPen(QPen(colour, 1, Qt.PenStyle.DotLine))
    painter.drawLine(left, baseline + _BELOW, right, baseline + _BELOW)


class ExplainedHeader(QHeaderView):
    """Headings of rows; those whose `key` (of a row) is a term are underlined, and explained by a click."""

    def __init__(self, key: Callable[[int], str | None], parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Vertical, parent)
        self._key = key
        self.sectionClicked.connect(self.explain)

    def explain(self, row: int) -> None:
        """Open the explanation of a row, if it has any."""
        key = self._key(row)
        if key is not None:
            low = QPoint(_MARGIN, self.sectionViewportPosition(row) + self.sectionSize(row))
            explain(key, self.viewport().mapToGlobal(low), self)

    def paintSection(self, painter: QPainter, rect: QRect, section: int) -> None:
        painter.save()
        super().paintSection(painter, rect, section)
        painter.restore()
        if self._key(section) is None:
            return
        metrics = QFontMetrics(self.font())
        text = str(self.model().headerData(section, Qt.Orientation.Vertical) or "")
        left = rect.left() + _MARGIN
        right = min(left + metrics.horizontalAdvance(text), rect.right() - _MARGIN)
        baseline = rect.center().y() + (metrics.ascent() - metrics.descent()) // 2 + 1
        colour = self.palette().color(self.foregroundRole())
        paint_dots(painter, left, right, baseline, colour)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        row = self.logicalIndexAt(event.position().toPoint())
        explained = row >= 0 and self._key(row) is not None
        self.setCursor(Qt.CursorShape.WhatsThisCursor if explained else Qt.CursorShape.ArrowCursor)
        super().mouseMoveEvent(event)


class ExplainedLabel(QLabel):
    """Label whose words are underlined with dots, and explained by a click or by Enter."""

    def __init__(self, words: str, key: str, parent: QWidget) -> None:
        super().__init__(words, parent, textFormat=Qt.TextFormat.PlainText)
        self._key_of_term = key
        self.setToolTip(tip(term(key).explanation))
        self.setCursor(Qt.CursorShape.WhatsThisCursor)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        explain(self._key_of_term, self.mapToGlobal(QPoint(0, self.height())), self)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        metrics, painter = QFontMetrics(self.font()), QPainter(self)
        baseline = self.rect().center().y() + (metrics.ascent() - metrics.descent()) // 2 + 1
        right = min(metrics.horizontalAdvance(self.text()), self.width())
        paint_dots(painter, 0, right, baseline, self.palette().color(self.foregroundRole()))
