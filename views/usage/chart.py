"""Processors, RAM or GPUs in use against what there is and what is requested; power; the queue."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QLineF, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter
from PySide6.QtWidgets import QWidget

from engine.schedule.schedule import Schedule
from views.data.usage import HEADROOM, NAMES, UsageKind, UsageQuantity, further_name, quantity_of
from views.raster.request import RenderRequest
from views.state.context import ViewContext
from views.text.ticks import axis_of
from views.text.values import number
from views.theme.fonts import tick_font
from views.theme.theme import Theme
from views.timechart.chart import TimeChart
from views.timechart.frame import BOTTOM, Frame, paint_row_label, paint_side_name
from views.timechart.picture import ChartPicture
from views.usage.paint import paint_usage

if TYPE_CHECKING:
    from engine.metrics.series import UsageSeries

_MOST_OF_STRIP = 0.4
"""The share of a strip's width that the range of the price may take."""


def _price_range(prices: tuple[float, float]) -> str:
    return " to ".join(number(price) for price in prices)


class UsageChart(TimeChart):
    """A strip: the mean use of each pixel's time as an area, up to the peak in a lighter tint.

    Behind it, in grey, what waiting jobs request on top; a line marks what the machine has.
    Requests beyond the upper edge are marked there. The strip of the queue shows the number
    of waiting jobs. The strip of power has the price of energy as a line, from 0 at the lower edge to the
    greatest at the upper one. The selected users' own part, if it is given, is drawn darker in front; a thin
    line shows what was before the run was explored.
    """

    title_height = 4.0

    def __init__(
        self, context: ViewContext, theme: Theme, kind: UsageKind, parent: QWidget | None = None
    ) -> None:
        super().__init__(context, theme, NAMES[kind], parent)
        self._kind: UsageKind = kind
        self._schedule: Schedule | None = None
        self._quantity: UsageQuantity | None = None
        self._own: UsageQuantity | None = None
        self._most: float | None = None
        self._ghost: UsageSeries | None = None

    def set_data(self, schedule: Schedule | None, usage: UsageSeries | None = None) -> None:
        """Show the use of the machine that a schedule makes."""
        self._schedule, self._quantity, self._own = schedule, None, None
        if schedule is None or usage is None:
            self.set_message("Nothing to show yet")
        else:
            self._quantity = quantity_of(self._kind, schedule, usage)
            self.set_title(further_name(schedule) if self._kind == "gpu" else NAMES[self._kind])
            self.set_time_axis(axis_of(schedule.trace))
            nothing = {
                "queue": "No job waited",
                "power": "The power of some nodes is not known, or the nodes of jobs are not",
            }.get(self._kind, f"The log has no {self.title} use")
            self.set_message("" if self._quantity.held.most else nothing)
        self._data_changed()

    def set_own(self, own: UsageSeries | None) -> None:
        """Show the part of the selected users; None: nobody is selected."""
        if own is None and self._own is None:
            return
        there = own is not None and self._schedule is not None
        self._own = quantity_of(self._kind, self._schedule, own) if there else None  # type: ignore[arg-type]
        self._data_changed()

    def set_ghost(self, ghost: UsageSeries | None) -> None:
        """The use before the run was explored: a thin line."""
        if ghost is not self._ghost:
            self._ghost = ghost
            self._data_changed()

    @property
    def own_most(self) -> float:
        """The greatest value that this run alone would show; 0: there are no data.

        It is a part of the capacity where that is known, so that runs on other machines can be compared.
        """
        return self._quantity.most / self._unit if self._quantity is not None else 0.0

    @property
    def _unit(self) -> int:
        """The unit of the scale: the capacity, or a single job, processor or MiB."""
        return self._quantity.capacity or 1 if self._quantity is not None else 1

    def set_scale_max(self, most: float | None) -> None:
        """The greatest value on the scale, so that several runs share it; None: this run's own."""
        if most != self._most:
            self._most = most
            self._data_changed()

    def sizeHint(self) -> QSize:
        return QSize(640, 64)

    def minimumSizeHint(self) -> QSize:
        bottom = round(self.frame().axis.height()) or round(BOTTOM)
        return QSize(240, round(self.title_height) + bottom + 24)

    def tooltip_at(self, position: QPointF) -> str:
        """The used and requested amount at that time."""
        frame = self.frame()
        if self._quantity is None or not frame.plot.contains(position):
            return ""
        time = frame.scale.time(position.x())
        return "\n".join([self.time_axis.format(time), *self._quantity.describe(time, self._own)])

    def summary(self) -> str:
        """The content of the chart, in a sentence."""
        if self.message or self._quantity is None:
            return self.message
        most = self._quantity.format(self._quantity.held.most)
        if self._kind == "power":
            prices = self._quantity.prices
            priced = f", the price of energy {_price_range(prices)} per kWh" if prices else ""
            return f"up to {most}{priced}"
        return f"up to {most} jobs wait" if self._kind == "queue" else f"up to {most} in use"

    def _painter_of(self, request: RenderRequest) -> Callable[[], ChartPicture] | None:
        # Taken here, since a thread draws: the run may be replaced meanwhile.
        quantity, own, theme = self._quantity, self._own, self.theme
        if quantity is None:
            return None
        top = HEADROOM * self._scale_max()
        colours = {
            "cpu": theme.cpu,
            "ram": theme.ram,
            "gpu": theme.gpu,
            "power": theme.power,
            "queue": theme.faint,
        }
        colour = colours[self._kind]
        before, schedule = self._ghost, self._schedule
        ghost = quantity_of(self._kind, schedule, before) if before and schedule else None
        return lambda: ChartPicture.of(
            request, paint_usage(request, quantity, own, top, colour, theme, ghost)
        )

    def _paint_over(self, painter: QPainter, frame: Frame) -> None:
        """A line at the capacity, or the cap on power; what is up where nodes fail is in the picture."""
        quantity = self._quantity
        if quantity is not None and quantity.prices is not None:
            self._paint_prices(painter, frame, quantity.prices)
        line = None if quantity is None else quantity.capacity or quantity.cap
        if quantity is not None and line and quantity.available is None:
            y = int(self._height(frame, line)) + 0.5
            painter.setPen(QColor(self.theme.text))
            painter.drawLine(QLineF(frame.plot.left(), y, frame.plot.right(), y))

    def _paint_prices(self, painter: QPainter, frame: Frame, prices: tuple[float, float]) -> None:
        """The range of the price, in the upper right corner."""
        painter.setFont(tick_font(painter.font()))
        text, metrics = f"price {_price_range(prices)} per kWh", QFontMetricsF(painter.font())
        box = QRectF(0, 0, metrics.horizontalAdvance(text) + 8, min(metrics.height(), frame.plot.height()))
        box.moveTopRight(frame.plot.topRight())
        # In a narrow strip the text would cover the curve.
        if box.width() < _MOST_OF_STRIP * frame.plot.width():
            painter.fillRect(box, QColor(self.theme.chart))
            painter.setPen(QColor(self.theme.price))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextSingleLine, text)

    def _paint_rows(self, painter: QPainter, frame: Frame) -> None:
        if self._quantity is None:
            return
        line = QFontMetricsF(painter.font()).height()
        painter.setPen(QColor(self.theme.faint))
        taken: list[float] = []
        for value, text in self._labels():
            y = self._height(frame, value)
            # Labels stay inside of the strip; a label that would touch a more important label is left out.
            y = max(min(y, frame.plot.bottom() - line / 2), frame.plot.top() + line / 2)
            if all(abs(y - other) >= 0.9 * line for other in taken):
                taken.append(y)
                paint_row_label(painter, frame, text, y)

    def _labels(self) -> list[tuple[float, str]]:
        """Values with their texts, the most important first."""
        quantity = self._quantity
        assert quantity is not None
        whole, most = quantity.whole, self._scale_max()
        if quantity.kind == "power":
            top = quantity.cap or most
            return [(top, quantity.format(top).replace(" ", "")), (0, "0")]  # short: beside the name
        if not quantity.capacity:
            digits = f"{most / 1000:.{1 if most < 10_000 else 0}f}".removesuffix(".0")
            text = quantity.format(most) if most < 1000 else f"{digits} k"  # short: beside the name
            return [(most, text), (0, "0")]
        labels = [(whole, "100 %"), (0, "0"), (whole / 2, "50 %")]
        if most >= 1.2 * whole:
            sign = "≥ " if quantity.most_requested > most else ""
            labels.insert(1, (most, f"{sign}{100 * most / whole:.0f} %"))
        return labels

    def _scale_max(self) -> int:
        return max(round((self._most or self.own_most) * self._unit), 1)

    def _height(self, frame: Frame, value: float) -> float:
        return frame.plot.bottom() - value / (HEADROOM * self._scale_max()) * frame.plot.height()

    def _paint_name(self, painter: QPainter, frame: Frame) -> None:
        paint_side_name(painter, frame, self.title, self.theme, self.font())
