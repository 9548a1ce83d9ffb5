"""One line over the charts of all runs: the colours that their heatmaps share, and what is folded away."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from views.text.tooltips import tip
from views.theme.theme import Theme, tick_font, title_font
from views.timechart.frame import RIGHT
from views.timechart.legend import Bar, paint_legend
from views.widgets.explanation import explain, paint_dots

_HEIGHT = 20
_LINE = Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine


class LegendLine(QWidget):
    """Line with the scale of the heatmaps at the right, and what found no room at the left."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.setMouseTracking(True)
        self._theme = theme
        self.legend: Bar | None = None
        self.folded = ""
        self._told = QRectF()  # where the colours and what they are of stand

    def sizeHint(self) -> QSize:
        return QSize(400, _HEIGHT)

    def set_theme(self, theme: Theme) -> None:
        """Use other colours."""
        self._theme = theme
        self.update()

    def tell(self, legend: Bar | None, means: str, folded: tuple[str, ...]) -> None:
        """Show this scale, and what it `means`, and say which charts of runs are folded away."""
        self.legend, self.folded = legend, f"Folded, for room: {', '.join(folded)}" if folded else ""
        why = "View, Show: which charts there are, and whether they fold where room is short"
        about_room = f"{self.folded}\n{why}" if folded else ""
        told = [part for part in (about_room, means if legend is not None else "") if part]
        self.setToolTip(tip("\n\n".join(told)) if told else "")
        self.setAccessibleName(self.folded or "Colours of heatmaps")
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, theme = QPainter(self), self._theme
        room = QRectF(self.rect()).adjusted(8, 0, -RIGHT, 0)
        painter.setFont(tick_font(self.font()))
        painter.setPen(QColor(theme.faint))
        painter.drawText(room, Qt.AlignmentFlag.AlignLeft | _LINE, self.folded)
        taken = QFontMetricsF(painter.font()).horizontalAdvance(self.folded) + 20 if self.folded else 0.0
        self._told = QRectF()
        if self.legend is None:
            return
        left = paint_legend(painter, room.adjusted(taken, 0, 0, 0), self.legend, theme)
        painter.setFont(tick_font(title_font(self.font())))
        painter.setPen(QColor(theme.text))
        before = QRectF(room.left() + taken, 0, left - room.left() - taken - 12, room.height())
        words = "Violated expected end times", "Violated EETs"
        metrics = QFontMetricsF(painter.font())
        said = next((word for word in words if metrics.horizontalAdvance(word) <= before.width()), "")
        painter.drawText(before, Qt.AlignmentFlag.AlignRight | _LINE, said)
        begin = before.right() - metrics.horizontalAdvance(said)
        baseline = round(before.center().y() + (metrics.ascent() - metrics.descent()) / 2)
        paint_dots(painter, round(begin), round(before.right()), baseline, QColor(theme.faint))
        self._told = QRectF(begin, 0, room.right() - begin, self.height())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        told = self._told.contains(event.position())
        self.setCursor(Qt.CursorShape.WhatsThisCursor if told else Qt.CursorShape.ArrowCursor)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Explain what the colours are of."""
        if self._told.contains(event.position()):
            explain("eet", self.mapToGlobal(QPoint(round(self._told.left()), self.height())), self)
