"""The line over the surface of a sweep: the metric, the two keys, and what the colours mean."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from engine.policy.phrases import key_title
from views.data.sweep_cells import COLOURS, SweepCells
from views.text.metrics import format_value
from views.theme.fonts import tick_font, title_font
from views.theme.theme import Theme
from views.timechart.legend import Bar, paint_legend

_HEIGHT = 28
_EDGE = 8.0
_BAR = 330.0
"""Pixels reserved for the colours."""

_LINE = Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine


class GridHeading(QWidget):
    """A title at the left, a bar of colours at the right."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._theme = theme
        self._cells: SweepCells | None = None

    def set_theme(self, theme: Theme) -> None:
        """Use other colours."""
        self._theme = theme
        self.update()

    def show_cells(self, cells: SweepCells | None) -> None:
        """Say what is shown of these."""
        self._cells = cells
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(240, _HEIGHT)

    def paintEvent(self, event: QPaintEvent) -> None:
        cells = self._cells
        if cells is None:
            return
        painter, room = QPainter(self), QRectF(self.rect()).adjusted(_EDGE, 0, -_EDGE, 0)
        small = QFontMetricsF(tick_font(self.font()))
        down, across = (
            f"{key_title(axis.key)} ({axis.key})" for axis in (cells.grid.rows, cells.grid.columns)
        )
        keys = f"{down} down, {across} across"
        painter.setFont(title_font(self.font()))
        painter.setPen(QColor(self._theme.text))
        # The bar of colours has priority over the keys, and the title gives way to it.
        longest = room.width() - (_BAR if cells.ends is not None else 0.0)
        title = painter.fontMetrics().elidedText(cells.title, Qt.TextElideMode.ElideRight, round(longest))
        painter.drawText(room, _LINE, title)
        room.setLeft(room.left() + painter.fontMetrics().horizontalAdvance(title) + 16)
        painter.setFont(tick_font(self.font()))
        taken = small.horizontalAdvance(keys) + 16
        if room.width() - taken >= (_BAR if cells.ends is not None else 0.0):
            painter.setPen(QColor(self._theme.faint))
            painter.drawText(room, _LINE, keys)
            room.setLeft(room.left() + taken)
        if cells.ends is not None:
            first, last = (format_value(cells.metric, value) for value in cells.ends)
            bar = Bar(COLOURS, ((0.0, first), (1.0, last)), "worst to best")
            paint_legend(painter, room, bar, self._theme)
