"""The pyqtgraph scene of a plot: axes, layers and marks, under a title. It takes no events.

Its scene is made of a ViewBox and two axes rather than of a PlotItem: each of those brings a form of sixty
hidden widgets, which take 5 ms to make and are polished again with every change of theme.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QStyleOptionGraphicsItem,
    QWidget,
)

from views.data.scales import AxisRange, Categories, ClockScale, Scale
from views.plot.plot import Pick, Plot, PlotWords
from views.plotting.axes import CategoryAxis, ScaleAxis, TimeLineAxis
from views.plotting.items import LayerItems, pen_of, tint_of
from views.plotting.widget_area import WidgetArea
from views.theme.fonts import fitted, tick_font, title_font
from views.theme.theme import Theme
from views.timechart.frame import paint_focus
from views.widgets.explanation import paint_dots

_RIGHT, _TOP = 12, 6
_DIAMOND = 12.0
_RING = 10.0
_SWATCH = 9.0
_CLOSEST = 1e-4
"""The least part of a scale that can be zoomed to; items vanish at extremes."""

_OVER = 1000
"""Marks lie over all layers."""

_UNDER = -1000
"""Axes are under the ViewBox, so that their grid is behind the data."""

_LINE = Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine | Qt.AlignmentFlag.AlignLeft


class Canvas(pg.GraphicsView):
    """Shows a plot. `changed` is sent when the visible part or the size changes."""

    changed = Signal()

    def __init__(self, theme: Theme, font: QFont, parent: QWidget) -> None:
        super().__init__(parent, useOpenGL=False, background=theme.chart)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        # The plot's own widget handles the mouse: pyqtgraph's views would take it first.
        for widget in (self, self.viewport()):
            widget.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._theme, self._font = theme, font
        self._focused = False
        self._plot: Plot | None = None
        self._title = _Title()
        self._left, self._across, self._categories = ScaleAxis("left"), ScaleAxis("bottom"), CategoryAxis()
        self._axes = [self._left, self._across, self._categories]
        self._time: TimeLineAxis | None = None
        self._box = pg.ViewBox(enableMenu=False, enableMouse=False, defaultPadding=0)
        self.layers = LayerItems(self._box)
        self._gaps: list[pg.InfiniteLine] = []
        self._marks = pg.ScatterPlotItem(symbol="d", size=_DIAMOND, antialias=True)
        self._labels: list[pg.TextItem] = []
        self._labelled: object = None  # the texts of the labels, and how they look
        self._ring = pg.ScatterPlotItem(symbol="o", size=_RING, brush=None, antialias=True)
        for item in (self._marks, self._ring):
            # Marks and ring must not count for the range of the plot.
            item.setZValue(_OVER)
            item.hide()
            self._box.addItem(item, ignoreBounds=True)
        self._bottom: ScaleAxis = self._across
        # A layout of pyqtgraph would move its items by itself: they are placed by hand.
        self.setCentralItem(None)
        for item in (self._title, *self._axes, self._box):
            self.addItem(item)
        for axis in self._axes:
            axis.linkToView(self._box)
            axis.setZValue(_UNDER)
        self._categories.hide()
        self._dress()
        self._box.sigRangeChanged.connect(self._range_changed)

    def _dress(self) -> None:
        self.setBackground(self._theme.chart)
        self._title.dress(self._theme, self._font)
        for axis in self._axes:
            axis.dress(self._theme, self._font)
        self._marks.setBrush(QColor(self._theme.text))
        self._marks.setPen(pen_of(self._theme.chart, 1.5))
        self._ring.setPen(pen_of(self._theme.text, 1.6))
        for line in self._gaps:
            line.setPen(pen_of(self._theme.faint, 1.0, dashed=True))

    def set_theme(self, theme: Theme, font: QFont) -> None:
        """Use other colours; layers come in theirs when they are shown next."""
        if (theme, font) != (self._theme, self._font):
            self._theme, self._font = theme, font
            self._dress()
            self._lay_out()

    # What is shown.

    def show_plot(self, plot: Plot, x: AxisRange | None = None, y: AxisRange | None = None) -> None:
        """Show the axes and words of a plot; of it these ranges, by default all."""
        self._title.set_words(plot.words)
        seen = not plot.words.message
        self._choose_bottom(self._axis_of(plot.x))
        self._box.setVisible(seen)
        for axis in (self._left, self._bottom):
            axis.setVisible(seen and plot.has_axes)
        self._plot = plot
        self._left.set_scale(plot.y)
        self._bottom.set_scale(plot.x, plot.words.x_name, plot.words.x_colour)
        self._categories.set_slots(plot.slots)
        # The layout comes before the limits, which depend on the size of the box.
        self._lay_out()
        self._limit(plot)
        whole = self.whole(plot)
        self.show_range(x or whole[0], y or whole[1])
        # Labels depend on the visible range, and may need more room at the left.
        self._make_room()
        self._show_gaps(plot)

    def whole(self, plot: Plot) -> tuple[AxisRange, AxisRange]:
        """The coordinates that are seen when all of a plot is."""
        room = self._box.geometry()
        return plot.full_ranges(room.width(), room.height(), QFontMetricsF(tick_font(self._font)).height())

    def least(self, plot: Plot) -> int:
        """The height that the words of a plot need, in pixels."""
        line = QFontMetricsF(tick_font(self._font)).height()
        bottom = self._bottom.tall(self.width()) if self._has_axes else 0
        return round(plot.least_lines * line + self._title.height + bottom) if plot.least_lines else 0

    def _limit(self, plot: Plot) -> None:
        """Let nothing be seen beyond the plot."""
        (left, right), (low, high) = self.whole(plot)
        self._box.setLimits(
            xMin=left,
            xMax=right,
            yMin=low,
            yMax=high,
            minXRange=_CLOSEST * (right - left),
            minYRange=_CLOSEST * (high - low),
        )

    def _axis_of(self, scale: Scale) -> ScaleAxis:
        """The axis for a horizontal scale; axes of time are rare, so they are created on demand."""
        if isinstance(scale, Categories):
            return self._categories
        if not isinstance(scale, ClockScale):
            return self._across
        if self._time is None:
            self._time = TimeLineAxis()
            self._time.dress(self._theme, self._font)
            self.addItem(self._time)
            self._time.linkToView(self._box)
            self._time.setZValue(_UNDER)
            self._axes.append(self._time)
        return self._time

    def _choose_bottom(self, axis: ScaleAxis) -> None:
        if axis is not self._bottom:
            self._bottom.hide()
            self._bottom = axis

    def _show_gaps(self, plot: Plot) -> None:
        """The breaks between 0 and the values above it."""
        lines = [(at, angle) for at, angle in ((plot.x.gap, 90), (plot.y.gap, 0)) if at is not None]
        # Lines that are there are moved: to remove and add items takes longer than all else here.
        if [angle for _, angle in lines] == [round(item.angle) for item in self._gaps]:
            for item, (at, _) in zip(self._gaps, lines, strict=True):
                item.setValue(at)
            return
        for item in self._gaps:
            self._box.removeItem(item)
        pen = pen_of(self._theme.faint, 1.0, dashed=True)
        self._gaps = [pg.InfiniteLine(at, angle, pen=pen) for at, angle in lines]
        for item in self._gaps:
            item.setZValue(-1)
            self._box.addItem(item, ignoreBounds=True)

    def show_range(self, x: AxisRange, y: AxisRange) -> None:
        """Show these coordinates, within the limits."""
        self._box.setRange(xRange=x, yRange=y, padding=0, disableAutoRange=True)

    def show_marks(self, marks: Sequence[Pick], labelled: bool) -> None:
        """Mark these positions, with their values beside them if the texts do not overlap."""
        self._marks.setVisible(bool(marks))
        if marks:
            self._marks.setData([mark.x for mark in marks], [mark.y for mark in marks])
        texts = [mark for mark in marks if mark.text] if labelled else []
        rooms = [self._label_room(mark) for mark in texts]
        # Values are either all beside their marks or none is: some alone could be taken for others.
        if any(room.intersects(other_room) for room, other_room in combinations(rooms, 2)):
            texts = []
        self._label([mark.text for mark in texts])
        area = self.area()
        for item, room in zip(self._labels, rooms, strict=False):
            item.setPos(area.x_at(room.center().x()), area.y_at(room.center().y()))

    def _label(self, texts: list[str]) -> None:
        """Have labels with these texts; those that are there are kept, since new ones take long."""
        if (texts, self._theme, self._font) == self._labelled:
            return
        self._labelled = texts, self._theme, self._font
        for item in self._labels:
            self._box.removeItem(item)
        self._labels = []
        for text in texts:
            item = pg.TextItem(
                text, self._theme.text, anchor=(0.5, 0.5), fill=tint_of(self._theme.chart, 0.85)
            )
            item.setFont(tick_font(self._font))
            item.setZValue(_OVER + 1)
            self._box.addItem(item, ignoreBounds=True)
            self._labels.append(item)

    def _label_room(self, mark: Pick) -> QRectF:
        """Above the mark, or below it where that would be cut off."""
        area = self.area()
        centre, metrics = area.spot(mark.x, mark.y), QFontMetricsF(tick_font(self._font))
        width, height = metrics.horizontalAdvance(mark.text) + 8, metrics.height()
        # Labels move below their mark at the upper edge, and inwards at the sides.
        top = centre.y() - _DIAMOND / 2 - 2 - height
        if top < area.top:
            top = centre.y() + _DIAMOND / 2 + 2
        left = min(max(centre.x() - width / 2, area.left), area.left + area.width - width)
        return QRectF(left, top, width, height)

    def show_ring(self, spot: tuple[float, float] | None) -> None:
        """Draw a ring around the item under the mouse."""
        self._ring.setVisible(spot is not None)
        if spot is not None:
            self._ring.setData([spot[0]], [spot[1]])

    def show_focus(self, focused: bool) -> None:
        """Frame the plot that the keys go to."""
        self._focused = focused
        self.viewport().update()

    def drawForeground(self, painter: QPainter, rect: QRectF | QRect) -> None:
        if self._focused:
            painter.resetTransform()
            paint_focus(painter, QRectF(self.rect()), self._theme)

    def prepare(self) -> None:
        """Update the positions of all items; an update during painting would repaint the plot."""
        self.scene().prepareForPaint()

    # Where it is shown.

    def area(self) -> WidgetArea:
        """The visible part of the plot, and its position."""
        room = self._box.geometry()
        (left, right), (low, high) = self._box.viewRange()
        x, y = (float(left), float(right)), (float(low), float(high))
        return WidgetArea(
            room.left(), room.top(), room.width(), room.height(), x, y, self.devicePixelRatioF()
        )

    @property
    def head(self) -> int:
        """The lower edge of the title, in pixels from the top."""
        return self._title.height

    def explains(self, position: QPointF) -> bool:
        """True if a title with an explanation is at the position."""
        return self._title.explains(position)

    @property
    def _has_axes(self) -> bool:
        return self._plot is None or self._plot.has_axes

    def _lay_out(self) -> None:
        """Give each part its room, in whole pixels; a layout of Qt would make a hidden widget for itself."""
        whole, head = self.size(), self._title.height
        left, right = (self._left.needed, _RIGHT) if self._has_axes else (0, 0)
        width = max(whole.width() - left - right, 1)
        bottom = self._bottom.tall(width) if self._has_axes else 0
        height = max(whole.height() - head - bottom, 1)
        self._title.setGeometry(QRectF(0, 0, whole.width() - _RIGHT, head))
        self._left.set_room(QRectF(0, head, left, height))
        self._box.setGeometry(QRectF(left, head, width, height))
        self._bottom.set_room(QRectF(left, head + height, width, bottom))

    def _make_room(self) -> None:
        """Labels of an axis that is taller, or shows a part, may be longer than before: 62.5 above 60."""
        if self._has_axes and self._left.make_room():
            self._lay_out()

    def _range_changed(self) -> None:
        self._make_room()
        self.changed.emit()

    def resizeEvent(self, event: QResizeEvent | None) -> None:
        """The scene follows; what is seen of a plot with axes is the same."""
        super().resizeEvent(event)
        if event is None:
            return
        self._lay_out()
        # A plot without axes keeps its proportions, so another size shows another range.
        if self._plot is not None and not self._has_axes:
            self._limit(self._plot)
            self.show_range(*self.whole(self._plot))
        self._make_room()
        self.changed.emit()


class _Title(pg.GraphicsWidget):
    """The title of a plot and, below it, the name of the vertical axis; both are cut to fit."""

    def __init__(self) -> None:
        super().__init__()
        self._words, self._font = PlotWords(""), QFont()
        self._theme: Theme | None = None

    @property
    def height(self) -> int:
        """Pixels of the lines that there are."""
        bold, small = QFontMetricsF(title_font(self._font)), QFontMetricsF(tick_font(self._font))
        return int(bold.height() + (small.height() if self._words.y_name else 0) + _TOP + 4)

    def explains(self, position: QPointF) -> bool:
        """True if a title with an explanation is at the position."""
        metrics = QFontMetricsF(title_font(self._font))
        wide = min(metrics.horizontalAdvance(self._words.title), self.size().width() - 8)
        return bool(self._words.terms) and QRectF(8, 2, wide, metrics.height() + 2).contains(position)

    def dress(self, theme: Theme, font: QFont) -> None:
        """Use these colours."""
        self._theme, self._font = theme, font
        self.update()

    def set_words(self, words: PlotWords) -> None:
        """Show the title and the name of the vertical axis."""
        self._words = words
        self.update()

    def paint(
        self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None
    ) -> None:
        """Both lines; letters shrink a little before any is cut."""
        theme = self._theme
        if theme is None:
            return
        room = QRectF(8, 2, self.size().width() - 8, QFontMetricsF(title_font(self._font)).height())
        for label, base, colour, swatch in (
            (self._words.title, title_font(self._font), theme.text, ""),
            (self._words.y_name, tick_font(self._font), theme.faint, self._words.y_colour),
        ):
            if swatch:
                painter.fillRect(QRectF(8, room.center().y() - _SWATCH / 2, _SWATCH, _SWATCH), QColor(swatch))
                room.setLeft(room.left() + _SWATCH + 5)
            # First the letters shrink as far as they can be read; only then the end is cut.
            font = fitted(base, label, room.width())
            painter.setFont(font)
            painter.setPen(QColor(colour))
            text = QFontMetricsF(font).elidedText(label, Qt.TextElideMode.ElideRight, room.width())
            painter.drawText(room, _LINE, text)
            # Terms in the title are dotted below, which says that the mouse explains them.
            if label is self._words.title and self._words.terms:
                baseline = round(room.center().y() + QFontMetricsF(font).ascent() / 2)
                end = round(room.left() + QFontMetricsF(font).horizontalAdvance(text))
                paint_dots(painter, round(room.left()), end, baseline, QColor(theme.faint))
            small = QFontMetricsF(tick_font(self._font)).height()
            room = QRectF(room.left(), room.bottom(), room.width(), small)
