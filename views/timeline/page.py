"""The timeline: what queue and machine did under each run, and what was tuned when and why."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from PySide6.QtCore import QPoint, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QIcon, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QLabel, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from views.data.run_series import AVERAGES, RunSeries
from views.state.context import ViewContext
from views.state.spot import Spot
from views.text.tooltips import tip
from views.theme.swatch import swatch
from views.theme.theme import Theme
from views.timeline.lines import DepthPlot, SeriesPlot, UtilizationPlot
from views.timeline.tunables import TunablesPlot
from views.widgets.explanation import ExplainedLabel
from views.widgets.flow_layout import FlowLayout
from views.work.async_memo import AsyncMemo

_LOW = 320
"""Pixels of charts below which they have no title lines."""

_LANE, _LOW_LANE, _NO_LANE = 1.5, 2.0, 1.0
"""Height of a lane of tunables beside charts of height 4, in high and in low charts, or of a word on it."""

_LOWEST, _LINES, _LANE_LINES = 200, 12, 3
"""Pixels and lines of text of the page beside charts of runs, and further lines for lanes of tunables."""

_WIDEST, _NARROWEST = 226, 30
"""Pixels of the name of a run on its button."""

_READABLE = 9
"""Letters of a long name at least: names that would be shorter are in lines of their own."""

_BESIDE = 38
"""Pixels of such a button beside the name."""


class TimelinePage(QWidget):
    """Three charts on the window's clock; the line above them chooses runs and lines.

    `looks_changed` is sent when lines or scale change, `hidden_changed` carries the ids of the hidden runs,
    ascending.
    """

    context_requested = Signal(QPoint, Spot)
    looks_changed = Signal()
    hidden_changed = Signal(tuple)

    def __init__(self, context: ViewContext, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._filter = context.filter
        self._filter.changed.connect(self._follow_filter)
        self._runs: Sequence[RunSeries] = ()
        self._depths: AsyncMemo[list[float]] = AsyncMemo(context.executor, "Queue depth", self)
        self._depths.ready.connect(self._show)
        self._hidden: frozenset[int] = frozenset()  # ids of runs
        self.queue = DepthPlot(context, theme, self)
        self.use = UtilizationPlot(context, theme, self)
        self.tunables = TunablesPlot(context, theme, self)
        self.runs: dict[int, QToolButton] = {}
        self.all_jobs = QLabel("all jobs, whatever the filter", self)
        self.all_jobs.setStyleSheet(f"color: {theme.faint}")
        self.all_jobs.hide()
        self.log = self._button("log scale", "Logarithmic scale of the queue depth: small values are visible")
        self.log.toggled.connect(self.queue.set_log)
        self.log.toggled.connect(self.looks_changed)
        self.averages = {
            name: self._button(name, _average_tip(name), name in self.use.averages) for name in AVERAGES
        }
        for button in self.averages.values():
            button.toggled.connect(self._choose_averages)
        for chart in self.charts:
            chart.context_requested.connect(self.context_requested)
            chart.show_axis(chart is self.tunables)
        self._lay_out()
        self.set_runs(())

    @property
    def charts(self) -> tuple[SeriesPlot, ...]:
        """The charts, from top to bottom."""
        return self.queue, self.use, self.tunables

    @property
    def shown_runs(self) -> list[RunSeries]:
        """The runs that are shown."""
        return [run for run in self._runs if run.run_id not in self._hidden]

    def set_runs(self, runs: Sequence[RunSeries]) -> None:
        """Show these finished runs as soon as their queue depths are there; hidden runs stay hidden."""
        self._runs = runs
        for button in self.runs.values():
            self._names.removeWidget(button)
            button.hide()
            button.deleteLater()
        self.runs = {run.run_id: self._run_button(run) for run in runs}
        self._show()
        if not all(run.is_ready for run in runs):
            self._depths.request(object(), lambda: [run.deepest for run in runs])

    def hide_runs(self, run_ids: Collection[int]) -> None:
        """Show all runs except these; ids of runs that do not exist are kept."""
        if self._hidden == frozenset(run_ids):
            return
        self._hidden = frozenset(run_ids)
        for run_id, button in self.runs.items():
            with QSignalBlocker(button):
                button.setChecked(run_id not in self._hidden)
        self._show()

    def _follow_filter(self) -> None:
        """Show a note while a filter is on: the lines cover all jobs."""
        self.all_jobs.setVisible(self._filter.value.expression is not None)

    def set_theme(self, theme: Theme) -> None:
        """Use other colours."""
        self.all_jobs.setStyleSheet(f"color: {theme.faint}")
        for chart in self.charts:
            chart.set_theme(theme)

    def _run_button(self, series: RunSeries) -> QToolButton:
        button = self._button("", f"Show or hide {series.name}", True)
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        button.setIcon(QIcon(swatch(series.colour)))
        button.setChecked(series.run_id not in self._hidden)
        button.toggled.connect(lambda on: self._show_run(series.run_id, on))
        self._names.addWidget(button)
        return button

    def _show_run(self, run_id: int, on: bool) -> None:
        self.hide_runs(self._hidden - {run_id} if on else self._hidden | {run_id})
        self.hidden_changed.emit(tuple(sorted(self._hidden)))

    def _show(self) -> None:
        if not all(run.is_ready for run in self.shown_runs):
            return
        for chart in (self.queue, self.use, self.tunables):
            chart.set_runs(self.shown_runs, hidden=bool(self._runs))
        self._keep_least()
        self._arrange()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit names into a single line, and show titles if the charts are high enough."""
        super().resizeEvent(event)
        self._arrange()

    def _keep_least(self) -> None:
        """Be high enough for the words: otherwise the tabs would also grow when this page is first shown."""
        lines = _LINES + (_LANE_LINES if self.tunables.lanes else 0)
        self.setMinimumHeight(max(_LOWEST, lines * self.fontMetrics().lineSpacing()))

    def _arrange(self) -> None:
        """Divide the height among the plots; the axis is below the lowest plot and adds to its share."""
        self._name_runs()
        high = self.height() - self.log.sizeHint().height() - 4
        low = high < _LOW
        for lines in (self.queue, self.use, self.tunables):
            lines.set_low(low)
        lanes = len(self.tunables.lanes) * (_LOW_LANE if low else _LANE) or _NO_LANE
        axis, title = self.tunables.frame().axis.height(), self.queue.title_height
        share = max(high - axis - 3 * title, 1.0) / (4 + 4 + lanes)
        for chart, weight, more in zip(self.charts, (4, 4, lanes), (0, 0, axis), strict=True):
            self._column.setStretchFactor(chart, round(title + weight * share + more))

    def _name_runs(self) -> None:
        """Name the runs, cut as little as a single line of buttons allows; where that is too little, in lines
        of their own.
        """
        metrics = self.fontMetrics()
        sides = self._head.contentsMargins()
        whole = self.width() - sides.left() - sides.right()
        room = whole - self._looks.sizeHint().width() - self._head.spacing() - len(self._runs) * _BESIDE
        widths = [metrics.horizontalAdvance(run.name) for run in self._runs]
        longest = _WIDEST
        while longest > _NARROWEST and sum(min(width, longest) for width in widths) > room:
            longest -= 1
        below = longest < min(_READABLE * metrics.averageCharWidth(), max(widths, default=0))
        if below:
            longest = _WIDEST
        way = QBoxLayout.Direction
        self._head.setDirection(way.TopToBottom if below else way.LeftToRight)
        for series in self._runs:
            text = metrics.elidedText(series.name, Qt.TextElideMode.ElideMiddle, longest)
            self.runs[series.run_id].setText(text)

    def _choose_averages(self) -> None:
        self.use.set_averages([name for name, button in self.averages.items() if button.isChecked()])
        self.looks_changed.emit()

    def show_looks(self, log: bool, averages: Sequence[str]) -> None:
        """The scale of the queue depth, and which averages of the utilization are drawn."""
        self.log.setChecked(log)
        for name, button in self.averages.items():
            button.setChecked(name in averages)

    def _button(self, text: str, explanation: str, on: bool = False) -> QToolButton:
        button = QToolButton(self)  # with a frame, whether it is on or off: it is seen that it can be pressed
        button.setText(text)
        button.setToolTip(tip(explanation))
        button.setAccessibleName(explanation)
        button.setCheckable(True)
        button.setChecked(on)
        return button

    def _lay_out(self) -> None:
        # Names of curves wrap; the choices beside them move below where both do not fit.
        self._names = FlowLayout()
        self._names.setContentsMargins(0, 0, 0, 0)
        head = self._head = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        head.setContentsMargins(8, 2, 8, 2)
        head.addLayout(self._names, 1)
        looks = self._looks = QHBoxLayout()
        looks.addStretch(1)
        depth = ExplainedLabel("Queue depth", "queue depth", self)
        for part in (self.all_jobs, depth, self.log, *self.averages.values()):
            looks.addWidget(part)
        head.addLayout(looks)
        self._keep_least()
        self._column = column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        # All charts get the same height, whatever room each asks for.
        for chart in self.charts:
            chart.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
            column.addWidget(chart, 1)


def _average_tip(name: str) -> str:
    if name == "now":
        return "Utilization at each moment"
    return f"Utilization on average over the {name} before each moment"
