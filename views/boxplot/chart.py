"""One box-plot: title, axes and boxes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QToolTip, QVBoxLayout, QWidget
from superqt import QElidingLabel

from views.boxes import BoxData, box_data
from views.boxplot.axes import NamesAxis, ValueAxis
from views.boxplot.item import BoxItem
from views.measures import Measure
from views.results import Result
from views.style import Theme, tick_font, title_font
from views.tips import tip

_TOP = 7
"""Pixels over the plot: half a line of text, for the highest tick."""

_RIGHT = 2


class _Plot(pg.PlotWidget):  # type: ignore[misc]
    """A plot that tells of its size."""

    resized = Signal()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.resized.emit()


class BoxChart(QWidget):
    """The boxes of one measure. `user_clicked` carries the code of the user whose dot was clicked."""

    user_clicked = Signal(int)

    SMALLEST = 170
    """Narrower than this, in pixels, a chart says too little."""

    def __init__(self, measure: Measure, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.measure = measure
        self._users: Sequence[str] = ()
        self._data = box_data(measure, [])
        self.title = QElidingLabel(
            measure.title, self, font=title_font(self.font()), toolTip=tip(measure.text)
        )
        self.unit = QElidingLabel(measure.axis, self, font=tick_font(self.font()), toolTip=tip(measure.text))
        self.values_axis = ValueAxis(theme)
        self.names_axis = NamesAxis(theme)
        self.plot = _Plot(self, axisItems={"left": self.values_axis, "bottom": self.names_axis})
        self._message = QLabel(self.plot, alignment=Qt.AlignmentFlag.AlignCenter, wordWrap=True)
        self.item = BoxItem(theme, self._tell, self._click)
        self._set_up_plot()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(4, 4, 4, 0)
        layout.setSpacing(0)
        layout.addWidget(self.title)
        layout.addWidget(self.unit)
        layout.addWidget(self.plot, 1)
        self.set_theme(theme)

    def _set_up_plot(self) -> None:
        plot = self.plot.getPlotItem()
        plot.setMenuEnabled(False)
        plot.hideButtons()
        plot.setMouseEnabled(False, False)
        plot.getViewBox().setDefaultPadding(0)
        plot.getViewBox().disableAutoRange()
        plot.layout.setContentsMargins(0, _TOP, _RIGHT, 0)
        plot.addItem(self.item, ignoreBounds=True)
        self.plot.setMinimumHeight(120)
        self.plot.resized.connect(self._fit)

    def set_theme(self, theme: Theme) -> None:
        """Use the colours of another theme."""
        self.plot.setBackground(theme.chart)
        self.unit.setStyleSheet(f"color: {theme.faint}")
        self._message.setStyleSheet(f"color: {theme.faint}; background: transparent")
        self.values_axis.set_theme(theme)
        self.names_axis.set_theme(theme)
        self.item.set_theme(theme)

    def set_results(self, users: Sequence[str], results: Sequence[Result]) -> None:
        """Show a box for each run; `users` are the names by code."""
        self._users = users
        self._data = box_data(self.measure, results)
        self.item.set_data(self._data)
        self.names_axis.set_names([r.name for r in results], [r.colour for r in results])
        self._message.setText("Not computed for these runs" if self._data.empty else "")
        self._message.setVisible(self._data.empty)
        low, high = self._data.scale.span
        self.values_axis.set_scale(None if self._data.empty else self._data.scale)
        self.plot.setRange(xRange=(-0.5, max(len(results), 1) - 0.5), yRange=(low, high), padding=0)
        self._fit()

    def mark(self, users: tuple[int, ...]) -> None:
        """Mark the values of these users, given by code."""
        self.item.mark(users)

    @property
    def data(self) -> BoxData:
        """What is shown."""
        return self._data

    def _fit(self) -> None:
        """Lay names, ticks and message out for the present size."""
        width, height = self.plot.width(), self.plot.height()
        self.names_axis.fit(width - self.values_axis.maximumWidth() - _RIGHT, height)
        layout = self.plot.getPlotItem().layout
        layout.invalidate()  # a new height that comes while Qt lays out would be forgotten
        layout.activate()
        room = height - self.names_axis.maximumHeight() - _TOP
        self.values_axis.fit(room)
        self.item.set_grid([tick for tick, _ in self.values_axis.ticks])
        self._message.setGeometry(0, 0, width, round(room))

    def _click(self, dot: int) -> None:
        self.user_clicked.emit(int(self._data.dots.user[dot]))

    def _tell(self, dot: int | None, place: int | None, where: Any) -> None:
        """Show, or hide, what is under the mouse."""
        self.plot.setCursor(Qt.CursorShape.ArrowCursor if dot is None else Qt.CursorShape.PointingHandCursor)
        if dot is not None:
            QToolTip.showText(where.toPoint(), tip(self.dot_text(dot)), self.plot)
        elif place is not None:
            QToolTip.showText(where.toPoint(), tip(self.box_text(place)), self.plot)
        else:
            QToolTip.hideText()

    def dot_text(self, dot: int) -> str:
        """User, run and value of a dot."""
        dots = self._data.dots
        user, run = self._users[dots.user[dot]], self._data.runs[dots.run[dot]].name
        return f"user {user}: {self.measure.show(float(dots.value[dot]))}\n{run}"

    def box_text(self, place: int) -> str:
        """The five numbers of a box."""
        run = self._data.runs[place]
        if run.box is None:
            return run.name
        numbers = (
            ("maximum", run.box.maximum),
            ("upper quartile", run.box.q3),
            ("median", run.box.median),
            ("lower quartile", run.box.q1),
            ("minimum", run.box.minimum),
        )
        lines = [f"{label}: {self.measure.show(value)}" for label, value in numbers]
        outliers = len(run.box.outliers)
        return "\n".join(
            [run.name, *lines, f"{run.box.count} users, {outliers} outlier{'' if outliers == 1 else 's'}"]
        )
