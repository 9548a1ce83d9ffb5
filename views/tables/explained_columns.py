"""Column headings with dotted underlines if a key or a right click explains them."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QFontMetrics, QPainter
from PySide6.QtWidgets import QHeaderView, QStyle, QWidget

from views.tables.model import TERM_ROLE
from views.widgets.explanation import explain, paint_dots

_SWATCH = 6
"""Pixels between a swatch and its text."""


class ExplainedColumns(QHeaderView):
    """Headings that sort on a click; `explain` opens the explanation of a heading."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)

    def term_of(self, column: int) -> str | None:
        """The term that explains a column; None if there is none."""
        if not 0 <= column < self.count():
            return None
        term = self.model().headerData(column, Qt.Orientation.Horizontal, TERM_ROLE)
        return str(term) if term else None

    def explain(self, column: int) -> bool:
        """Open the explanation of a column; True if there is one."""
        key = self.term_of(column)
        if key is not None:
            low = QPoint(max(self.sectionViewportPosition(column), 0), self.height())
            explain(key, self.viewport().mapToGlobal(low), self)
        return key is not None

    def paintSection(self, painter: QPainter, rect: QRect, section: int) -> None:
        # Qt's own painting changes the pen and leaves it so, hence the pair.
        painter.save()
        super().paintSection(painter, rect, section)
        painter.restore()
        if self.term_of(section) is None:
            return
        role, side = Qt.ItemDataRole, Qt.Orientation.Horizontal
        lines = str(self.model().headerData(section, side, role.DisplayRole) or "").split("\n")
        metrics, style = QFontMetrics(self.font()), self.style()
        margin = style.pixelMetric(QStyle.PixelMetric.PM_HeaderMargin, None, self)
        left = rect.left() + margin
        # A column of a run has its colour before the title; dots begin after that.
        icon = self.model().headerData(section, side, role.DecorationRole)
        if icon is not None:
            left += icon.width() // max(round(icon.devicePixelRatio()), 1) + _SWATCH
        top = rect.center().y() - len(lines) * metrics.height() // 2
        right = min(left + metrics.horizontalAdvance(lines[0]), rect.right() - margin)
        paint_dots(
            painter, left, right, top + metrics.ascent() + 1, self.palette().color(self.foregroundRole())
        )
