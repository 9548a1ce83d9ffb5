"""A line over the charts of all runs: the common legend of their colours, and the folded charts."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QHelpEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QToolTip, QWidget

from views.data.gantt.colours import COLOUR_NAMES
from views.gantt.chart import GanttChart
from views.gantt.legend_mouse import LegendMouse
from views.state.filter import FilterModel
from views.state.selection import SelectionModel
from views.text.tooltips import as_tip, tip
from views.theme.fonts import tick_font, title_font
from views.theme.theme import Theme
from views.timechart.frame import RIGHT
from views.timechart.legend import Bar, paint_legend, swatches_width
from views.widgets.explanation import explain, paint_dots

_HEIGHT, _APART = 20, 12.0
_FOLDED = 0.6
"""The names of hidden charts take at most this share of the width beside the legend of the Gantt charts."""

_LINE = Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine


class LegendLine(QWidget):
    """Line with the scale of the heatmaps at the right, and what found no room at the left.

    Between them is the legend of the Gantt charts, and does what it does over a chart.
    """

    def __init__(self, theme: Theme, models: tuple[FilterModel, SelectionModel], parent: QWidget) -> None:
        super().__init__(parent)
        self.gantt: GanttChart | None = None  # the first chart whose legend is shown here
        self._swatches: QRectF | None = None  # its rectangle
        self._mouse = LegendMouse(
            self,
            models,
            lambda: self.gantt.legend if self.gantt is not None else None,
            lambda: self._swatches,
            lambda: self.gantt.entries if self.gantt is not None else None,
        )
        self.setMouseTracking(True)
        self._theme = theme
        self._painted: object = None  # what the painted line depends on
        self.legend: Bar | None = None
        self.folded = ""
        self._scale_area = QRectF()  # rectangle of the colours and their title

    def sizeHint(self) -> QSize:
        return QSize(400, _HEIGHT)

    def set_theme(self, theme: Theme) -> None:
        """Use other colours."""
        self._theme = theme
        self.update()

    def show_legend(self, legend: Bar | None, means: str, folded: tuple[str, ...]) -> None:
        """Show this scale, and what it `means`, and say which charts of runs are folded away."""
        self.legend, self.folded = legend, f"Hidden to save space: {', '.join(folded)}" if folded else ""
        why = "View › Show chooses the charts, and whether they fold where room is short"
        about_room = f"{self.folded}\n{why}" if folded else ""
        lines = [part for part in (about_room, means if legend is not None else "") if part]
        self.setToolTip(tip("\n\n".join(lines)) if lines else "")
        self.setAccessibleName(self.folded or "Colours of heatmaps")
        self._follow()

    def share(self, gantt: GanttChart | None) -> None:
        """Show the common legend of all Gantt charts; None: each chart has its own."""
        self.gantt = gantt
        self._follow()

    def _follow(self) -> None:
        """Paint it anew if it would look different."""
        bar, gantt = self.legend, self.gantt
        scale = None if bar is None else (id(bar.colours), bar.marks, bar.title, bar.short_titles)
        mode = gantt.entries.mode if gantt is not None and gantt.entries is not None else None
        now = scale, self.folded, mode, gantt.legend if gantt is not None else None
        if now != self._painted:
            self._painted = now
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, theme = QPainter(self), self._theme
        room = QRectF(self.rect()).adjusted(8, 0, -RIGHT, 0)
        painter.setFont(tick_font(self.font()))
        painter.setPen(QColor(theme.faint))
        swatches = self.gantt.legend if self.gantt is not None else None
        metrics = QFontMetricsF(painter.font())
        # What is folded may take a part of the line beside a legend, and all of it alone.
        share = room.width() * (1.0 if swatches is None else _FOLDED)
        folded = metrics.elidedText(self.folded, Qt.TextElideMode.ElideRight, share)
        painter.drawText(room, Qt.AlignmentFlag.AlignLeft | _LINE, folded)
        taken = metrics.horizontalAdvance(folded) + 20 if folded else 0.0
        rest, advance = room.adjusted(taken, 0, 0, 0), metrics.horizontalAdvance
        bold = QFontMetricsF(tick_font(title_font(self.font())))
        name = COLOUR_NAMES[self.gantt.entries.mode] if self.gantt is not None and self.gantt.entries else ""
        named = bold.horizontalAdvance(name) + _APART
        # The scale is painted first, at the right, with the room that the legend of colours leaves to it, at
        # least half; the legend then has what the scale did not take.
        wanted = named + swatches_width(swatches, advance) + 2 * _APART if swatches is not None else 0.0
        self._scale_area = self._paint_scale(painter, rest.adjusted(min(wanted, rest.width() / 2), 0, 0, 0))
        self._swatches = None
        if swatches is not None:
            right = self._scale_area.left() - _APART if self._scale_area.width() else room.right()
            begin = room.left() + taken + named
            self._swatches = QRectF(begin, 0, right - begin, room.height())
            painter.setFont(tick_font(self.font()))
            left = paint_legend(painter, self._swatches, swatches, theme)
            painter.setFont(tick_font(title_font(self.font())))
            painter.setPen(QColor(theme.text))
            # The name of the colours stands before the first swatch, which the legend chose by its own width.
            painter.drawText(QRectF(left - named, 0, named, room.height()), _LINE, name)

    def _paint_scale(self, painter: QPainter, room: QRectF) -> QRectF:
        """Paint the scale of the heatmaps and its title; returns the places of both."""
        theme = self._theme
        if self.legend is None:
            return QRectF()
        words = "Violated expected end times", "Violated EETs"
        metrics = QFontMetricsF(tick_font(title_font(self.font())))
        # The short title always has its room: a scale without any title would not be understood.
        least = metrics.horizontalAdvance(words[-1]) + _APART
        left = paint_legend(painter, room.adjusted(least, 0, 0, 0), self.legend, theme)
        painter.setFont(tick_font(title_font(self.font())))
        painter.setPen(QColor(theme.text))
        before = QRectF(room.left(), 0, left - room.left() - _APART, room.height())
        # The longest wording that fits before the scale.
        words_that_fit = next(
            (word for word in words if metrics.horizontalAdvance(word) <= before.width()), ""
        )
        painter.drawText(before, Qt.AlignmentFlag.AlignRight | _LINE, words_that_fit)
        begin = before.right() - metrics.horizontalAdvance(words_that_fit)
        baseline = round(before.center().y() + (metrics.ascent() - metrics.descent()) / 2)
        paint_dots(painter, round(begin), round(before.right()), baseline, QColor(theme.faint))
        return QRectF(begin, 0, room.right() - begin, self.height())

    def tooltip_at(self, position: QPointF) -> str:
        """Explain the entry of the Gantt charts' legend at the position; empty: none."""
        return self._mouse.tooltip_at(position)

    def event(self, event: QEvent) -> bool:
        """Show the tooltip of a legend entry, otherwise of the line."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            text = self.tooltip_at(QPointF(event.pos()))
            if text:
                QToolTip.showText(event.globalPos(), as_tip(text), self)
                return True
        return super().event(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        inside = self._scale_area.contains(event.position())
        shape = Qt.CursorShape.WhatsThisCursor if inside else Qt.CursorShape.ArrowCursor
        if self._mouse.entry_at(event.position()) is not None:
            shape = Qt.CursorShape.PointingHandCursor
        self.setCursor(shape)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self._mouse.double_click(event.position())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Filter by an entry, or explain what the colours of heatmaps are of."""
        if event.button() != Qt.MouseButton.LeftButton:
            return
        toggle = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        if self._mouse.click(event.position(), toggle):
            return
        if self._scale_area.contains(event.position()):
            explain("eet", self.mapToGlobal(QPoint(round(self._scale_area.left()), self.height())), self)
