"""The panel of distributions: what to compare, over whom, and how."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from html import escape

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QStackedLayout, QVBoxLayout, QWidget
from superqt import QElidingLabel

from engine.trace import Trace
from views.choices import ALL_FOUR, Choices
from views.distribution.boxes import box_plot
from views.distribution.choosers import Choosers
from views.distribution.cumulative import cumulative_plot
from views.distribution.histogram import histogram
from views.measures import MEASURES, OVERVIEW, OVERVIEW_OF_JOBS, unit_name
from views.plot import Plot
from views.plotchart import PlotChart
from views.renderer import Renderer
from views.results import Result
from views.selection import SelectionModel
from views.spread import spread_of
from views.style import LIGHT, Theme, tick_font

_KEYS = {
    "box": "box: quartiles · line: median · whiskers: within 1.5 IQR",
    "histogram": "classes of value, equally wide on the axis",
    "cumulative": "",
}
_EMPTY = "Distributions compare how users fare under each run.\nThey appear when the first run is done."


class DistributionPanel(QWidget):
    """Box-plots, histograms or cumulative curves of a measure, or of four beside one another.

    A click on a dot selects its user, queue or job; what is selected is marked. A double
    click on one of the four shows it alone. `chosen` carries the reader's Choices.
    """

    chosen = Signal(object)

    def __init__(
        self,
        selection: SelectionModel,
        renderer: Renderer,
        theme: Theme = LIGHT,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._selection = selection
        self._choices = Choices()
        self._trace: Trace | None = None
        self._results: Sequence[Result] = ()
        self.choosers = Choosers(self)
        self.choosers.chosen.connect(self._choose)
        self.charts = [
            PlotChart(renderer, theme, f"Distribution {k + 1}", self) for k in range(len(OVERVIEW))
        ]
        self.marked = QElidingLabel("", self)
        self.legend = QLabel("", self, textFormat=Qt.TextFormat.RichText, wordWrap=True)
        self._key = QElidingLabel("", self, font=tick_font(self.font()))
        self.empty = QLabel(_EMPTY, self, alignment=Qt.AlignmentFlag.AlignCenter, wordWrap=True)
        self._grid = QGridLayout()
        self._columns = 0
        self._fits = len(self.charts)  # beside one another; no more is known before it is shown
        self._lay_out()
        for place, chart in enumerate(self.charts):
            chart.picked.connect(self._pick)
            chart.enlarged.connect(partial(self._enlarge, place))
        selection.changed.connect(self._mark)
        self.set_theme(theme)
        self._show()

    @property
    def choices(self) -> Choices:
        """What is shown."""
        return self._choices

    def set_choices(self, choices: Choices) -> None:
        """Show something else."""
        if choices != self._choices:
            self._choices = choices
            self._show()

    def set_theme(self, theme: Theme) -> None:
        """Use the colours of another theme."""
        for label in (self._key, self.empty):
            label.setStyleSheet(f"color: {theme.faint}")
        for chart in self.charts:
            chart.set_theme(theme)

    def set_results(self, trace: Trace | None, results: Sequence[Result]) -> None:
        """Show these finished runs of a trace."""
        self._trace, self._results = trace, results
        self.legend.setText("&nbsp;&nbsp; ".join(_legend_entry(result) for result in results))
        self._stack.setCurrentIndex(1 if results else 0)
        self._show()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Break the row where the charts would get too narrow."""
        super().resizeEvent(event)
        self._fits = self.width() // PlotChart.SMALLEST
        self._arrange()

    def _lay_out(self) -> None:
        self.marked.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._key.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        first, second = QHBoxLayout(), QHBoxLayout()
        first.addWidget(self.choosers)
        first.addWidget(self.marked, 1)
        second.addWidget(self.legend, 2)
        second.addWidget(self._key, 1)
        for row in (first, second):
            row.setContentsMargins(8, 2, 8, 0)
        self._grid.setSpacing(4)
        self._grid.setContentsMargins(4, 2, 4, 2)
        shown = QWidget(self)
        column = QVBoxLayout(shown)
        column.setContentsMargins(0, 2, 0, 0)
        column.setSpacing(2)
        column.addLayout(first)
        column.addLayout(second)
        column.addLayout(self._grid, 1)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self.empty)
        self._stack.addWidget(shown)

    def _measures(self) -> Sequence[str]:
        if self._choices.measure != ALL_FOUR:
            return (self._choices.measure,)
        return OVERVIEW_OF_JOBS if self._choices.over == "job" else OVERVIEW

    def _show(self) -> None:
        """The charts that the choices ask for."""
        choices, results = self._choices, self._results
        self.choosers.show_choices(choices)
        self._key.setText(_KEYS[choices.kind])
        names = self._measures()
        for place, chart in enumerate(self.charts):
            if results and place < len(names):
                name = names[place]
                chart.set_plot(partial(plot_of, replace(choices, measure=name), results))
            else:
                chart.set_plot(None)
        self._columns = 0
        self._arrange()
        self._mark()

    def _arrange(self) -> None:
        """In a row where there is room, else in two rows or in one column."""
        shown = len(self._measures())
        columns = 1 if shown == 1 else 4 if self._fits >= 4 else 2 if self._fits >= 2 else 1
        if columns == self._columns:
            return
        self._columns = columns
        for place, chart in enumerate(self.charts):
            chart.setVisible(place < shown)
            self._grid.addWidget(chart, place // columns, place % columns)
        for column in range(len(self.charts)):
            self._grid.setColumnStretch(column, 1 if column < columns else 0)

    def _choose(self, choices: Choices) -> None:
        self.set_choices(choices)
        self.chosen.emit(choices)

    def _enlarge(self, place: int) -> None:
        """One of the four alone, or all four again."""
        shown = self._measures()
        self._choose(replace(self._choices, measure=ALL_FOUR if len(shown) == 1 else shown[place]))

    def _pick(self, unit: int, toggle: bool) -> None:
        over = self._choices.over
        if over == "user":
            self._selection.select_user(unit, toggle)
        elif over == "queue":
            self._selection.select_queue(unit, toggle)
        elif over == "job" and self._trace is not None:
            self._selection.select_job(self._trace, unit, toggle)

    def _mark(self) -> None:
        """Show what is selected of what the charts are over."""
        trace, over, value = self._trace, self._choices.over, self._selection.value
        units = {"user": value.users, "queue": value.queues, "job": value.jobs}.get(over, frozenset())
        many = {"user": trace.user.names, "queue": trace.queue.names, "job": trace.submit} if trace else {}
        marked = sorted(unit for unit in units if unit < len(many.get(over, ())))
        for chart in self.charts:
            chart.mark(marked)
        if trace is None or not marked:
            clickable = self._choices.kind == "box" and self._choices.points != "off" and over != "class"
            self.marked.setText(f"Click a dot to select its {over}" if clickable else "")
        elif len(marked) == 1:
            self.marked.setText(f"◆ {unit_name(trace, over, marked[0])}")
        else:
            self.marked.setText(f"◆ {len(marked)} {over}s")


def plot_of(choices: Choices, results: Sequence[Result]) -> Plot:
    """The plot of one measure; takes time in the number of jobs."""
    spread = spread_of(MEASURES[choices.measure], choices.over, results, choices.axis == "log")
    if choices.kind == "histogram":
        return histogram(spread)
    if choices.kind == "cumulative":
        return cumulative_plot(spread)
    return box_plot(spread, choices.points)


def _legend_entry(result: Result) -> str:
    name = escape(result.name).replace("-", "\u2011").replace(",", ",\u200b")
    return f'<span style="color: {result.colour}">■</span>&nbsp;{name}'
