"""The base of all charts and plots on the clock: time, title, mouse, keys and focus."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QFocusEvent,
    QHideEvent,
    QKeyEvent,
    QMouseEvent,
    QMoveEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QWidget

from views.state.context import ViewContext
from views.state.spot import Spot
from views.text.ticks import Hours, TimeAxis
from views.theme.theme import Theme
from views.timechart.frame import Frame
from views.timechart.gestures import Gestures
from views.timechart.marks import describe_mark, mark_at
from views.timechart.pointer import Pointer

_MOST_COVERED = 0.5
"""The part of a plot's width beside which a range is still fitted into the rest."""


def beside(start: float, end: float, left: float, right: float) -> tuple[float, float]:
    """The range, s, of which `start` to `end` lies between the parts of its width `left` and `right`."""
    # The chosen range must fill only the uncovered part, so the whole window is longer by the ratio of both.
    width = (end - start) / max(1.0 - left - right, _MOST_COVERED)
    return start - left * width, end + right * width


class ClockChart(QWidget):
    """A chart over the clock's window, in which wheel, keys and mouse move the clock.

    Subclasses implement the layout `frame`, `refresh`, and the description of a position. `context_requested`
    carries the position on the screen, and the spot in the chart.
    """

    context_requested = Signal(QPoint, Spot)

    def __init__(self, context: ViewContext, theme: Theme, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(name)
        self.clock, self.selection, self.theme = context.clock, context.selection, theme
        self._view = context.view
        self.title = name
        self.message = "Nothing to show yet"  # in place of the data; empty: the data are shown
        self.time_axis: TimeAxis = Hours(0)
        self._cut_title = QRectF()  # rectangle of the title, if it is cut
        self._shows_axis = True
        self._gestures = Gestures(self.clock, self.selection, lambda: self.frame().scale, self)
        self._gestures.fit_selection.connect(self.fit_selection)
        self._gestures.clicked.connect(self._click)
        self._gestures.double_clicked.connect(self._double_click)
        self._pointer = Pointer(self, self.clock, self._gestures, lambda: self.frame(), self._tooltip_text)
        self.clock.hovered.connect(self._follow_hover)

    # What a kind of chart gives.

    def frame(self) -> Frame:
        """The layout; times are aligned with those in all charts on the clock."""
        raise NotImplementedError

    def refresh(self) -> None:
        """Something else is to be shown."""
        raise NotImplementedError

    def tooltip_at(self, position: QPointF) -> str:
        """Describe the item at a position in a few words; empty: nothing."""
        return ""

    def summary(self) -> str:
        """The content of the chart in a sentence, for screen readers."""
        return self.message

    def _picked_range(self) -> tuple[float, float] | None:
        """The time range of the picked jobs, in seconds; None: there are none."""
        return None

    def picked_rows(self) -> tuple[float, float] | None:
        """The part of the rows with the picked jobs; None if these rows are already shown."""
        return None

    def _clicked(self, position: QPointF, toggle: bool) -> bool:
        """Select the item at the position; True if there was one."""
        return False

    def _double_clicked(self, position: QPointF) -> bool:
        """Zoom to the item at the position; True if there was one."""
        return False

    def _title_double_clicked(self) -> None:
        """The title was double-clicked: all is shown, as for a double-click elsewhere."""
        self.clock.fit()

    def _spot_at(self, position: QPointF) -> Spot:
        """The spot at the position, for a menu."""
        return Spot(self, self.frame().scale.time(position.x()))

    def _follow_hover(self, time: float | None) -> None:
        """Mark the time, s, that is under the mouse in any chart."""

    def _show_focus(self) -> None:
        """Show whether it has the keys."""
        self.update()

    # What is the same for all.

    def fit_selection(self) -> None:
        """Zoom to what is selected: the picked time range, else the picked jobs."""
        chosen = self.picked_range()
        if chosen is not None:
            self.clock.fit_range(*beside(*chosen, *self.covered), rows=self.picked_rows())

    @property
    def covered(self) -> tuple[float, float]:
        """The parts of the plot's width over which another widget lies at its left and at its right.

        Where more than half is covered, or nothing is seen, both are 0: there is no room beside that.
        """
        plot, seen = self.frame().plot, self.visibleRegion().boundingRect()
        if seen.isEmpty() or plot.width() <= 0:
            return 0.0, 0.0
        left = max(seen.left() - plot.left(), 0.0) / plot.width()
        right = max(plot.right() - seen.right() - 1, 0.0) / plot.width()
        return (left, right) if left + right <= _MOST_COVERED else (0.0, 0.0)

    def picked_range(self) -> tuple[float, float] | None:
        """The selected time range, in seconds, otherwise that of the selected jobs."""
        return self.selection.value.time_range or self._picked_range()

    def drop_drag(self) -> None:
        """End a drag, which another handler continues."""
        self._gestures.cancel()

    def sizeHint(self) -> QSize:
        return QSize(640, 200)

    def _tooltip_text(self, position: QPointF) -> str:
        """The tooltip at the position, below the full title if that is cut."""
        # A flag lies on the axis, where no chart has data, so it is asked first.
        mark = mark_at(self.frame(), self._view.options.marks, position)
        if mark is not None:
            return describe_mark(mark, self.time_axis)
        text = "" if self._gestures.dragging or self.message else self.tooltip_at(position)
        title = self.title if self._cut_title.contains(position) else ""
        return f"{title}\n{text}".strip()

    def _click(self, position: QPointF, toggle: bool) -> None:
        frame = self.frame()
        self._pointer.click(position)
        if (mark := mark_at(frame, self._view.options.marks, position)) is not None:
            self._view.mark_wanted.emit(mark)
        elif frame.axis.contains(position):
            # The axis is as wide as the widget: a click beside the plot means its nearer end.
            low, high = self.clock.window
            self.selection.select_instant(min(max(frame.scale.time(position.x()), low), high))
        # With ctrl a click beside all items keeps the selection: it is usually a miss while adding to it.
        elif not self._clicked(position, toggle) and not toggle:
            self.selection.clear()

    def _double_click(self, position: QPointF) -> None:
        # An item wins over the title line, e.g. an entry of the legend in it.
        if not self._double_clicked(position):
            at_title = self.frame().title.contains(position)
            (self._title_double_clicked if at_title else self.clock.fit)()
        self._pointer.forget_click()

    # Events.

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._gestures.press(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        # In this order: the drag moves the clock, then the pointer marks the time that now lies under it.
        self._pointer.move(event.globalPosition())
        self._gestures.move(event)
        self._pointer.point()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._gestures.release(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self._gestures.double_click(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        self._gestures.wheel(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not self._gestures.key(event):
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        spot = self._spot_at(QPointF(event.pos())).meant_by(event, self.selection.value)
        self.context_requested.emit(event.globalPos(), spot)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._pointer.follow()

    def moveEvent(self, event: QMoveEvent) -> None:
        super().moveEvent(event)
        self._pointer.follow()

    def leaveEvent(self, event: QEvent) -> None:
        self._pointer.leave()
        self.clock.set_hover(None)
        super().leaveEvent(event)

    def hideEvent(self, event: QHideEvent) -> None:
        self._pointer.leave()
        self._gestures.cancel()
        super().hideEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        self._show_focus()
        super().focusInEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self._gestures.cancel()
        self._show_focus()
        super().focusOutEvent(event)
