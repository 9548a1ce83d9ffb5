"""The panel of the scatter: which measures, of what, under which run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from engine.trace import Trace
from views.data.measures import OVERS, measures_of
from views.data.plot_choices import AXES, ScatterChoices
from views.data.results import Result
from views.plotting.panel import ChoicePanel
from views.scatter.plots import scatter_plot
from views.state.context import ViewContext
from views.theme.theme import Theme

_EMPTY = (
    "A scatter compares two measures of users or jobs under a run.\n"
    "It appears when the first run is finished and compared."
)
_TIPS = {
    "up": "Vertical axis",
    "across": "Horizontal axis",
    "over": "What each dot is",
    "run": "The run whose jobs are shown",
    "other": "The run to which an arrow leads from each dot",
    "axis": "Linear or logarithmic axes",
}


class ScatterPanel(ChoicePanel[ScatterChoices]):
    """A scatter plot of two measures, a dot for each user, queue or job, under the chosen run.

    If a second run is chosen, an arrow leads from each dot to its position in that run. `run_chosen` and
    `other_chosen` carry the ids of the runs that the user chose; the latter is None for no run.
    """

    run_chosen = Signal(int)
    other_chosen = Signal(object)

    def __init__(self, context: ViewContext, theme: Theme, parent: QWidget | None = None) -> None:
        names = ["Scatter of two measures"]
        super().__init__(context, theme, ScatterChoices(), _TIPS, names, _EMPTY, parent)
        (self.chart,) = self.charts
        self._run: int | None = None
        self._other: int | None = None
        self._offer_measures(None)
        self.choosers.set_entries("over", {name: f"of {quantities}" for name, quantities in OVERS.items()})
        self.choosers.set_entries("axis", AXES)
        self._lay_out()
        self.set_theme(theme)
        self._show()

    def set_results(self, trace: Trace | None, results: Sequence[Result]) -> None:
        """Offer these finished runs of a trace."""
        self.choosers.set_entries("run", {result.run_id: f"under {result.name}" for result in results})
        others = {result.run_id: f"→ {result.name}" for result in results}
        self.choosers.set_entries("other", {None: "→ no other run", **others})
        super().set_results(trace, results)

    @property
    def result(self) -> Result | None:
        """The shown run: the chosen run, as long as it exists."""
        chosen = [result for result in self._results if result.run_id == self._run]
        return next(iter([*chosen, *self._results]), None)

    @property
    def other(self) -> Result | None:
        """The run that arrows lead to, if it is another run."""
        shown = self.result
        return next(
            (result for result in self._results if result.run_id == self._other and result is not shown), None
        )

    def choose_other(self, run_id: int | None) -> None:
        """Have arrows lead to this run; None: there are none."""
        if run_id != self._other:
            self._other = run_id
            self._show()

    def choose_run(self, run_id: int | None) -> None:
        """Show this run; the first where it is None, or not there."""
        if run_id != self._run:
            self._run = run_id
            self._show()

    def _offer_measures(self, trace: Trace | None) -> None:
        there = measures_of(trace, self._choices.up, self._choices.across)
        self.choosers.set_entries("up", {name: measure.title for name, measure in there.items()})
        self.choosers.set_entries(
            "across", {name: f"against {measure.title}" for name, measure in there.items()}
        )

    def _lay_out(self) -> None:
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
        self._stack_up(shown)

    def _show(self) -> None:
        choices, result = self._choices, self.result
        self._show_choices("up", "across", "over", "axis")
        if result is None:
            self.chart.set_plot(None)
        else:
            self.choosers.show_choice("run", result.run_id)
            log, other = choices.axis == "log", self.other
            self.choosers.show_choice("other", other.run_id if other is not None else None)
            runs = [result] if other is None else [result, other]
            self.chart.set_plot(lambda: scatter_plot(choices.across, choices.up, choices.over, runs, log))
        self._mark()

    def _choose(self, name: str, value: Any) -> None:
        if name == "run":
            self.choose_run(value)
            self.run_chosen.emit(value)
        elif name == "other":
            self.choose_other(value)
            self.other_chosen.emit(value)
        else:
            super()._choose(name, value)
