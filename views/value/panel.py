"""The panel of value: its plots, with budgets where a run has any, and the tolerance of delay."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QComboBox, QDoubleSpinBox, QLabel, QWidget

from engine.value.tolerance import DELTA, TOLERANCES
from views.data.budget_curves import have_budgets
from views.data.results import Result
from views.data.shown_runs import ShownRuns
from views.data.value_curves import DELTAS
from views.plot.page import PlotPage
from views.plotting.run_plots_panel import RunPlotsPanel
from views.state.context import ViewContext
from views.text.tooltips import tip
from views.theme.theme import LIGHT, Theme
from views.value.plots import value_page

_EMPTY = (
    "This view shows the value of schedules for users who pay for jobs that are not delayed.\n"
    "It appears when the first run is finished and compared."
)
_NAMES = (
    "Values of jobs",
    "Value left after a delay",
    "Delivered value",
    "Budgets over time",
    "Budgets unspent",
)
_OF_ALL = 3
"""Plots of every run; the further ones are of runs with budgets."""


class ValuePanel(RunPlotsPanel):
    """Values of jobs, what delay leaves of them, and what each run delivers of it all.

    `chosen` carries the shape of the tolerance and how many runtimes it is.
    """

    chosen = Signal(str, float)

    def __init__(self, context: ViewContext, theme: Theme = LIGHT, parent: QWidget | None = None) -> None:
        self.shape, self.delta = QComboBox(), QDoubleSpinBox()
        # The choice of tolerance belongs to this view alone, on top of the options of the window.
        self._options = replace(context.view.options, tolerance=("linear", DELTA))
        super().__init__(context, theme, _NAMES, self._page, _EMPTY, parent)
        self.shape.addItems(list(TOLERANCES))
        self.shape.setToolTip(tip("How the value of a job falls with its delay"))
        self.delta.setRange(float(DELTAS[0]), float(DELTAS[-1]))
        self.delta.setDecimals(1)
        self.delta.setValue(DELTA)
        self.delta.setSuffix(" runtimes")
        # Only a finished number is taken: with tracking each typed digit would compute all values.
        self.delta.setKeyboardTracking(False)
        self.delta.setAccessibleName("Delay that is tolerated, in runtimes")
        self.shape.setAccessibleName("Shape of the tolerance")
        self.delta.setToolTip(
            tip("The delay that users tolerate until a job is worth nothing, in its runtimes")
        )
        for widget in (self.shape, QLabel("tolerance of", self), self.delta):
            self.header.addWidget(widget)
        self.shape.currentTextChanged.connect(self._choose)
        self.delta.valueChanged.connect(self._choose)

    def set_tolerance(self, shape: str, delta: float) -> None:
        """Go by this tolerance; what no box holds becomes the nearest that it does."""
        with QSignalBlocker(self.shape), QSignalBlocker(self.delta):
            self.shape.setCurrentText(shape)
            self.delta.setValue(delta)
        self._options = replace(self._options, tolerance=(self.shape.currentText(), self.delta.value()))
        self._show()

    def plots_of(self, results: Sequence[Result]) -> int:
        """How many plots are shown of these runs: those of budgets where any has budgets."""
        return len(_NAMES) if have_budgets(results) else _OF_ALL

    def _page(self, shown: ShownRuns) -> PlotPage:
        return value_page(shown, self._options)

    def _choose(self) -> None:
        self.set_tolerance(self.shape.currentText(), self.delta.value())
        self.chosen.emit(self.shape.currentText(), self.delta.value())
