"""The base of all charts over time: the frame, the picture made elsewhere, the axis, and the mouse."""

from __future__ import annotations

from collections.abc import Callable, Hashable

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QPainter,
    QPaintEvent,
)
from PySide6.QtWidgets import QWidget

from views.raster.request import ALL_ROWS, RenderRequest
from views.state.context import ViewContext
from views.text.ticks import TimeAxis
from views.theme.fonts import tick_font
from views.theme.theme import Theme
from views.timechart.axis import axis_height
from views.timechart.backing_store import Backing
from views.timechart.chart_parts import CursorLine, Inside, paint_inside
from views.timechart.clock_chart import ClockChart
from views.timechart.frame import (
    TITLE,
    Frame,
    frame_of,
    paint_border,
    paint_range,
    paint_title,
    rows_in_plot,
)
from views.timechart.legend import Legend
from views.timechart.picture import ChartPicture, PictureContent
from views.work.async_memo import AsyncMemo


class TimeChart(ClockChart):
    """A chart on the clock that shows a picture, which is made away from the GUI thread.

    A kind of chart gives `_painter_of` (how its picture is made, away from the GUI thread),
    `_look` (what else than time and size that depends on) and paints its row labels and
    overlays.
    """

    title_double_clicked = Signal()
    title_height = TITLE

    def __init__(self, context: ViewContext, theme: Theme, name: str, parent: QWidget | None = None) -> None:
        super().__init__(context, theme, name, parent)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.filter = context.filter
        self.title_colour = ""  # what marks the run that it shows; empty: nothing
        self._version = 0  # of the data
        self._backing = Backing(self, context.idle_queue, self.frame, self._paint_whole, self._paint_time)
        self._memo: AsyncMemo[ChartPicture] = AsyncMemo(context.executor, name, self, priority=1)
        self._memo.ready.connect(self._take_picture)
        self._name, self._note = name, ""
        self._known: tuple[float, float] | None = None
        self._line = CursorLine(self, self.clock)
        self._gestures.dragged.connect(self.update)
        self._standing: Hashable = None  # the surroundings of the plot depend on this
        # A moved window changes the plot and the axis only: where the rest stays, these skip `refresh`.
        self.clock.changed.connect(self._take_picture)
        for moved in (self.clock.changed, self._memo.ready):  # other rows or jobs may be drawn, too
            moved.connect(self._pointer.follow)
        self.selection.changed.connect(self.refresh)
        self._view.follow(self, "measured marks", self.refresh)
        self.filter.changed.connect(self._filter_changed)
        self.set_title(name)

    # Set by the owner of the chart.

    def set_title(self, title: str, colour: str = "") -> None:
        """Name the chart; `colour` marks the run that it shows."""
        if (title, colour) != (self.title, self.title_colour):
            self.title, self.title_colour = title, colour
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
        if axis != self.time_axis:
            self.time_axis = axis
            self.refresh()

    def show_axis(self, shown: bool) -> None:
        """Show the time axis under this chart, or not."""
        if shown != self._shows_axis:
            self._shows_axis = shown
            self.refresh()

    def set_message(self, text: str) -> None:
        """Say why there is nothing to see, instead of data; empty: show the data."""
        if text != self.message:
            self.message = text
            self.refresh()

    def set_note(self, note: str, known: tuple[float, float] | None = None) -> None:
        """Say something over the data, until it is empty; beyond the `known` times, s, there are none."""
        if (note, known) != (self._note, self._known):
            self._note, self._known = note, known
            self.refresh()

    @property
    def stale(self) -> bool:
        """True if the chart is seen, and still to be painted: only then it requests its picture."""
        return self._backing.stale

    @property
    def note(self) -> str:
        """Words over the data; empty: there are none."""
        return self._note

    def paint(self, painter: QPainter, whole: QRectF, ratio: float = 1.0, apart: bool = False) -> None:
        """Paint the chart on anything, waiting for its picture; `ratio` device pixels a pixel.

        Where it is to be seen `apart` from the others it has a title line and a time axis of its own.
        """
        frame = self.frame(whole, apart)
        make = None if self.message else self._painter_of(self._request(frame, ratio))
        self._paint(painter, frame, make() if make else None)

    # What a kind of chart adds.

    def _look(self) -> Hashable:
        """The look of the picture: everything besides time, size, data and theme that it depends on."""
        return None

    def _rows_shown(self) -> tuple[float, float]:
        """The part of the rows that the plot shows, as shares of all rows."""
        return ALL_ROWS

    def _painter_of(self, request: RenderRequest) -> Callable[[], ChartPicture] | None:
        """The function that paints the picture in another thread; None if there are no data."""
        return None

    def _paint_rows(self, painter: QPainter, frame: Frame) -> None:
        """Labels of rows, in the gutter."""

    def _paint_over(self, painter: QPainter, frame: Frame) -> None:
        """Paint everything over the picture, within the plot."""

    def _paint_name(self, painter: QPainter, frame: Frame) -> None:
        """The title line."""
        self._paint_title(painter, frame, self.title)

    def _paint_title(self, painter: QPainter, frame: Frame, title: str) -> None:
        legend = None if self.message else self._legend()
        cut = paint_title(painter, frame, title, self.title_colour, legend, self.theme, self.font())
        if frame.whole == QRectF(self.rect()):  # not for an image of another size
            self._cut_title = cut

    def _filter_changed(self) -> None:
        """Follow the filter: other jobs are looked at."""
        self.refresh()

    def _legend(self) -> Legend | None:
        """The legend in the title line; None: colours need none."""
        return None

    def _data_changed(self) -> None:
        """Handle new data: what was painted of the old stays until the new picture is ready."""
        self._version += 1
        self.setAccessibleDescription(self.summary())
        # A chart that already shows a picture requests the new picture first and keeps the old until then: an
        # emptied plot would flash with each step of a slider.
        if self._memo.value is not None and self.isVisible():
            self._backing.refresh_after(self._is_requested)
        else:
            self.refresh()

    def _is_requested(self) -> bool:
        """Request the picture of the data as they are now; True if it is on its way."""
        self._newest(self.frame())
        return self._memo.pending

    # Geometry.

    def frame(self, whole: QRectF | None = None, apart: bool = False) -> Frame:
        """The layout, on the screen or within `whole`."""
        room, title = whole or QRectF(self.rect()), TITLE if apart else self.title_height
        return frame_of(room, self.clock.window, self.font(), self._shows_axis or apart, title)

    def minimumSizeHint(self) -> QSize:
        return QSize(240, round(TITLE + axis_height(self.font())) + 24)

    # Painting.

    def _request(self, frame: Frame, ratio: float) -> RenderRequest:
        size = frame.plot.size() * ratio
        return RenderRequest(
            self.clock.window, round(size.width()), round(size.height()), ratio, self._rows_shown()
        )

    def _newest(self, frame: Frame) -> ChartPicture | None:
        """The picture to show now; requests the exact picture if it is not ready."""
        # In device pixels, so that on a screen of high resolution the picture has as many as are shown.
        request = self._request(frame, self.devicePixelRatioF())
        make = None if self.message else self._painter_of(request)
        if make is None:
            return None
        self._memo.request(PictureContent(request, self._version, self.theme.name, self._look()), make)
        return self._memo.value

    def _update_surroundings(self) -> Hashable:
        """Recompute the surroundings of the plot, which depend on the picture's look, not on its time, and on
        the rows.
        """
        # The key is that of the picture that is there, not of the picture on its way: legend and labels
        # change together with the pixels.
        shown = self._memo.key
        return self._rows_shown(), shown.standing if isinstance(shown, PictureContent) else None

    def _take_picture(self) -> None:
        """Take the finished picture, or the picture of another time."""
        if self._update_surroundings() == self._standing:
            self._backing.refresh_part()
        else:
            self.refresh()

    def paintEvent(self, event: QPaintEvent) -> None:
        self._backing.show(self._paint_moving, self.theme)

    def _paint_whole(self, painter: QPainter, frame: Frame) -> None:
        self._standing = self._update_surroundings()
        self._paint(painter, frame, self._newest(frame))

    def _paint_time(self, painter: QPainter, frame: Frame) -> None:
        """Repaint the parts that depend on the shown time; the surroundings are cached."""
        if self._shows_axis:
            painter.fillRect(frame.axis.adjusted(0, 1, 0, 0), QColor(self.theme.window))  # its line stays
        self._paint_inside(painter, frame, self._newest(frame))

    def _paint(self, painter: QPainter, frame: Frame, picture: ChartPicture | None) -> None:
        painter.fillRect(frame.whole, QColor(self.theme.window))
        paint_border(painter, frame, self.theme)
        painter.setFont(tick_font(self.font()))
        if not self.message:
            self._paint_rows(painter, frame)
        self._paint_name(painter, frame)
        self._paint_inside(painter, frame, picture)

    def _paint_inside(self, painter: QPainter, frame: Frame, picture: ChartPicture | None) -> None:
        """Paint the parts that depend on the shown time: the plot, and the axis below it."""
        inside = Inside(
            self.time_axis,
            self._view.options,
            self.selection.value,
            self.clock.bounds,
            self._known,
            self._rows_shown(),
            self.message,
            self._note,
        )
        paint_inside(painter, frame, picture, inside, self._paint_over, self.theme, self.font())

    def _paint_moving(self, painter: QPainter, frame: Frame) -> None:
        """The line under the mouse, and the range being drawn."""
        # A rectangle of time and rows has a part; a range alone covers the whole height.
        if self._gestures.range is not None:
            part = self._gestures.part and rows_in_plot(frame, self._gestures.part, self._rows_shown())
            paint_range(painter, frame, self._gestures.range, self.theme, part)
        self._line.paint(painter, frame, self.time_axis if self._shows_axis else None, self.theme)

    # Events.

    def _follow_hover(self, time: float | None) -> None:
        frame = self.frame()
        self._line.move(frame, frame.axis if self._shows_axis else None)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.FontChange:
            self.refresh()
        super().changeEvent(event)

    def _title_double_clicked(self) -> None:
        self.title_double_clicked.emit()
