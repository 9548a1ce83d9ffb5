"""The surface of a sweep: a cell for each pair of values, with the metric as its colour and in figures."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt, Signal
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

from engine.metrics.catalog import METRICS, Metric
from engine.metrics.compare import change
from engine.sweep.grid import Grid
from views.format import signed_percent
from views.legend import Bar, paint_legend
from views.metric_words import Value, spell_label, spell_value
from views.palette import WAIT, gradient, spelled, text_on
from views.style import Theme, tick_font, title_font
from views.tips import tip

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
        self._grid: Grid | None = None
        self._values: dict[int, Value] = {}
        self._measured = ""
        self._metric: Metric = METRICS["wait_mean"]
        self._at = (0, 0)  # row and column that keys have chosen
        self._colours = gradient(WAIT[::-1])

    def set_theme(self, theme: Theme) -> None:
        """Use other colours."""
        self._theme = theme
        self.update()

    def show_values(
        self, grid: Grid | None, metric: Metric, values: Mapping[int, Value], measured: str = ""
    ) -> None:
        """Show a metric of the cells that are known so far, by their places in the grid.

        `measured` says of which jobs, where that is not all.
        """
        if grid is not self._grid:
            self._at = (0, 0)
        self._grid, self._metric, self._values = grid, metric, dict(values)
        self._measured = measured
        self.setAccessibleDescription(self._told(self.best) if self.best is not None else "")
        self.update()

    @property
    def best(self) -> int | None:
        """The place of the best cell so far; of equal ones the first; None where none is better."""
        known = {place: value for place, value in sorted(self._values.items()) if value is not None}
        if not known or self._metric.better is None or len(set(known.values())) < 2:
            return None
        pick = min if self._metric.better == "lower" else max
        return pick(known, key=lambda place: known[place])

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
        return "" if found is None else self._told(found)

    def _told(self, place: int) -> str:
        assert self._grid is not None
        name = self._grid.policies[place].spelling
        if place not in self._values:
            return f"{name}\nnot simulated yet"
        value = self._values[place]
        lines = [name, f"{spell_label(self._metric)}: {spell_value(self._metric, value)}"]
        best = self._values[self.best] if self.best is not None else None
        if place == self.best:
            lines.append("the best cell")
        elif value is not None and best:
            percent = change(value, best)
            lines.append(f"{signed_percent(percent)} against the best cell")
        return "\n".join([*lines, "", "Click to add it as a run"])

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

    def _range(self) -> tuple[float, float]:
        known = [float(value) for value in self._values.values() if value is not None]
        return (min(known), max(known)) if known else (0.0, 0.0)

    def _colour(self, value: float) -> str:
        """Better values are darker, whichever way is better."""
        low, high = self._range()
        share = (value - low) / (high - low) if high > low else 1.0
        if self._metric.better == "lower" and high > low:
            share = 1 - share
        return spelled(int(self._colours[round(share * (len(self._colours) - 1))]))

    def paintEvent(self, event: QPaintEvent) -> None:
        """The cells, names at their edges, a colour bar, and a frame around the best one."""
        painter = QPainter(self)
        painter.setPen(QColor(self._theme.text))
        painter.setFont(title_font(self.font()))
        if self._grid is None:
            painter.setFont(self.font())
            painter.setPen(QColor(self._theme.faint))
            painter.drawText(self.rect(), _CENTRE, EMPTY)
            return
        title = spell_label(self._metric) + (f", {self._measured}" if self._measured else "")
        longest = self.width() - 8 - _BAR
        title = painter.fontMetrics().elidedText(title, Qt.TextElideMode.ElideRight, round(longest))
        painter.drawText(QPointF(8, painter.fontMetrics().ascent() + 6), title)
        taken = painter.fontMetrics().horizontalAdvance(title) + 24
        painter.setFont(tick_font(self.font()))
        self._paint_bar(painter, taken)
        self._paint_names(painter, self._grid)
        for row in range(len(self._grid.rows.values)):
            for column in range(len(self._grid.columns.values)):
                self._paint_cell(painter, self._grid.place(row, column), self.cell(row, column))
        if self.best is not None:
            row, column = divmod(self.best, len(self._grid.columns.values))
            self._frame(painter, self.cell(row, column), self._theme.text, 3.0)
        if self.hasFocus():
            self._frame(painter, self.cell(*self._at), self._theme.accent, 2.0)

    def _paint_bar(self, painter: QPainter, taken: float) -> None:
        low, high = self._range()
        if low == high:
            return
        ends = (low, high) if self._metric.better == "higher" else (high, low)
        first, last = (spell_value(self._metric, value) for value in ends)
        room = QRectF(taken, 0, self.width() - taken - _RIGHT, _TOP - 4)
        better = "" if self._metric.better is None else "worst to best"
        paint_legend(painter, room, Bar(self._colours, ((0.0, first), (1.0, last)), better), self._theme)

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

    def _paint_cell(self, painter: QPainter, place: int, cell: QRectF) -> None:
        inner = cell.adjusted(1, 1, -1, -1)
        value = self._values.get(place)
        if value is None:
            painter.fillRect(inner, QColor(self._theme.alternate))
            painter.setPen(QColor(self._theme.faint))
            painter.drawText(inner, _CENTRE, "–" if place in self._values else "…")
            return
        colour = self._colour(float(value))
        painter.fillRect(inner, QColor(colour))
        metrics, text = QFontMetricsF(painter.font()), spell_value(self._metric, value)
        text = f"★ {text}" if place == self.best else text
        if metrics.horizontalAdvance(text) <= inner.width() and metrics.height() <= inner.height() + 2:
            painter.setPen(QColor(text_on(colour)))
            painter.drawText(inner, _CENTRE, text)

    def _frame(self, painter: QPainter, cell: QRectF, colour: str, thick: float) -> None:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(colour), thick))
        painter.drawRect(cell.adjusted(thick / 2, thick / 2, -thick / 2, -thick / 2))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Say what lies there."""
        text = self.tooltip_at(event.position())
        if text:
            QToolTip.showText(event.globalPosition().toPoint() + QPoint(12, 12), tip(text), self)
        else:
            QToolTip.hideText()

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
