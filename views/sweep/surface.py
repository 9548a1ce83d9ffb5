"""The surface of a sweep: a cell for each pair of values, with the metric as its colour and in figures."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QToolTip, QWidget

from engine.sweep.grid import Grid
from views.data.sweep_cells import COLOURS, Cells
from views.text.metrics import spell_value
from views.text.tooltips import show_tip
from views.theme.palette import text_on
from views.theme.theme import Theme, tick_font, title_font
from views.timechart.legend import Bar, paint_legend

EMPTY = "A sweep simulates every combination of two keys of a policy.\nChoose them above and press Sweep."
_LEFT, _TOP, _RIGHT = 64.0, 30.0, 10.0
_BAR = 330.0
"""Pixels that are kept beside the title for the colour bar."""

_STEPS = {Qt.Key.Key_Left: (0, -1), Qt.Key.Key_Right: (0, 1), Qt.Key.Key_Up: (-1, 0), Qt.Key.Key_Down: (1, 0)}
_CENTRE = Qt.AlignmentFlag.AlignCenter


class Surface(QWidget):
    """`chosen` carries the place of the cell that was clicked, or on which Enter was pressed."""

    chosen = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumSize(240, 110)
        self.setAccessibleName("Surface of the sweep")
        self._theme = theme
        self.cells: Cells | None = None
        self._at = (0, 0)  # row and column that keys have chosen

    def set_theme(self, theme: Theme) -> None:
        """Use other colours."""
        self._theme = theme
        self.update()

    def show_cells(self, cells: Cells | None) -> None:
        """Show what is known so far."""
        if cells is None or cells.grid is not self._grid:
            self._at = (0, 0)
        self.cells = cells
        best = cells.best if cells is not None else None
        self.setAccessibleDescription(cells.describe(best) if cells is not None and best is not None else "")
        self.update()

    @property
    def _grid(self) -> Grid | None:
        return self.cells.grid if self.cells is not None else None

    def cell(self, row: int, column: int) -> QRectF:
        """Where a cell lies."""
        assert self._grid is not None
        plot = self._plot()
        wide = plot.width() / len(self._grid.columns.values)
        tall = plot.height() / len(self._grid.rows.values)
        return QRectF(plot.left() + column * wide, plot.top() + row * tall, wide, tall)

    def tooltip_at(self, place: QPointF) -> str:
        """The policy there, its value, and how far it is from the best one."""
        found = self._found(place)
        if found is None or self.cells is None:
            return ""
        return f"{self.cells.describe(found)}\n\nClick to add it as a run"

    def _found(self, place: QPointF) -> int | None:
        """The place in the grid of the cell there."""
        plot = self._plot()
        if self._grid is None or not plot.contains(place):
            return None
        rows, columns = len(self._grid.rows.values), len(self._grid.columns.values)
        row = int((place.y() - plot.top()) / plot.height() * rows)
        column = int((place.x() - plot.left()) / plot.width() * columns)
        return self._grid.place(min(row, rows - 1), min(column, columns - 1))

    def _plot(self) -> QRectF:
        line = QFontMetricsF(tick_font(self.font())).height()
        tall = max(self.height() - _TOP - 2 * line - 8, 20.0)
        return QRectF(_LEFT, _TOP, max(self.width() - _LEFT - _RIGHT, 20.0), tall)

    def paintEvent(self, event: QPaintEvent) -> None:
        """The cells, names at their edges, a colour bar, and frames around the best one and the worst."""
        painter, cells = QPainter(self), self.cells
        painter.setPen(QColor(self._theme.text))
        painter.setFont(title_font(self.font()))
        if cells is None:
            painter.setFont(self.font())
            painter.setPen(QColor(self._theme.faint))
            painter.drawText(self.rect(), _CENTRE, EMPTY)
            return
        longest = self.width() - 8 - _BAR
        title = painter.fontMetrics().elidedText(cells.title, Qt.TextElideMode.ElideRight, round(longest))
        painter.drawText(QPointF(8, painter.fontMetrics().ascent() + 6), title)
        taken = painter.fontMetrics().horizontalAdvance(title) + 24
        painter.setFont(tick_font(self.font()))
        self._paint_bar(painter, cells, taken)
        self._paint_names(painter, cells.grid)
        columns = len(cells.grid.columns.values)
        for place in range(len(cells.grid.policies)):
            self._paint_cell(painter, cells, place, self.cell(*divmod(place, columns)))
        for marked, style in ((cells.worst, Qt.PenStyle.DotLine), (cells.best, Qt.PenStyle.SolidLine)):
            if marked is not None:
                self._frame(painter, self.cell(*divmod(marked, columns)), self._theme.text, 3.0, style)
        if self.hasFocus():
            self._frame(painter, self.cell(*self._at), self._theme.accent, 2.0)

    def _paint_bar(self, painter: QPainter, cells: Cells, taken: float) -> None:
        if cells.ends is None:
            return
        first, last = (spell_value(cells.metric, value) for value in cells.ends)
        room = QRectF(taken, 0, self.width() - taken - _RIGHT, _TOP - 4)
        bar = Bar(COLOURS, ((0.0, first), (1.0, last)), "worst to best")
        paint_legend(painter, room, bar, self._theme)

    def _paint_names(self, painter: QPainter, grid: Grid) -> None:
        """Values at the left and below, and the names of their keys."""
        line = QFontMetricsF(painter.font()).height()
        plot = self._plot()
        painter.setPen(QColor(self._theme.text))
        for row, text in enumerate(grid.rows.values):
            middle = self.cell(row, 0).center().y()
            room = QRectF(20, middle - line / 2, _LEFT - 26, line)
            painter.drawText(room, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)
        for column, text in enumerate(grid.columns.values):
            cell = self.cell(0, column)
            painter.drawText(QRectF(cell.left(), plot.bottom() + 2, cell.width(), line), _CENTRE, text)
        painter.setPen(QColor(self._theme.faint))
        below = QRectF(plot.left(), plot.bottom() + 2 + line, plot.width(), line)
        painter.drawText(below, _CENTRE, grid.columns.key)
        painter.save()
        painter.translate(4, plot.center().y())
        painter.rotate(-90)
        painter.drawText(QRectF(-plot.height() / 2, 0, plot.height(), line), _CENTRE, grid.rows.key)
        painter.restore()

    def _paint_cell(self, painter: QPainter, cells: Cells, place: int, cell: QRectF) -> None:
        inner = cell.adjusted(1, 1, -1, -1)
        value, text = cells.values.get(place), cells.text(place)
        if value is None:
            painter.fillRect(inner, QColor(self._theme.alternate))
            painter.setPen(QColor(self._theme.faint))
            painter.drawText(inner, _CENTRE, text)
            return
        colour = cells.colour(float(value))
        painter.fillRect(inner, QColor(colour))
        metrics = QFontMetricsF(painter.font())
        if metrics.horizontalAdvance(text) <= inner.width() and metrics.height() <= inner.height() + 2:
            painter.setPen(QColor(text_on(colour)))
            painter.drawText(inner, _CENTRE, text)

    def _frame(
        self,
        painter: QPainter,
        cell: QRectF,
        colour: str,
        thick: float,
        style: Qt.PenStyle = Qt.PenStyle.SolidLine,
    ) -> None:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(colour), thick, style))
        painter.drawRect(cell.adjusted(thick / 2, thick / 2, -thick / 2, -thick / 2))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Say what lies there."""
        show_tip(event, self.tooltip_at(event.position()), self)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Choose the cell there."""
        found = self._found(event.position())
        if event.button() == Qt.MouseButton.LeftButton and found is not None and self._grid is not None:
            self._at = divmod(found, len(self._grid.columns.values))
            self.update()
            self.chosen.emit(found)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrows move among the cells, Enter chooses one."""
        step = _STEPS.get(Qt.Key(event.key()))
        if self._grid is None or (step is None and event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter)):
            super().keyPressEvent(event)
        elif step is None:
            self.chosen.emit(self._grid.place(*self._at))
        else:
            most = len(self._grid.rows.values) - 1, len(self._grid.columns.values) - 1
            row, column = (min(max(a + b, 0), m) for a, b, m in zip(self._at, step, most, strict=True))
            self._at = row, column
            self.update()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show which cell keys mean."""
        self.update()
        super().focusInEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Keys go elsewhere."""
        self.update()
        super().focusOutEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        """The mouse is elsewhere."""
        QToolTip.hideText()
        super().leaveEvent(event)
