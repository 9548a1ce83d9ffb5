"""The widget that shows a plot: dressed, zoomed and read by the mouse, marked by the selection."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QFocusEvent,
    QGuiApplication,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QShowEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QLabel, QToolTip, QWidget
from shiboken6 import isValid

from views.data.scales import AxisRange
from views.plot.area import PixelBox
from views.plot.plot import HoverText, Plot
from views.plotting.menu import common_entries
from views.plotting.plot_mouse import PlotMouse
from views.plotting.prepared_plot import Prepared, prepare
from views.plotting.pyqtgraph_loader import PyqtgraphLoader, is_loaded
from views.plotting.widget_area import WidgetArea, point_of
from views.state.context import ViewContext
from views.text.terms import term
from views.text.tooltips import tip
from views.theme.theme import Theme
from views.widgets.explanation import explain
from views.widgets.menu_entries import MenuEntry, MenuItem, open_menu
from views.work.async_memo import AsyncMemo
from views.work.idle_queue import LOW, NORMAL
from views.work.lazy import LazyValue

if TYPE_CHECKING:
    from views.plotting.canvas import Canvas

_WHEEL_STEP = 0.8
"""The visible range after a notch of the wheel, as a share of the range before."""

_ALIKE = 1.25
"""Sizes that differ by this factor at most are laid out at once: a plot would vanish for a moment."""

_UNKNOWN = WidgetArea(0.0, 0.0, 300.0, 200.0, (0.0, 1.0), (0.0, 1.0))
"""Where a first plot is sampled for: its axes take their place when there is something to show."""


class PlotWidget(QWidget):
    """Shows a plot. `picked` carries the clicked units, and whether ctrl or shift was held.

    The wheel zooms at the pointer, or a single scale beside the plot; a drag moves the view, or with ctrl (or
    if set in the menu) zooms to a rectangle; a double click shows all again. If the plot `picks`, a drag
    picks the units in a rectangle instead. `missed` is sent for a click or rectangle without units, with the
    keys held. `enlarged` is sent by a double click while all is shown: it enlarges this plot, or shows the
    others again. Actions added to the widget are at the top of its menu.
    """

    picked = Signal(object, bool)
    missed = Signal(bool)
    enlarged = Signal()

    SMALLEST = 170
    """Minimum useful width of a plot in pixels."""

    def __init__(
        self,
        context: ViewContext,
        theme: Theme,
        name: str,
        parent: QWidget | None = None,
        picks: bool = False,
    ) -> None:
        super().__init__(parent)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # a click leaves the keys to the charts on the clock
        self.setMinimumSize(120, 90)
        self.setAccessibleName(name)
        self._theme = theme
        self._source: LazyValue[Plot] | None = None
        self._version = 0
        self._units: Sequence[int] = ()
        self._runs: frozenset[int] = frozenset()
        self._reading: HoverText | None = None
        self._canvas: Canvas | None = None
        self._waits = False  # the canvas, for its turn to be laid out
        self._shown: Prepared | None = None
        self._least = 0  # height in pixels, as the owner wants it
        self._message = QLabel(self, alignment=Qt.AlignmentFlag.AlignCenter, wordWrap=True)
        self._message.setTextFormat(Qt.TextFormat.PlainText)
        self._message.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._message.hide()
        self.mouse = PlotMouse(self, picks)
        self.mouse.range_wanted.connect(self._show_range)
        self.mouse.picked.connect(self._pick_in)
        self.mouse.clicked.connect(self._click)
        self.mouse.began.connect(self._begin_drag)
        self._idle_queue = context.idle_queue
        self._memo: AsyncMemo[Prepared] = AsyncMemo(context.executor, name, self)
        self._memo.ready.connect(self._show)
        self._loader = PyqtgraphLoader(context, self)
        self._loader.loaded.connect(self._show)

    # Set by the owner.

    def set_theme(self, theme: Theme) -> None:
        """Use other colours."""
        self._theme = theme
        if self._canvas is not None and self.isVisible():
            self._place_later(LOW)  # all around it is painted first
        self._message.setStyleSheet(f"color: {theme.faint}")
        self._request()
        self.update()

    def set_plot(self, make: Callable[[], Plot] | None) -> None:
        """Show what `make` gives, called in another thread; the plot before stays until it is there."""
        self._source = None if make is None else LazyValue(make)
        self._version += 1
        self._set_reading(None)
        if make is None:
            self._memo.forget()
            self._shown = None
            self._message.hide()
            if self._canvas is not None:
                self._canvas.hide()
        self._request()

    def mark(self, units: Sequence[int]) -> None:
        """Mark these users, jobs..."""
        self._units = units
        self._show_marks()

    def pick_runs(self, runs: frozenset[int]) -> None:
        """Draw what belongs to other runs back; with none picked nothing."""
        self._runs = runs
        if self._canvas is not None:
            self._canvas.layers.dim_runs(runs)

    def fit(self) -> None:
        """Show all of the plot."""
        if self._shown is not None and self._canvas is not None:
            self._canvas.show_range(*self._canvas.whole(self._shown.plot))

    def drop_drag(self) -> bool:
        """Cancel a drag; True if there was a drag."""
        return self.mouse.drop()

    # What it shows.

    @property
    def plot(self) -> Plot | None:
        """The plot that is shown now."""
        return self._shown.plot if self._shown is not None else None

    @property
    def area(self) -> WidgetArea:
        """The visible part of the plot, and its position."""
        return self._canvas.area() if self._canvas is not None else _UNKNOWN

    @property
    def zoomed(self) -> bool:
        """True if some of the plot is not visible."""
        if self._shown is None or self._canvas is None:
            return False
        (x, y), area = self._canvas.whole(self._shown.plot), self.area
        return _is_part(area.x, x) or _is_part(area.y, y)

    @property
    def zoomable(self) -> bool:
        """True if there is a plot that can be zoomed."""
        plot = self.plot
        return plot is not None and plot.has_axes and plot.zooms and not plot.words.message

    def read(self, position: QPointF) -> HoverText | None:
        """The reading at a position in the widget; None: nothing."""
        if self._shown is None or self._canvas is None:
            return None
        words = self._shown.plot.words
        if position.y() < self._canvas.head:
            return HoverText(words.text) if words.text else None
        return None if words.message else self._shown.plot.read(self.area, point_of(position))

    def sizeHint(self) -> QSize:
        return QSize(280, 220)

    # Preparing and showing.

    def _request(self) -> None:
        """Have prepared what is to be shown."""
        if self._source is None or not self.isVisible():
            return
        stamp = (self._version, self._theme.name)
        kept = self._shown if self._shown is not None and self._shown.stamp == stamp else None
        area = self.area
        if kept is not None and (kept.area == area or not kept.hangs_on_area):
            return
        make = partial(prepare, stamp, self._source, self._theme, area, kept)
        self._memo.request((stamp, area if kept else None), make)

    def _show(self) -> None:
        """Show what has been prepared, with pyqtgraph, which may have to be loaded first."""
        prepared = self._memo.value
        if prepared is None or self._source is None:
            return
        if not is_loaded():
            self._loader.request()
            return
        if self._canvas is None:
            self._make_canvas()
        assert self._canvas is not None
        self._canvas.set_theme(self._theme, self.font())
        # Axes and ranges are set for another plot only: layers of the same plot are exchanged under the zoom
        # as it is.
        if self.plot is not prepared.plot:
            self._show_plot(prepared.plot)
        # The layers come after the axes, since showing those changes the area that layers are placed in.
        self._shown = prepared
        self._canvas.layers.show(prepared.drawn, self._theme)
        self._canvas.layers.dim_runs(self._runs)
        self._show_marks()
        self._canvas.prepare()
        # The plot may have another area now than the layers were prepared for; then they are requested again.
        self._request()

    def _make_canvas(self) -> None:
        from views.plotting.canvas import Canvas

        self._canvas = Canvas(self._theme, self.font(), self)
        self._canvas.setGeometry(self.rect())
        self._canvas.lower()
        self._canvas.changed.connect(self._seen_anew)
        self._show_focus()

    def _show_plot(self, plot: Plot) -> None:
        """Show another plot; it keeps the zoom of the plot before if both have the same name."""
        assert self._canvas is not None
        stays = self.zoomed and self.plot is not None and self.plot.words == plot.words
        part = (self.area.x, self.area.y) if stays else ()
        self._canvas.show()
        self._canvas.show_plot(plot, *part)
        self._keep_least(plot)
        self._message.setText(plot.words.message)
        self._message.setVisible(bool(plot.words.message))
        self._message.setGeometry(self.rect().adjusted(8, round(self._canvas.head), -8, 0))
        self.setAccessibleDescription(f"{plot.words.title}. {plot.words.message or plot.words.text}")

    def _keep_least(self, plot: Plot) -> None:
        """Be as high as the words of the plot need, unless the owner has fixed the height."""
        if self._canvas is not None and self.maximumHeight() > self.minimumHeight():
            self._least = self._least or self.minimumHeight()
            self.setMinimumHeight(max(self._least, self._canvas.least(plot)))

    def _seen_anew(self) -> None:
        """Follow the part that is seen, and its size."""
        self._show_marks()
        self._request()

    def _show_marks(self) -> None:
        if self._canvas is not None and self._shown is not None:
            marks = self._shown.plot.marks(self._units) if not self._shown.plot.words.message else []
            self._canvas.show_marks(marks, labelled=len(self._units) == 1)

    def _set_reading(self, reading: HoverText | None) -> None:
        self._reading = reading
        if self._canvas is not None:
            self._canvas.show_ring(reading.spot if reading is not None else None)

    # Events.

    def paintEvent(self, event: QPaintEvent) -> None:
        QPainter(self).fillRect(self.rect(), QColor(self._theme.chart))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._canvas is None or not self.isVisible():
            return  # it is laid out when it is shown
        if self._waits or not _resembles(self._canvas.size(), self.size()):
            self._place_later()
        else:
            self._place()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._canvas is not None:
            self._place_later()
        else:
            self._request()

    def _place_later(self, priority: int = NORMAL) -> None:
        """Lay the plot out and paint it in a turn of its own: all of a page at once would hold the window.

        Charts of runs go first: they ask for pictures, which threads make meanwhile.
        """
        assert self._canvas is not None
        self._waits = True
        self._canvas.setUpdatesEnabled(False)
        self._idle_queue.add((self, "place"), self._place, lambda: priority)

    def _place(self) -> None:
        if isValid(self) and self._canvas is not None:
            self._waits = False
            self._canvas.set_theme(self._theme, self.font())
            self._canvas.setGeometry(self.rect())
            self._canvas.setUpdatesEnabled(True)
            self._message.setGeometry(self.rect().adjusted(8, round(self._canvas.head), -8, 0))
            self._request()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.mouse.press(event, self.area, self.zoomable)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self.mouse.pressed:
            self.mouse.move(event.position())
            return
        reading = self.read(event.position())
        if (reading and reading.spot) != (self._reading and self._reading.spot):
            self._set_reading(reading)
        picks = reading is not None and reading.units is not None
        shapes, explains = Qt.CursorShape, self._explains(event.position())
        plain = shapes.WhatsThisCursor if explains else shapes.ArrowCursor
        self.setCursor(shapes.PointingHandCursor if picks else plain)
        if reading is not None:
            QToolTip.showText(event.globalPosition().toPoint(), tip(reading.text), self)
        else:
            QToolTip.hideText()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self.mouse.release(event)

    def _begin_drag(self) -> None:
        QToolTip.hideText()
        self._set_reading(None)

    def _show_range(self, x: AxisRange, y: AxisRange) -> None:
        if self._canvas is not None:
            self._canvas.show_range(x, y)

    def _click(self, position: QPointF, more: bool) -> None:
        """Explain a title, or pick what is at the position."""
        if self._explains(position):
            self._explain(self.plot.words.terms[0] if self.plot is not None else "")
            return
        reading = self.read(position)
        if reading is not None and reading.units is not None:
            self.picked.emit(reading.units(), more)
        else:
            self.missed.emit(more)

    def _explains(self, position: QPointF) -> bool:
        return self._canvas is not None and self.plot is not None and self._canvas.explains(position)

    def _explain(self, key: str) -> None:
        """Open the explanation of a word below the title."""
        explain(key, self.mapToGlobal(QPoint(8, self._canvas.head if self._canvas is not None else 0)), self)

    def _pick_in(self, rect: QRectF, more: bool) -> None:
        plot = self.plot
        box = PixelBox(rect.left(), rect.top(), rect.right(), rect.bottom())
        units = plot.units_in(self.area, box) if plot is not None and not plot.words.message else []
        if len(units):
            self.picked.emit(units, more)
        else:
            self.missed.emit(more)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Show all again; where all is shown, or on the title, this plot alone."""
        if event.button() != Qt.MouseButton.LeftButton:
            return
        on_title = self._canvas is None or event.position().y() < self._canvas.head
        if self.zoomed and not on_title:
            self.fit()
        else:
            self.enlarged.emit()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom at the pointer; beside the plot, zoom a single scale."""
        notches = (event.angleDelta().y() or event.angleDelta().x()) / 120
        if self._canvas is None or not self.zoomable or not notches:
            event.ignore()
            return
        area, position, factor = self.area, event.position(), _WHEEL_STEP**notches
        x = _scaled(area.x, area.x_at(position.x()), factor) if position.x() >= area.left else area.x
        y = _scaled(area.y, area.y_at(position.y()), factor) if position.y() <= area.rect.bottom() else area.y
        self._canvas.show_range(x, y)
        event.accept()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        items: list[MenuItem] = [*self.actions()]
        if self.zoomable:
            mouse = self.mouse
            items += common_entries(self.fit if self.zoomed else None, mouse.drags, mouse.drag, mouse.choose)
        items.append(None)
        for key in self.plot.words.terms if self.plot is not None else ():
            items.append(MenuEntry(f"&Explain “{term(key).title}”", partial(self._explain, key)))
        items.append(MenuEntry("Copy as a picture", self._copy))
        open_menu("Plot", items, event.globalPos(), self)

    def _copy(self) -> None:
        """Put the plot on the clipboard as a picture."""
        QGuiApplication.clipboard().setPixmap(self.grab())

    def leaveEvent(self, event: QEvent) -> None:
        self._set_reading(None)
        super().leaveEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._show_focus()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.drop_drag()
        self._show_focus()

    def _show_focus(self) -> None:
        if self._canvas is not None:
            self._canvas.show_focus(self.hasFocus())

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.FontChange and self._canvas is not None:
            self._canvas.set_theme(self._theme, self.font())
            if self._shown is not None:
                self._keep_least(self._shown.plot)
        super().changeEvent(event)


def _resembles(one: QSize, other: QSize) -> bool:
    """True if a size is about as another, as while a window is dragged larger."""
    sides = ((one.width(), other.width()), (one.height(), other.height()))
    return all(max(side) <= _ALIKE * min(side) for side in sides)


def _is_part(seen: AxisRange, whole: AxisRange) -> bool:
    """True if the range is only a part of the whole."""
    least = 1e-6 * (whole[1] - whole[0])
    return seen[0] > whole[0] + least or seen[1] < whole[1] - least


def _scaled(seen: AxisRange, at: float, factor: float) -> AxisRange:
    """The range `factor` times as long, where the coordinate `at` stays in its place."""
    return at + (seen[0] - at) * factor, at + (seen[1] - at) * factor
