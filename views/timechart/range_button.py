"""A button below the selected range of time, which has it measured alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QObject, QRectF, Qt, Signal
from PySide6.QtWidgets import QToolButton, QWidget

from views.data.marks import Room
from views.state.context import ViewContext
from views.text.tooltips import tip
from views.theme.fonts import tick_font
from views.timechart.frame import Frame
from views.work.widget_handlers import EventWatch

_MEASURE, _ALL = "Limit metrics to this range", "Measure all"
_TIP = "Limit metrics, heatmaps, distributions, tables and exports to jobs submitted in this range (M)"


class RangeButton(QToolButton):
    """A button at the foot of the axis of `owner`, under the visible part of the selected range.

    It avoids the texts in `taken` (from, to, in pixels) if there is room. If the selected range is the
    measured range, it resets the measured range to all. `moved` is sent when it moves or is hidden.
    """

    moved = Signal()

    def __init__(
        self,
        context: ViewContext,
        frame: Callable[[], Frame],
        owner: QWidget,
        taken: Callable[[], Sequence[Room]] = tuple,
    ) -> None:
        super().__init__(owner)
        self._selection, self._view, self._frame, self._owner = context.selection, context.view, frame, owner
        self._taken = taken
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # keys have M
        self.setStyleSheet("padding: 0 4px; margin: 0;")
        self.setCursor(Qt.CursorShape.ArrowCursor)
        self.setToolTip(tip(_TIP))
        self.hide()
        self.clicked.connect(self._measure)
        context.selection.changed.connect(self.place)
        context.clock.changed.connect(self.place)
        context.clock.bounds_changed.connect(self.place)
        context.view.follow(self, "measured", self.place)
        EventWatch(owner, self, self._follow)

    @property
    def _span(self) -> tuple[int, int] | None:
        """The selected range in whole seconds, as it would be measured."""
        picked = self._selection.value.time_range
        return None if picked is None else (round(picked[0]), max(round(picked[1]), round(picked[0]) + 1))

    def place(self) -> None:
        """Stand below the range, or be hidden where there is none."""
        # Clock and selection change far more often than the button moves; only a move is announced.
        before = self.isVisible(), self.geometry()
        self._place()
        if (self.isVisible(), self.geometry()) != before:
            self.moved.emit()

    def _place(self) -> None:
        frame, span = self._frame(), self._span
        plot, axis = frame.plot, frame.axis
        if span is None or not axis.height():
            self.hide()
            return
        # The range that would be measured, in whole seconds: the button stands under the same pixels as the
        # range is then drawn.
        left, right = (frame.scale.x(float(time)) for time in span)
        self.setText(_ALL if span == self._view.options.measured else _MEASURE)
        self.setFont(tick_font(self._owner.font()))
        wide, high = self.sizeHint().width(), self.fontMetrics().height() + 2
        inside = right > plot.left() and left < plot.right()
        wanted = (left + right - wide) / 2
        taken = self._taken()
        # Besides its middle the button may touch any name from the right or from the left: the nearest free
        # place is always among these places.
        places = [wanted, *(end + 4 for _, end in taken), *(start - 4 - wide for start, _ in taken)]
        places = [min(max(place, plot.left()), plot.right() - wide) for place in places]
        # If no place is free, the button covers a name rather than be out of reach.
        free = [place for place in places if all(place >= b or place + wide <= a for a, b in taken)]
        begin = min(free or places[:1], key=lambda place: abs(place - wanted))
        self.setGeometry(QRectF(begin, axis.bottom() - high, wide, high).toRect())
        self.setVisible(inside and begin >= plot.left())

    def _follow(self, _: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Resize, QEvent.Type.FontChange):
            self.place()
        return False

    def _measure(self) -> None:
        span = self._span
        self._view.choose(measured=None if span == self._view.options.measured else span)
