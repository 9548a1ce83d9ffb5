"""Who won and who lost: a row a user, with bars, sorted either way."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from views.change import class_colours
from views.comparison import Comparison
from views.difference.users_model import BAR, ChangesModel, Index
from views.selection import SelectionModel
from views.style import Theme
from views.tables.picked import PickedItems, RowsView

_WIDEST_NAME = 160
_STRENGTH = 90  # opacity of a bar, so that the number on it is read


class UserChanges(RowsView):
    """One row a user; a click selects the user everywhere, and a selection made elsewhere is shown."""

    def __init__(self, selection: SelectionModel, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._selection = selection
        self.changes = ChangesModel()
        self.setModel(self.changes)
        self._bars = _Bars(theme, self)
        self.setItemDelegate(self._bars)
        self.setAccessibleName("Hours of waiting won and lost by user")
        self._set_up()
        self._picked = PickedItems(self, self.changes)
        self._picked.picked.connect(lambda: selection.select_users(self._picked.items.tolist()))
        self.changes.modelReset.connect(self._picked.renew)
        selection.changed.connect(self._show_selection)

    def set_theme(self, theme: Theme) -> None:
        """Use other colours."""
        self._bars.set_theme(theme)
        self.viewport().update()

    def set_comparison(self, comparison: Comparison | None) -> None:
        """Show the users of this pair of runs; one reads on at the same place."""
        place = self.place
        self.changes.set_comparison(comparison)
        metrics = QFontMetrics(self.font())
        for column in range(self.changes.columnCount()):
            title = str(self.changes.headerData(column, Qt.Orientation.Horizontal))
            widest = metrics.horizontalAdvance(self.changes.longest(column))
            self.setColumnWidth(column, max(metrics.horizontalAdvance(title) + 26, widest + 14))
        self.go_to(*place)

    def _set_up(self) -> None:
        self.setShowGrid(False)
        self.setAlternatingRowColors(True)
        self.setWordWrap(False)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setCornerButtonEnabled(False)
        names, heads = self.verticalHeader(), self.horizontalHeader()
        for header in (names, heads):
            header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
            header.setSectionsClickable(True)
        heads.setHighlightSections(False)
        names.setMaximumWidth(_WIDEST_NAME)
        names.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        names.setMinimumSectionSize(10)
        names.setDefaultSectionSize(QFontMetrics(self.font()).height() + 7)
        heads.setSortIndicator(0, Qt.SortOrder.DescendingOrder)
        self.setSortingEnabled(True)
        heads.sortIndicatorChanged.connect(self.scrollToTop)  # after it was sorted

    def _show_selection(self) -> None:
        """Light up the rows of the selected users, and bring the first into view."""
        self._picked.show(np.array(sorted(self._selection.value.users), np.int64))


class _Bars(QStyledItemDelegate):
    """Behind a number its bar: blue from the middle to the right is won, orange to the left is lost."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        """Use other colours."""
        colours = class_colours(theme.dark)
        self._won, self._lost = QColor(colours[2]), QColor(colours[6])
        for colour in (self._won, self._lost):
            colour.setAlpha(_STRENGTH)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """The bar, then the cell as ever."""
        share = index.data(BAR)
        if share:
            both = index.column() == 0  # won and lost in one column
            room = QRectF(option.rect).adjusted(2, 2, -2, -2)
            base = room.center().x() if both else room.left()
            width = abs(share) * (room.width() / 2 if both else room.width())
            left = base if share > 0 or not both else base - width
            bar = QRectF(left, room.top(), width, room.height())
            painter.fillRect(bar, self._won if share > 0 else self._lost)
        super().paint(painter, option, index)
