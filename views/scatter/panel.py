"""The panel of the scatter: which measures, of what, under which run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from engine.trace import Trace
from views.data.measures import MEASURES, OVERS
from views.data.plot_choices import AXES, ScatterChoices
from views.data.results import Result
from views.plotting.panel import ChoicePanel
from views.scatter.plot import scatter_plot
from views.state.context import ViewContext
from views.theme.theme import Theme

_EMPTY = (
    "A scatter compares two measures of users or jobs under a run.\n"
    "It appears when the first run is done and judged."
)
_TIPS = {
    "up": "What goes up",
    "across": "What goes to the right",
    "over": "What each dot is",
    "run": "Under which run",
    "axis": "The axes",
}


class ScatterPanel(ChoicePanel[ScatterChoices]):
    """Two measures against one another, a dot a user, queue or job, under the run that is chosen.

    `run_chosen` carries the id of the run that somebody chose.
    """

    run_chosen = Signal(int)

    def __init__(self, context: ViewContext, theme: Theme, parent: QWidget | None = None) -> None:
        names = ["Scatter of two measures"]
        super().__init__(context, theme, ScatterChoices(), _TIPS, names, _EMPTY, parent)
        (self.chart,) = self.charts
        self._run: int | None = None
        self.choosers.set_entries("up", {name: one.title for name, one in MEASURES.items()})
        self.choosers.set_entries("across", {name: f"against {one.title}" for name, one in MEASURES.items()})
        self.choosers.set_entries("over", {name: f"of {many}" for name, many in OVERS.items()})
        self.choosers.set_entries("axis", AXES)
        self._lay_out()
        self.set_theme(theme)
        self._show()

    def set_results(self, trace: Trace | None, results: Sequence[Result]) -> None:
        """Offer these finished runs of a trace."""
        self.choosers.set_entries("run", {result.run_id: f"under {result.name}" for result in results})
        super().set_results(trace, results)

    @property
    def result(self) -> Result | None:
        """The run that is shown: the one that was chosen, while it is there."""
        chosen = [result for result in self._results if result.run_id == self._run]
        return next(iter([*chosen, *self._results]), None)

    def choose_run(self, run_id: int | None) -> None:
        """Show this run; the first where it is None, or not there."""
        if run_id != self._run:
            self._run = run_id
            self._show()

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
            log = choices.axis == "log"
            self.chart.set_plot(lambda: scatter_plot(choices.across, choices.up, choices.over, result, log))
        self._mark()

    def _choose(self, name: str, value: Any) -> None:
        if name == "run":
            self.choose_run(value)
            self.run_chosen.emit(value)
        else:
            super()._choose(name, value)
