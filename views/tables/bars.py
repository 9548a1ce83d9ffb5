"""Cells with a bar below the number."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPalette
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from views.tables.model import BAR_ROLE, FAINT_ROLE, LINK_ROLE
from views.theme.theme import Theme

BAR = 2
"""Height of a bar in pixels."""


class BarCells(QStyledItemDelegate):
    """Delegate that draws cells with a bar as long as the value, below the text: no bar's end crosses it."""

    strong, weak = 200, 80  # opacity of a bar, of 255, and in rows that are drawn back

    def __init__(self, theme: Theme, view: QWidget) -> None:
        super().__init__(view)
        self.theme = theme

    def paint(
        self, p: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """The bar, then the text; of a selected cell the text alone."""
        share = index.data(BAR_ROLE)
        if share is not None and not option.state & QStyle.StateFlag.State_Selected:
            bar, colour_name = self.bar(QRectF(option.rect).adjusted(3, 3, -3, -3), share, index.column())
            colour = QColor(colour_name)
            colour.setAlpha(self.weak if index.data(FAINT_ROLE) else self.strong)
            p.fillRect(bar, colour)
        super().paint(p, option, index)

    def bar(self, room: QRectF, share: float, column: int) -> tuple[QRectF, str]:
        """The rectangle of the bar of a share in its cell, and its colour; it starts at the right, where
        numbers are.
        """
        return room.adjusted(room.width() * (1 - share), room.height() - BAR, 0, BAR - 1), self.theme.cpu

    def initStyleOption(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Rows that are drawn back are written in the colour of secondary text."""
        super().initStyleOption(option, index)
        option.textElideMode = Qt.TextElideMode.ElideRight
        if index.data(LINK_ROLE) and not option.state & QStyle.StateFlag.State_Selected:
            option.palette.setColor(QPalette.ColorRole.Text, QColor(self.theme.link))
        if index.data(FAINT_ROLE):
            option.palette.setColor(QPalette.ColorRole.Text, QColor(self.theme.faint))
