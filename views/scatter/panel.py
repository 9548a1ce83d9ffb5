"""The panel of the scatter: which measures, of what, under which run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QStackedLayout, QVBoxLayout, QWidget
from superqt import QElidingLabel

from engine.trace import Trace
from views.choices import AXES, ScatterChoices
from views.choosers import Choosers
from views.measures import MEASURES, OVERS
from views.plotchart import SMALLEST_PANEL, PlotChart
from views.results import Result
from views.scatter.plot import scatter_plot
from views.stage import Stage
from views.style import Theme
from views.units import click_hint, select_unit, selected_units, spell_selected

_EMPTY = (
    "A scatter compares two measures of users or jobs under a run.\nIt appears when the first run is done."
)
_TIPS = {
    "up": "What goes up",
    "across": "What goes to the right",
    "over": "What each dot is",
    "run": "Under which run",
    "axis": "The axes",
}


class ScatterPanel(QWidget):
    """A click on a dot selects its user, queue or job; what is selected is marked.

    `chosen` carries the reader's ScatterChoices.
    """

    chosen = Signal(object)

    def __init__(self, stage: Stage, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setMinimumSize(*SMALLEST_PANEL)
        self._selection = stage.selection
        self._choices = ScatterChoices()
        self._run: int | None = None
        self._trace: Trace | None = None
        self._results: Sequence[Result] = ()
        self.choosers = Choosers(_TIPS, self)
        self.choosers.set_entries("up", {name: one.title for name, one in MEASURES.items()})
        self.choosers.set_entries("across", {name: f"against {one.title}" for name, one in MEASURES.items()})
        self.choosers.set_entries("over", {name: f"of {many}" for name, many in OVERS.items()})
        self.choosers.set_entries("axis", AXES)
        self.choosers.chosen.connect(self._choose)
        self.chart = PlotChart(stage.renderer, theme, "Scatter of two measures", self)
        self.chart.picked.connect(self._pick)
        self.marked = QElidingLabel("", self)
        self.empty = QLabel(_EMPTY, self, alignment=Qt.AlignmentFlag.AlignCenter, wordWrap=True)
        self._lay_out()
        stage.selection.changed.connect(self._mark)
        self.set_theme(theme)
        self._show()

    @property
    def choices(self) -> ScatterChoices:
        """What is shown."""
        return self._choices

    def set_choices(self, choices: ScatterChoices) -> None:
        """Show something else."""
        if choices != self._choices:
            self._choices = choices
            self._show()

    def set_theme(self, theme: Theme) -> None:
        """Use the colours of another theme."""
        self.empty.setStyleSheet(f"color: {theme.faint}")
        self.chart.set_theme(theme)

    def set_results(self, trace: Trace | None, results: Sequence[Result]) -> None:
        """Offer these finished runs of a trace."""
        self._trace, self._results = trace, results
        self.choosers.set_entries("run", {result.run_id: f"under {result.name}" for result in results})
        self._stack.setCurrentIndex(1 if results else 0)
        self._show()

    @property
    def result(self) -> Result | None:
        """The run that is shown: the one that was chosen, while it is there."""
        chosen = [result for result in self._results if result.run_id == self._run]
        return next(iter([*chosen, *self._results]), None)

    def _lay_out(self) -> None:
        self.marked.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        header = QHBoxLayout()
        header.setContentsMargins(8, 2, 8, 0)
        header.addWidget(self.choosers)
        header.addWidget(self.marked, 1)
        shown = QWidget(self)
        column = QVBoxLayout(shown)
        column.setContentsMargins(4, 2, 4, 2)
        column.setSpacing(4)
        column.addLayout(header)
        column.addWidget(self.chart, 1)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self.empty)
        self._stack.addWidget(shown)

    def _show(self) -> None:
        choices, result = self._choices, self.result
        for name in ("up", "across", "over", "axis"):
            self.choosers.show_choice(name, getattr(choices, name))
        if result is None:
            self.chart.set_plot(None)
        else:
            self.choosers.show_choice("run", result.run_id)
            log = choices.axis == "log"
            self.chart.set_plot(lambda: scatter_plot(choices.across, choices.up, choices.over, result, log))
        self._mark()

    def _choose(self, name: str, value: Any) -> None:
        if name == "run":
            self._run = value
            self._show()
            return
        self.set_choices(replace(self._choices, **{name: value}))
        self.chosen.emit(self._choices)

    def _pick(self, unit: int, toggle: bool) -> None:
        if self._trace is not None:
            select_unit(self._selection, self._trace, self._choices.over, unit, toggle)

    def _mark(self) -> None:
        over = self._choices.over
        units = selected_units(self._trace, over, self._selection.value)
        self.chart.mark(units)
        self.marked.setText(spell_selected(self._trace, over, units) or click_hint(over))
