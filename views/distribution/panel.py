"""The panel of distributions: what to compare, over whom, and how."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from engine.trace import Trace
from views.data.measures import MEASURES, OVERS, OVERVIEW, measures_of
from views.data.plot_choices import ALL_FOUR, AXES, DistributionChoices
from views.data.results import Result
from views.distribution.plots import plot_of
from views.plotting.panel import ChoicePanel
from views.plotting.run_legend import RunLegend
from views.plotting.widget import PlotWidget
from views.state.context import ViewContext
from views.theme.fonts import follow_font, tick_font
from views.theme.theme import Theme
from views.widgets.elided_label import ElidedLabel

_KEYS = {
    "box": "box: quartiles · line: median · whiskers: within 1.5 IQR",
    "histogram": "bars: ranges of the value, equally wide on the axis",
    "cumulative": "",
}
_TIPS = {
    "measure": "The measure that is compared",
    "over": "What has a value: each job, user, queue or size class",
    "kind": "How values are drawn",
    "axis": "Linear or logarithmic scale of the values",
    "points": "Which single values are drawn as dots",
}
_ENTRIES: dict[str, Mapping[Any, str]] = {
    "over": {name: f"over {many}" for name, many in OVERS.items()},
    "kind": {"box": "box-plots", "histogram": "histograms", "cumulative": "cumulative curves"},
    "axis": AXES,
    "points": {"outliers": "outliers", "all": "all points", "off": "no points"},
}
_WIDE = 1000
"""So many pixels have room to say how plots are read."""

_EMPTY = (
    "Distributions compare how users fare under each run.\nThey appear when the first run is finished "
    "and compared."
)


class DistributionPanel(ChoicePanel[DistributionChoices]):
    """Box-plots, histograms or cumulative curves of a single measure, or of four measures side by side.

    A double click on one of the four plots enlarges it. Clicks on the legend select and hide runs.
    """

    def __init__(self, context: ViewContext, theme: Theme, parent: QWidget | None = None) -> None:
        names = [f"Distribution {k + 1}" for k in range(len(OVERVIEW))]
        super().__init__(context, theme, DistributionChoices(), _TIPS, names, _EMPTY, parent)
        for name, entries in _ENTRIES.items():
            self.choosers.set_entries(name, entries)
        self._offer_measures(None)
        self.legend = RunLegend(self, clickable=True)
        self.legend.changed.connect(self._choose_runs)
        self._key = ElidedLabel("", self)
        follow_font(self._key, tick_font)
        self._grid = QGridLayout()
        self._columns = 0
        self._lay_out()
        for index, chart in enumerate(self.charts):
            chart.enlarged.connect(partial(self._enlarge, index))
            self._alone(chart).triggered.connect(partial(self._enlarge, index))
        self.set_theme(theme)
        self._show()

    def set_theme(self, theme: Theme) -> None:
        """Use the colours of another theme."""
        super().set_theme(theme)
        self._key.setStyleSheet(f"color: {theme.faint}")

    def set_results(self, trace: Trace | None, results: Sequence[Result]) -> None:
        """Show these finished runs of a trace."""
        self.legend.set_results(results)
        super().set_results(trace, results)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._key.setVisible(self.width() >= _WIDE)
        self._arrange()

    def _offer_measures(self, trace: Trace | None) -> None:
        there = measures_of(trace, *self._choices.measures)
        entries = {name: measure.title for name, measure in there.items()}
        self.choosers.set_entries("measure", {ALL_FOUR: "Four measures", **entries})

    def _lay_out(self) -> None:
        self._key.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        first, second = QHBoxLayout(), QHBoxLayout()
        first.addWidget(self.choosers)
        first.addWidget(self._key, 1)
        second.addWidget(self.legend, 2)
        second.addWidget(self.marked, 1)
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
        self._stack_up(shown)

    def _show(self) -> None:
        """The charts that the choices ask for."""
        choices, results = self._choices, self.legend.shown(self._results)
        self._show_choices(*_TIPS)
        self.choosers.boxes["points"].setEnabled(choices.kind == "box")
        self._key.setText(_KEYS[choices.kind])
        names = self._choices.measures
        self._allow_axis(not all(MEASURES[name].percentage for name in names))
        for index, chart in enumerate(self.charts):
            if results and index < len(names):
                name = names[index]
                chart.set_plot(partial(plot_of, replace(choices, measure=name), results))
            else:
                chart.set_plot(None)
        self._columns = 0
        self._arrange()
        self._mark()

    def _arrange(self) -> None:
        """Put the charts in a row if there is room, otherwise in two rows or in a column."""
        shown = len(self._choices.measures)
        fits = self.width() // PlotWidget.SMALLEST
        columns = 1 if shown == 1 else 4 if fits >= 4 else 2 if fits >= 2 else 1
        if columns == self._columns:
            return
        self._columns = columns
        for index, chart in enumerate(self.charts):
            chart.setVisible(index < shown)
            self._grid.addWidget(chart, index // columns, index % columns)
        for column in range(len(self.charts)):
            self._grid.setColumnStretch(column, 1 if column < columns else 0)

    def _enlarge(self, index: int) -> None:
        """Enlarge a plot of the four, or show all four again."""
        shown = self._choices.measures
        self._choose("measure", ALL_FOUR if len(shown) == 1 else shown[index])

    def _alone(self, chart: PlotWidget) -> QAction:
        action = QAction("Show alone, or all four", chart)
        chart.addAction(action)
        return action

    def _choose_runs(self) -> None:
        """Follow which runs are picked or hidden in the legend."""
        for chart in self.charts:
            chart.pick_runs(self.legend.picked)
        self._show()

    @property
    def _clickable(self) -> str:
        if self._choices.kind == "box":
            return "dot" if self._choices.points != "off" else ""
        return {"histogram": "bar", "cumulative": "curve"}[self._choices.kind]
