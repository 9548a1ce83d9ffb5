"""What the charts on the clock share: a picture made elsewhere, what is painted once, and the mouse."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPixmap, QWheelEvent
from PySide6.QtWidgets import QWidget
from shiboken6 import isValid

from views.state.context import ViewContext
from views.text.ticks import Hours, TimeAxis
from views.theme.theme import Theme
from views.timechart.frame import Frame, paint_focus
from views.timechart.gestures import Gestures
from views.timechart.picture import Picture
from views.work.async_memo import AsyncMemo


class ClockChart(QWidget):
    """A chart whose axis is time, and in which wheel, keys and mouse move the clock.

    A kind of chart gives `frame`, `_paint_whole` (what is kept until `refresh`), `_paint_time` (the part
    of it that another time changes) and `_paint_moving` (what is painted over a copy each time).
    """

    def __init__(self, context: ViewContext, theme: Theme, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setMouseTracking(True)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.clock, self.selection, self.theme = context.clock, context.selection, theme
        self._time_axis: TimeAxis = Hours(0)
        self._idle_queue = context.idle_queue
        self._version = 0  # of the data
        self._backing: QPixmap | None = None
        self._time_moved = False  # since it was painted
        self._memo: AsyncMemo[Picture] = AsyncMemo(context.executor, name, self)
        self._memo.ready.connect(self._take_picture)
        self._gestures = Gestures(self.clock, self.selection, lambda: self.frame().scale, self)
        self._gestures.fit_selection.connect(self.fit_selection)

    def set_theme(self, theme: Theme) -> None:
        """Use other colours."""
        self.theme = theme
        self.refresh()

    def refresh(self) -> None:
        """Something has changed: paint anew, in a turn of its own."""
        self._backing = None
        if self.isVisible():
            self._idle_queue.add(self, self._paint_in_turn)

    def _paint_in_turn(self) -> None:
        """Charts that change together would hold the window's thread for some frames."""
        if isValid(self) and self.isVisible() and not self.size().isEmpty():
            self._bring_up_to_date(self.frame())
            self.update()

    def move_time(self) -> None:
        """Another time is shown, or its picture has come: what stands around it is kept."""
        if self._backing is None:
            self.refresh()  # all of it is painted, in the chart's turn
        else:
            self._time_moved = True
            self.update()

    def fit_selection(self) -> None:
        """Zoom to the time range that is selected."""
        if self.selection.value.span is not None:
            self.clock.fit_range(*self.selection.value.span)

    def frame(self) -> Frame:
        """Where the parts lie."""
        raise NotImplementedError

    def _take_picture(self) -> None:
        """A new picture has come."""
        self.refresh()

    def _paint_whole(self, painter: QPainter, frame: Frame) -> None:
        """What seldom changes."""
        raise NotImplementedError

    def _paint_time(self, painter: QPainter, frame: Frame) -> None:
        """What changes with the time that is shown, over what was painted before."""

    def _paint_moving(self, painter: QPainter, frame: Frame) -> None:
        """What changes as the mouse moves."""

    def paintEvent(self, event: QPaintEvent) -> None:
        """Copy what was painted before, unless something has changed; then what moves with the mouse."""
        frame = self.frame()
        backing = self._bring_up_to_date(frame)
        painter = QPainter(self)
        painter.drawPixmap(QPointF(0, 0), backing)
        self._paint_moving(painter, frame)
        if self.hasFocus():
            paint_focus(painter, frame.whole, self.theme)
        painter.end()

    def _bring_up_to_date(self, frame: Frame) -> QPixmap:
        """What is kept between paintings, as it is to be shown now."""
        ratio = self.devicePixelRatioF()
        size = self.size() * ratio
        if self._backing is None or (self._backing.size(), self._backing.devicePixelRatio()) != (size, ratio):
            self._backing = QPixmap(size)
            self._backing.setDevicePixelRatio(ratio)
            painter = QPainter(self._backing)
            self._paint_whole(painter, frame)
            painter.end()
        elif self._time_moved:
            painter = QPainter(self._backing)
            self._paint_time(painter, frame)
            painter.end()
        self._time_moved = False
        return self._backing

    def changeEvent(self, event: QEvent) -> None:
        """Another font changes all texts."""
        if event.type() == QEvent.Type.FontChange:
            self.refresh()
        super().changeEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom in time."""
        self._gestures.wheel(event)

    def leaveEvent(self, event: QEvent) -> None:
        """The mouse is elsewhere."""
        self.clock.set_hover(None)
        super().leaveEvent(event)
