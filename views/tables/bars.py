"""Cells with a bar below the number."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPalette
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from views.tables.model import BAR_ROLE, FAINT_ROLE, LINK_ROLE, TableModel
from views.theme.theme import Theme

BAR = 2
"""Height of a bar in pixels."""


_FRAMED = QStyle.StateFlag.State_Selected | QStyle.StateFlag.State_HasFocus | QStyle.StateFlag.State_MouseOver
"""States of a cell in which the style paints more than its text."""

_MARGIN = 3
"""Pixels from the edge of a cell to its text, as in the style."""


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
            self._fill(p, option, share, index.column(), bool(index.data(FAINT_ROLE)))
        super().paint(p, option, index)

    def _fill(
        self, p: QPainter, option: QStyleOptionViewItem, share: float, column: int, faint: bool
    ) -> None:
        """Paint the bar of a share."""
        bar, colour_name = self.bar(QRectF(option.rect).adjusted(3, 3, -3, -3), share, column)
        colour = QColor(colour_name)
        colour.setAlpha(self.weak if faint else self.strong)
        p.fillRect(bar, colour)

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
        self._colour(option, bool(index.data(LINK_ROLE)), bool(index.data(FAINT_ROLE)))

    def _colour(self, option: QStyleOptionViewItem, linked: bool, faint: bool) -> None:
        """Give the text of a cell its colour."""
        if linked and not option.state & QStyle.StateFlag.State_Selected:
            option.palette.setColor(QPalette.ColorRole.Text, QColor(self.theme.link))
        if faint:
            option.palette.setColor(QPalette.ColorRole.Text, QColor(self.theme.faint))


class TableCells(BarCells):
    """Delegate of a `TableModel` that reads each cell at once, and writes plain text itself.

    Qt asks for a cell by role, eleven times, and lays its text out: to paint a page of cells so took twice
    as long.
    """

    def __init__(self, theme: Theme, view: QWidget, model: TableModel) -> None:
        super().__init__(theme, view)
        self._model, self._view = model, view

    def paint(
        self, p: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """The same pixels as by role."""
        number = index.column()
        column, item = self._model.content.columns[number], int(self._model.rows[index.row()])
        faint, selected = self._model.is_faint(item), option.state & QStyle.StateFlag.State_Selected
        share = None if selected else column.share(item)
        if share is not None:
            self._fill(p, option, share, number, faint)
        self._colour(option, column.linked, faint)
        text, alignment = column.format(item), self._model.alignment(column)
        # Selected, focused or hovered cells are left to the style: only it knows how they look on this
        # system.
        if option.state & _FRAMED:
            option.text, option.displayAlignment = text, alignment
            option.features = QStyleOptionViewItem.ViewItemFeature.HasDisplay
            option.textElideMode = Qt.TextElideMode.ElideRight
            self._view.style().drawControl(QStyle.ControlElement.CE_ItemViewItem, option, p, self._view)
            return
        # Plain cells are painted by hand: the style lays the text of each out anew, which takes most of the
        # time of scrolling.
        metrics, rect = option.fontMetrics, option.rect
        top = rect.top() + rect.height() // 2 - metrics.height() // 2
        room = QRect(rect.left() + _MARGIN, top, rect.width() - 2 * _MARGIN, metrics.height())
        p.setPen(option.palette.color(QPalette.ColorRole.Text))
        if metrics.horizontalAdvance(text) > room.width():
            text = metrics.elidedText(text, Qt.TextElideMode.ElideRight, room.width())
        p.drawText(room, alignment, text)
