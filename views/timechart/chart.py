"""The base of all charts over time: the frame, the picture made elsewhere, the axis, and the mouse."""

from __future__ import annotations

from collections.abc import Callable, Hashable

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QFocusEvent,
    QHideEvent,
    QKeyEvent,
    QMouseEvent,
    QMoveEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QWidget

from views.raster.request import ALL_ROWS, RenderRequest
from views.state.context import ViewContext
from views.state.spot import Spot
from views.text.ticks import Hours, TimeAxis
from views.theme.fonts import tick_font
from views.theme.theme import Theme
from views.timechart.axis import axis_height
from views.timechart.backing import Backing
from views.timechart.frame import (
    TITLE,
    Frame,
    frame_of,
    paint_border,
    paint_range,
    paint_title,
    rows_in_plot,
)
from views.timechart.gestures import Gestures
from views.timechart.inside import Inside, TimeLine, paint_inside
from views.timechart.legend import Legend
from views.timechart.marks import mark_at, told_of_mark
from views.timechart.picture import Picture, Shown
from views.timechart.pointer import Pointer
from views.work.async_memo import AsyncMemo


class TimeChart(QWidget):
    """A chart over the clock's window, in which wheel, keys and mouse move the clock.

    A kind of chart gives `_painter_of` (how its picture is made, away from the GUI thread),
    `_look` (what else than time and size that depends on) and paints its row labels and
    overlays. `context_requested` carries the position on the screen, and the spot in the chart.
    """

    context_requested, title_double_clicked = Signal(QPoint, Spot), Signal()
    title_height = TITLE

    def __init__(self, context: ViewContext, theme: Theme, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setMouseTracking(True)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.clock, self.selection, self.filter = context.clock, context.selection, context.filter
        self._view = context.view
        self.theme = theme
        self._time_axis: TimeAxis = Hours(0)
        self._version = 0  # of the data
        self._backing = Backing(self, context.idle_queue, self.frame, self._paint_whole, self._paint_time)
        self._memo: AsyncMemo[Picture] = AsyncMemo(context.executor, name, self, priority=1)
        self._memo.ready.connect(self._take_picture)
        self._gestures = Gestures(self.clock, self.selection, lambda: self.frame().scale, self)
        self._gestures.fit_selection.connect(self.fit_selection)
        self.drop_drag = self._gestures.cancel  # for whoever takes a drag over
        self._name, self._title, self._title_colour = name, name, ""
        self._cut_title = QRectF()  # where the title stands, if there is no room for all of it
        self._shows_axis = True
        self._message, self._note = "Nothing to show yet", ""
        self._known: tuple[float, float] | None = None
        self._line = TimeLine(self, self.clock)
        self._pointer = Pointer(self, self.clock, self._gestures, self.frame, self._told_at)
        self._gestures.clicked.connect(self._click)
        self._gestures.double_clicked.connect(self._double_click)
        self._gestures.dragged.connect(self.update)
        self._standing: Hashable = None  # what stands around the plot hangs on this
        self.clock.changed.connect(self._take_picture)
        for moved in (self.clock.changed, self._memo.ready):  # other rows or jobs may be drawn, too
            moved.connect(self._pointer.follow)
        self.clock.hovered.connect(self._follow_hover)
        self.selection.changed.connect(self.refresh)
        self._view.follow(self, "measured marks", self.refresh)
        self.filter.changed.connect(self._filter_changed)
        self.set_title(name)

    # What the owner of the chart says.

    def set_title(self, title: str, colour: str = "") -> None:
        """Name the chart; `colour` marks the run that it shows."""
        self._title, self._title_colour = title, colour
        self.setAccessibleName(title)
        self.refresh()

    def set_theme(self, theme: Theme) -> None:
        """Use other colours."""
        self.theme = theme
        self.refresh()

    def refresh(self) -> None:
        """Something has changed: paint anew, in a turn of its own."""
        self._backing.refresh()

    def set_time_axis(self, axis: TimeAxis) -> None:
        """Tell times by this axis."""
        if axis != self._time_axis:
            self._time_axis = axis
            self.refresh()

    def show_axis(self, shown: bool) -> None:
        """Show the time axis under this chart, or not."""
        if shown != self._shows_axis:
            self._shows_axis = shown
            self.refresh()

    def set_message(self, text: str) -> None:
        """Say why there is nothing to see, instead of data; empty: show the data."""
        if text != self._message:
            self._message = text
            self.refresh()

    def set_note(self, note: str, known: tuple[float, float] | None = None) -> None:
        """Say something over the data, until it is empty; beyond the `known` times, s, there are none."""
        if (note, known) != (self._note, self._known):
            self._note, self._known = note, known
            self.refresh()

    @property
    def note(self) -> str:
        """Words over the data; empty: there are none."""
        return self._note

    @property
    def message(self) -> str:
        """Words in place of the data; empty: the data are shown."""
        return self._message

    @property
    def title(self) -> str:
        """The name of the chart."""
        return self._title

    @property
    def title_colour(self) -> str:
        """What marks the run that the chart shows; empty: nothing."""
        return self._title_colour

    def fit_selection(self) -> None:
        """Zoom to what is selected: the picked time range, else the picked jobs."""
        chosen = self.picked_range()
        if chosen is not None:
            self.clock.fit_range(*chosen, rows=self.picked_rows())

    def picked_range(self) -> tuple[float, float] | None:
        """The time range that is selected, in seconds, else that of the selected jobs."""
        return self.selection.value.time_range or self._picked_range()

    def paint(self, painter: QPainter, whole: QRectF, ratio: float = 1.0, apart: bool = False) -> None:
        """Paint the chart on anything, waiting for its picture; `ratio` device pixels a pixel.

        Where it is to be seen `apart` from the others it has a title line and a time axis of its own.
        """
        frame = self.frame(whole, apart)
        make = None if self._message else self._painter_of(self._request(frame, ratio))
        self._paint(painter, frame, make() if make else None)

    def tooltip_at(self, position: QPointF) -> str:
        """What lies at a position, in a few words; empty: nothing."""
        return ""

    def summary(self) -> str:
        """What the chart shows, in a sentence, for those who do not see it."""
        return self._message

    # What a kind of chart adds.

    def _look(self) -> Hashable:
        """What the picture depends on besides time, size, data and theme."""
        return None

    def _rows_shown(self) -> tuple[float, float]:
        """Which part of the rows the plot shows, as shares of all."""
        return ALL_ROWS

    def _painter_of(self, request: RenderRequest) -> Callable[[], Picture] | None:
        """What makes the picture, in another thread; None: there are no data."""
        return None

    def _paint_rows(self, painter: QPainter, frame: Frame) -> None:
        """Labels of rows, in the gutter."""

    def _paint_over(self, painter: QPainter, frame: Frame) -> None:
        """What lies over the picture, within the plot."""

    def _paint_name(self, painter: QPainter, frame: Frame) -> None:
        """The title line."""
        self._paint_title(painter, frame, self._title)

    def _paint_title(self, painter: QPainter, frame: Frame, title: str) -> None:
        legend = None if self._message else self._legend()
        cut = paint_title(painter, frame, title, self._title_colour, legend, self.theme, self.font())
        if frame.whole == QRectF(self.rect()):  # not for an image of another size
            self._cut_title = cut

    def _filter_changed(self) -> None:
        """Follow the filter: other jobs are looked at."""
        self.refresh()

    def _legend(self) -> Legend | None:
        """The legend in the title line; None: colours need none."""
        return None

    def _clicked(self, position: QPointF, toggle: bool) -> bool:
        """Select what lies there; whether there was anything."""
        return False

    def _double_clicked(self, position: QPointF) -> bool:
        """Zoom to what lies there; whether there was anything."""
        return False

    def _spot_at(self, position: QPointF) -> Spot:
        """What lies there, for a menu."""
        return Spot(self, self.frame().scale.time(position.x()))

    def _picked_range(self) -> tuple[float, float] | None:
        """The time range of the picked jobs, in seconds; None: there are none."""
        return None

    def picked_rows(self) -> tuple[float, float] | None:
        """The part of the rows on which the picked jobs are; None: those that are shown do."""
        return None

    def _data_changed(self) -> None:
        """Other data: the picture of the old ones stays only until the new one is there."""
        self._version += 1
        self.setAccessibleDescription(self.summary())
        self.refresh()

    # Geometry.

    def frame(self, whole: QRectF | None = None, apart: bool = False) -> Frame:
        """Where the parts lie, on the screen or within `whole`."""
        room, title = whole or QRectF(self.rect()), TITLE if apart else self.title_height
        return frame_of(room, self.clock.window, self.font(), self._shows_axis or apart, title)

    def sizeHint(self) -> QSize:
        return QSize(640, 200)

    def minimumSizeHint(self) -> QSize:
        return QSize(240, round(TITLE + axis_height(self.font())) + 24)

    # Painting.

    def _request(self, frame: Frame, ratio: float) -> RenderRequest:
        size = frame.plot.size() * ratio
        return RenderRequest(
            self.clock.window, round(size.width()), round(size.height()), ratio, self._rows_shown()
        )

    def _newest(self, frame: Frame) -> Picture | None:
        """The picture to show now; one that shows just this is asked for."""
        request = self._request(frame, self.devicePixelRatioF())
        make = None if self._message else self._painter_of(request)
        if make is None:
            return None
        self._memo.request(Shown(request, self._version, self.theme.name, self._look()), make)
        return self._memo.value

    def _stands(self) -> Hashable:
        """What stands around the plot hangs on what the picture shows besides its time, and on the rows."""
        shown = self._memo.key
        return self._rows_shown(), shown.standing if isinstance(shown, Shown) else None

    def _take_picture(self) -> None:
        """Take the picture that has come, or the one of another time."""
        if self._stands() == self._standing:
            self._backing.refresh_part()
        else:
            self.refresh()

    def paintEvent(self, event: QPaintEvent) -> None:
        self._backing.show(self._paint_moving, self.theme)

    def _paint_whole(self, painter: QPainter, frame: Frame) -> None:
        self._standing = self._stands()
        self._paint(painter, frame, self._newest(frame))

    def _paint_time(self, painter: QPainter, frame: Frame) -> None:
        """What hangs on the time that is shown: what stands around it is kept."""
        if self._shows_axis:
            painter.fillRect(frame.axis.adjusted(0, 1, 0, 0), QColor(self.theme.window))  # its line stays
        self._paint_inside(painter, frame, self._newest(frame))

    def _paint(self, painter: QPainter, frame: Frame, picture: Picture | None) -> None:
        painter.fillRect(frame.whole, QColor(self.theme.window))
        paint_border(painter, frame, self.theme)
        painter.setFont(tick_font(self.font()))
        if not self._message:
            self._paint_rows(painter, frame)
        self._paint_name(painter, frame)
        self._paint_inside(painter, frame, picture)

    def _paint_inside(self, painter: QPainter, frame: Frame, picture: Picture | None) -> None:
        """What hangs on the time that is shown: the plot, and the axis below it."""
        inside = Inside(
            self._time_axis,
            self._view.options,
            self.selection.value,
            self.clock.bounds,
            self._known,
            self._rows_shown(),
            self._message,
            self._note,
        )
        paint_inside(painter, frame, picture, inside, self._paint_over, self.theme, self.font())

    def _paint_moving(self, painter: QPainter, frame: Frame) -> None:
        """The line under the mouse, and the range being drawn."""
        if self._gestures.range is not None:
            part = self._gestures.part and rows_in_plot(frame, self._gestures.part, self._rows_shown())
            paint_range(painter, frame, self._gestures.range, self.theme, part)
        self._line.paint(painter, frame, self._time_axis if self._shows_axis else None, self.theme)

    # Events.

    def _follow_hover(self, time: float | None) -> None:
        frame = self.frame()
        self._line.move(frame, frame.axis if self._shows_axis else None)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._gestures.press(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._pointer.move(event.globalPosition())
        self._gestures.move(event)
        self._pointer.point()

    def _told_at(self, position: QPointF) -> str:
        """What is told beside the mouse there, below the title if that is cut."""
        mark = mark_at(self.frame(), self._view.options.marks, position)
        if mark is not None:
            return told_of_mark(mark, self._time_axis)
        told = "" if self._gestures.dragging or self._message else self.tooltip_at(position)
        title = self._title if self._cut_title.contains(position) else ""
        return f"{title}\n{told}".strip()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._pointer.follow()

    def moveEvent(self, event: QMoveEvent) -> None:
        self._pointer.follow()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._gestures.release(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self._gestures.double_click(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        self._gestures.wheel(event)

    def leaveEvent(self, event: QEvent) -> None:
        self._pointer.leave()
        self.clock.set_hover(None)
        super().leaveEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.FontChange:
            self.refresh()
        super().changeEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not self._gestures.key(event):
            super().keyPressEvent(event)

    def hideEvent(self, event: QHideEvent) -> None:
        self._pointer.leave()
        self._gestures.cancel()
        super().hideEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        self.update()
        super().focusInEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self._gestures.cancel()
        self.update()
        super().focusOutEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        spot = self._spot_at(QPointF(event.pos())).meant_by(event, self.selection.value)
        self.context_requested.emit(event.globalPos(), spot)

    def _click(self, position: QPointF, toggle: bool) -> None:
        frame = self.frame()
        self._pointer.click(position)
        if (mark := mark_at(frame, self._view.options.marks, position)) is not None:
            self._view.mark_wanted.emit(mark)
        elif frame.axis.contains(position):
            low, high = self.clock.window
            self.selection.select_instant(min(max(frame.scale.time(position.x()), low), high))
        elif not self._clicked(position, toggle) and not toggle:
            self.selection.clear()

    def _double_click(self, position: QPointF) -> None:
        if not self._double_clicked(position):
            at_title = self.frame().title.contains(position)
            (self.title_double_clicked.emit if at_title else self.clock.fit)()
        self._pointer.forget_click()
