"""The surface of a sweep: a cell for each pair of values, with the metric as its colour and in figures."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QEvent,
    QModelIndex,
    QPersistentModelIndex,
    QPointF,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QFocusEvent, QKeyEvent, QMouseEvent, QPainter, QPalette, QPen
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QToolTip,
    QWidget,
)

from views.data.sweep_cells import SweepCells
from views.text.tooltips import show_tip, tip
from views.theme.fonts import tick_font
from views.theme.palette import text_on
from views.theme.theme import Theme

_SMALLEST = (240, 110)  # pixels
_NARROWEST = 4
"""Pixels of a row or column: all of a grid is seen, whatever its size."""

_CENTRE = Qt.AlignmentFlag.AlignCenter
Index = QModelIndex | QPersistentModelIndex


class GridModel(QAbstractTableModel):
    """The cells of a sweep as a table of text, with the values of the two keys as headings."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.cells: SweepCells | None = None

    def show_cells(self, cells: SweepCells | None) -> None:
        """Show what is known so far."""
        if (self.cells and self.cells.grid) is not (cells and cells.grid):
            self.beginResetModel()
            self.cells = cells
            self.endResetModel()
        elif cells is not None:
            self.cells = cells
            self.dataChanged.emit(self.index(0, 0), self.index(self.rowCount() - 1, self.columnCount() - 1))

    def rowCount(self, parent: Index | None = None) -> int:
        return len(self.cells.grid.rows.values) if self.cells is not None else 0

    def columnCount(self, parent: Index | None = None) -> int:
        return len(self.cells.grid.columns.values) if self.cells is not None else 0

    def cell_at(self, index: Index) -> int:
        """The index of a cell among the policies of the grid."""
        assert self.cells is not None
        return self.cells.grid.index(index.row(), index.column())

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Text, colour and words of a cell; a cell that is not simulated yet has no colour."""
        if self.cells is None or not index.isValid():
            return None
        cell = self.cell_at(index)
        if role == Qt.ItemDataRole.DisplayRole:
            return self.cells.text(cell)
        if role == Qt.ItemDataRole.BackgroundRole:
            value = self.cells.values.get(cell)
            return None if value is None else QColor(self.cells.colour(float(value)))
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return self.cells.describe(cell)
        return tip(self.explain(index)) if role == Qt.ItemDataRole.ToolTipRole else None

    def explain(self, index: Index) -> str:
        """The policy of a cell, its value, its distance from the best cell, and the effect of a click."""
        assert self.cells is not None
        return f"{self.cells.describe(self.cell_at(index))}\n\nClick to add it as a run"

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if self.cells is None:
            return None
        grid = self.cells.grid
        axis = grid.columns if orientation == Qt.Orientation.Horizontal else grid.rows
        if role == Qt.ItemDataRole.DisplayRole:
            return axis.values[section]
        return f"{axis.key}={axis.values[section]}" if role == Qt.ItemDataRole.ToolTipRole else None


class CellDelegate(QStyledItemDelegate):
    """Paints a cell: its colour, text where that fits, frames around the best, the worst and the current."""

    def __init__(self, theme: Theme, view: QTableView) -> None:
        super().__init__(view)
        self.theme, self._view = theme, view

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """The current cell is framed while the table has the keys."""
        model = index.model()
        assert isinstance(model, GridModel)
        assert model.cells is not None
        cells, cell = model.cells, model.cell_at(index)
        colour, text = index.data(Qt.ItemDataRole.BackgroundRole), str(index.data())
        inner = option.rect.adjusted(1, 1, -1, -1)
        # A pixel around each cell stays free, which separates cells without lines of a grid.
        painter.fillRect(inner, colour or QColor(self.theme.alternate))
        painter.setFont(tick_font(self._view.font()))
        metrics = painter.fontMetrics()
        # Where the text does not fit, the colour alone tells the value; the tip has the number.
        if metrics.horizontalAdvance(text) <= inner.width() and metrics.height() <= inner.height() + 2:
            painter.setPen(QColor(text_on(colour.name()) if colour else self.theme.faint))
            painter.drawText(inner, _CENTRE, text)
        # The best is framed after the worst: with a single cell it is both.
        for marked, style in ((cells.worst, Qt.PenStyle.DotLine), (cells.best, Qt.PenStyle.SolidLine)):
            if marked == cell:
                self._frame(painter, option, self.theme.text, 3, style)
        if self._view.hasFocus() and index == self._view.currentIndex():
            self._frame(painter, option, self.theme.accent, 2, Qt.PenStyle.SolidLine)

    def _frame(
        self, painter: QPainter, option: QStyleOptionViewItem, colour: str, thick: int, style: Qt.PenStyle
    ) -> None:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(colour), thick, style))
        half = thick / 2
        painter.drawRect(option.rect.toRectF().adjusted(half, half, -half, -half))


class SweepGrid(QTableView):
    """All cells at once. `chosen` carries the index of the cell that was clicked, or where Enter was pressed.

    Arrows move among the cells.
    """

    chosen = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setMinimumSize(*_SMALLEST)
        self.setAccessibleName("Cells of the sweep")
        self.cells_model = GridModel(self)
        self._delegate = CellDelegate(theme, self)
        self.setModel(self.cells_model)
        self.setItemDelegate(self._delegate)
        # Cells answer to the mouse, but nothing is selected or edited: a click opens the run of a cell.
        self.setMouseTracking(True)
        self.setShowGrid(False)
        self.setFrameShape(QTableView.Shape.NoFrame)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setTabKeyNavigation(False)
        self.setCornerButtonEnabled(False)
        # Cells share all the room and never scroll: a surface is understood as a whole.
        for header in (self.horizontalHeader(), self.verticalHeader()):
            header.setMinimumSectionSize(_NARROWEST)
            header.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
            header.setDefaultAlignment(_CENTRE)
            header.setHighlightSections(False)
        for axis in (self.setHorizontalScrollBarPolicy, self.setVerticalScrollBarPolicy):
            axis(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.clicked.connect(lambda index: self.chosen.emit(self.cells_model.cell_at(index)))
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        """Use other colours."""
        self._delegate.theme = theme
        palette = self.palette()
        palette.setColor(QPalette.ColorRole.Base, QColor(theme.window))
        self.setPalette(palette)
        self.viewport().update()

    def show_cells(self, cells: SweepCells | None) -> None:
        """Show what is known so far."""
        self.cells_model.show_cells(cells)
        # The arrows need a cell to begin at.
        if cells is not None and not self.currentIndex().isValid():
            self.setCurrentIndex(self.cells_model.index(0, 0))
        best = cells.best if cells is not None else None
        self.setAccessibleDescription(cells.describe(best) if cells is not None and best is not None else "")

    def tooltip_at(self, position: QPointF) -> str:
        """Describe the cell at a position in the viewport; empty if there is none."""
        index = self.indexAt(position.toPoint())
        return self.cells_model.explain(index) if index.isValid() else ""

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        show_tip(event, self.tooltip_at(event.position()), self)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self.chosen.emit(self.cells_model.cell_at(self.currentIndex()))
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        # The frame of the current cell comes and goes with the keys, which Qt does not know of.
        super().focusInEvent(event)
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.viewport().update()

    def leaveEvent(self, event: QEvent) -> None:
        QToolTip.hideText()
        super().leaveEvent(event)
