"""The chart of waits: the wait of a job as coloured bars, a lane for each run, above a legend."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QPalette, QResizeEvent
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from views.data.wait_kinds import KIND_COLOURS, KIND_NAMES
from views.inspector.lanes import JobLane, kinds_of
from views.inspector.wait_plot import ReasonLanes
from views.plot.lane_plot import AROUND, LANE
from views.plotting.widget import PlotWidget
from views.state.context import ViewContext
from views.text.ticks import TimeAxis
from views.theme.fonts import follow_font, tick_font
from views.theme.theme import Theme


class WaitChart(QWidget):
    """A `ReasonLanes` and the names of the reasons in it, as high as they need to be.

    `time_clicked` carries the time at a click, in seconds.
    """

    time_clicked = Signal(float)

    def __init__(self, context: ViewContext, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.plot = PlotWidget(context, theme, "Why the job waited, over time", self)
        self.plot.picked.connect(lambda times, _: self.time_clicked.emit(float(times[0])))
        self.legend = QLabel(self, wordWrap=True, textFormat=Qt.TextFormat.RichText)
        self.legend.setContentsMargins(10, 2, 10, 6)
        follow_font(self.legend, tick_font)
        self.setAutoFillBackground(True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.plot)
        layout.addWidget(self.legend, 1)
        self._lanes: Sequence[JobLane] = ()
        self._colour(theme)

    def set_theme(self, theme: Theme) -> None:
        """Use the colours of another theme."""
        self.plot.set_theme(theme)
        self._colour(theme)

    def _colour(self, theme: Theme) -> None:
        self._theme = theme
        self.legend.setText(_legend(self._lanes, theme))
        palette = self.palette()
        palette.setColor(QPalette.ColorRole.Window, theme.chart)
        palette.setColor(QPalette.ColorRole.WindowText, theme.text)
        self.setPalette(palette)

    def show_lanes(self, lanes: Sequence[JobLane], axis: TimeAxis) -> None:
        """Show a job under these runs, at least one; `axis` formats times."""
        self.plot.set_plot(lambda: ReasonLanes.of(lanes, axis))
        self.plot.setFixedHeight(AROUND + LANE * len(lanes))
        self._lanes = lanes
        self.legend.setText(_legend(lanes, self._theme))
        described = (f"{lane.name}: {str(lane.explanation).rstrip('.')}." for lane in lanes)
        self.setAccessibleDescription(" ".join(described))
        self._fit_height()

    def sizeHint(self) -> QSize:
        return QSize(280, self.plot.minimumHeight() + max(self.legend.heightForWidth(self.width()), 0))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_height()

    def _fit_height(self) -> None:
        self.setMinimumHeight(self.sizeHint().height())
        self.updateGeometry()


def _legend(lanes: Sequence[JobLane], theme: Theme) -> str:
    """Kinds of reason in their colours, the hatch and the pointers; lines break between them."""
    entries = [
        _entry(f'<span style="color: {KIND_COLOURS[k]}">■</span>', KIND_NAMES[k]) for k in kinds_of(lanes)
    ]
    if any(lane.reason_unknown for lane in lanes):
        entries.append(_entry(f'<span style="color: {theme.unknown}">▨</span>', "no reason recorded"))
    if any(lane.explanation.promises for lane in lanes):
        entries.append(_entry("▼", "promised start"))
    return " &nbsp; ".join(entries)


def _entry(mark: str, name: str) -> str:
    return "\u00a0".join([mark, *name.split()])
