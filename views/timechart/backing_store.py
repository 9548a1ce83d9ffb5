"""A backing store of a widget: what was painted is copied to the screen until something changes."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPointF
from PySide6.QtGui import QPainter, QPixmap
from PySide6.QtWidgets import QWidget
from shiboken6 import isValid

from views.theme.theme import Theme
from views.timechart.frame import Frame, paint_focus
from views.work.idle_queue import IdleQueue, charts

Paint = Callable[[QPainter, Frame], None]


class Backing:
    """The pixels of a widget, without the parts that move with the mouse.

    `whole` paints all of them after a `refresh`, in a separate turn of the event loop; `part` repaints the
    part for `refresh_part`, over the old pixels. `frame` is the layout.
    """

    def __init__(
        self,
        widget: QWidget,
        idle_queue: IdleQueue,
        frame: Callable[[], Frame],
        whole: Paint,
        part: Paint | None = None,
    ) -> None:
        self._widget, self._idle_queue, self._frame = widget, idle_queue, frame
        self._whole, self._part = whole, part
        self._pixmap: QPixmap | None = None
        self._part_stale = False
        self._ahead: Callable[[], bool] | None = None  # what is asked for before it is painted

    @property
    def stale(self) -> bool:
        """True if what is seen is still to be painted anew."""
        widget = self._widget
        if self._pixmap is not None and self._ahead is None:
            return False
        window = widget.window().windowHandle()  # which paints nothing while it is not on a screen
        is_seen = widget.isVisible() and widget.updatesEnabled() and not widget.visibleRegion().isEmpty()
        return is_seen and window is not None and window.isExposed()

    def refresh(self) -> None:
        """Something has changed: paint all anew."""
        self._pixmap = None
        self._queue()

    def refresh_after(self, ahead: Callable[[], bool]) -> None:
        """Call `ahead` in a separate turn; paint all anew unless it returns True: `refresh` comes soon then,
        and what is painted stays until that.
        """
        self._ahead = ahead
        self._queue()

    def _queue(self) -> None:
        if self._widget.isVisible():
            self._idle_queue.add(self._widget, self._paint_in_turn, charts)

    def refresh_part(self) -> None:
        """Only the part has changed: paint that, at once."""
        # There are no old pixels to paint over, so the part alone is not enough.
        if self._pixmap is None:
            self.refresh()
        else:
            self._part_stale = True
            self._widget.update()

    def show(self, moving: Paint, theme: Theme) -> None:
        """Paint the widget, in its paintEvent: the pixels, what is `moving` with the mouse, and the focus."""
        frame = self._frame()
        pixmap = self._pixels(frame)
        painter = QPainter(self._widget)
        painter.drawPixmap(QPointF(0, 0), pixmap)
        moving(painter, frame)
        if self._widget.hasFocus():
            paint_focus(painter, frame.whole, theme)
        painter.end()

    def _pixels(self, frame: Frame) -> QPixmap:
        """The pixels as they are to be shown now."""
        # Qt paints now, before the queue reached this chart, e.g. after a resize. The old pixels must not be
        # shown as if they were the new data.
        if self._ahead is not None:
            self._ahead = self._pixmap = None  # it is to be seen before its turn
        ratio = self._widget.devicePixelRatioF()
        size = self._widget.size() * ratio
        kept = self._pixmap
        # A widget that was resized, or moved to a screen with another scale, needs other pixels.
        if kept is None or (kept.size(), kept.devicePixelRatio()) != (size, ratio):
            self._pixmap = kept = QPixmap(size)
            kept.setDevicePixelRatio(ratio)
            painter = QPainter(kept)
            self._whole(painter, frame)
            painter.end()
        elif self._part_stale and self._part is not None:
            painter = QPainter(kept)
            self._part(painter, frame)
            painter.end()
        self._part_stale = False
        return kept

    def _paint_in_turn(self) -> None:
        """Charts that change together would hold the window's thread for some frames."""
        widget, ahead = self._widget, self._ahead
        # The chart may be closed or hidden by now; a hidden chart is painted when it is shown.
        if isValid(widget) and widget.isVisible() and not widget.size().isEmpty():
            if ahead is not None and ahead():
                # The picture is on its way, and `refresh` follows when it arrives: painting now would only
                # show the old picture twice.
                self._ahead = None
                return
            self._pixels(self._frame())
            widget.update()
