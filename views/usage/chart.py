"""Use of processors or RAM over time, against what the machine has."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter
from PySide6.QtWidgets import QWidget

from engine.schedule import Schedule
from views.clock import Clock
from views.format import memory
from views.frame import BOTTOM, Frame, paint_row_label
from views.picture import Picture, Want
from views.renderer import Renderer
from views.selection import SelectionModel
from views.style import Theme, title_font
from views.ticks import axis_of
from views.timechart import TimeChart
from views.usage.paint import paint_usage
from views.words import spell_count

if TYPE_CHECKING:
    from engine.metrics.series import Series

UsageKind = Literal["cpu", "ram"]

_NAMES = {"cpu": "CPU", "ram": "RAM"}
_HEADROOM = 1.04


class UsageChart(TimeChart):
    """A strip: the mean use of each pixel's time as an area, up to the peak in a lighter tint.

    The selected users' own part, if it is given, is drawn darker in front.
    """

    title_height = 6.0

    def __init__(
        self,
        clock: Clock,
        selection: SelectionModel,
        renderer: Renderer,
        theme: Theme,
        kind: UsageKind,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(clock, selection, renderer, theme, _NAMES[kind], parent)
        self._kind: UsageKind = kind
        self._series: Series | None = None
        self._own: Series | None = None
        self._capacity: int | None = None

    def set_data(
        self, schedule: Schedule | None, series: Series | None = None, capacity: int | None = None
    ) -> None:
        """Show a use over time (processors, or MiB); `capacity` is what the machine has, None: not known."""
        self._series, self._own, self._capacity = series, None, capacity
        if schedule is None or series is None:
            self.set_message("Nothing to show yet")
        else:
            self.set_time_axis(axis_of(schedule.trace))
            known = bool(series.value.any())
            self.set_message("" if known else f"The log tells of no {_NAMES[self._kind]} use")
        self._data_changed()

    def set_own(self, own: Series | None) -> None:
        """The part of the selected users."""
        self._own = own
        self._data_changed()

    def sizeHint(self) -> QSize:
        """A strip."""
        return QSize(640, 64)

    def minimumSizeHint(self) -> QSize:
        """The least that still shows something."""
        bottom = round(self.frame().axis.height()) or round(BOTTOM)
        return QSize(240, round(self.title_height) + bottom + 24)

    def tooltip_at(self, place: QPointF) -> str:
        """What is in use at that time."""
        frame = self.frame()
        if self._series is None or not frame.plot.contains(place):
            return ""
        time = frame.scale.time(place.x())
        lines = [self._time_axis.spell(time), f"in use: {self._amount(_value_at(self._series, time))}"]
        if self._own is not None:
            lines.append(f"by the selected: {self._amount(_value_at(self._own, time))}")
        return "\n".join(lines)

    def _amount(self, value: int) -> str:
        def spell(amount: int) -> str:
            return spell_count(amount) if self._kind == "cpu" else memory(amount)

        if not self._capacity:
            return spell(value)
        return f"{spell(value)} of {spell(self._capacity)} ({100 * value / self._capacity:.0f} %)"

    def _top(self) -> float:
        """The value at the upper edge: a little more than the capacity, or than the peak above it."""
        peak = int(self._series.value.max(initial=0)) if self._series is not None else 0
        return _HEADROOM * max(self._capacity or 0, peak, 1)

    def _painter_of(self, want: Want) -> Callable[[], Picture] | None:
        series, own, top, theme = self._series, self._own, self._top(), self.theme
        if series is None:
            return None
        colour = theme.cpu if self._kind == "cpu" else theme.ram
        return lambda: Picture.of(want, paint_usage(want, series, own, top, colour, theme))

    def _paint_over(self, painter: QPainter, frame: Frame) -> None:
        """A line at the capacity."""
        if self._capacity:
            y = int(self._height(frame, self._capacity)) + 0.5
            painter.setPen(QColor(self.theme.faint))
            painter.drawLine(QLineF(frame.plot.left(), y, frame.plot.right(), y))

    def _paint_rows(self, painter: QPainter, frame: Frame) -> None:
        if self._series is None:
            return
        line = QFontMetricsF(painter.font()).height()
        painter.setPen(QColor(self.theme.faint))
        whole = self._capacity or self._top() / _HEADROOM
        labels = [(0.0, "0"), (1.0, "100 %" if self._capacity else self._amount(int(whole)))]
        if frame.plot.height() > 4 * line:
            labels.insert(1, (0.5, "50 %" if self._capacity else ""))
        if frame.plot.height() < 2 * line:
            labels = labels[-1:]
        for share, text in labels:
            paint_row_label(painter, frame, text, self._height(frame, share * whole))

    def _height(self, frame: Frame, value: float) -> float:
        return frame.plot.bottom() - value / self._top() * frame.plot.height()

    def _paint_name(self, painter: QPainter, frame: Frame) -> None:
        """The name stands in the gutter: a strip has no room for a title line."""
        painter.setFont(title_font(self.font()))
        painter.setPen(QColor(self.theme.text))
        room = QRectF(frame.gutter.left() + 4, frame.plot.top(), 40, frame.plot.height())
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine, self.title)


def _value_at(series: Series, time: float) -> int:
    place = int(np.searchsorted(series.time, time, "right")) - 1
    return int(series.value[place]) if place >= 0 else 0
