"""The chart of how jobs fare: violated expected end times on the window's clock, and boxes of waits."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from views.inspector.outcome_plots import ViolationPlot, WaitBoxPlot
from views.inspector.outcomes import RunOutcome, describe_waits
from views.plot.lane_plot import AROUND, LANE
from views.plotting.widget import PlotWidget
from views.state.context import ViewContext
from views.text.ticks import Hours, TimeAxis
from views.theme.theme import Theme

_SHARES = (57, 43)
"""How the two plots divide the width."""


class OutcomeChart(QWidget):
    """The outcome of the jobs of a user, a queue or a group under each run, a lane for each run.

    `time_clicked` carries the time at a click, in seconds.
    """

    time_clicked = Signal(float)

    def __init__(self, context: ViewContext, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._clock = context.clock
        self._outcomes: Sequence[RunOutcome] = ()
        self._axis: TimeAxis = Hours(0)
        self.violations = PlotWidget(context, theme, "Violated expected end times over time", self)
        self.violations.picked.connect(lambda times, _: self.time_clicked.emit(float(times[0])))
        self.waits = PlotWidget(context, theme, "Waits", self)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        for plot, share in zip((self.violations, self.waits), _SHARES, strict=True):
            layout.addWidget(plot, share)
        self._clock.changed.connect(self._follow_clock)

    def set_theme(self, theme: Theme) -> None:
        """Use the colours of another theme."""
        self.violations.set_theme(theme)
        self.waits.set_theme(theme)

    def show_outcomes(self, outcomes: Sequence[RunOutcome], axis: TimeAxis) -> None:
        """Show these runs, at least one; `axis` formats times."""
        self._outcomes, self._axis = outcomes, axis
        self.setAccessibleDescription(". ".join(map(describe_waits, outcomes)))
        self.setFixedHeight(AROUND + LANE * len(outcomes))
        self.waits.set_plot(lambda: WaitBoxPlot.of(outcomes))
        self._follow_clock()

    def _follow_clock(self) -> None:
        outcomes, window, axis = self._outcomes, self._clock.window, self._axis
        if outcomes:
            self.violations.set_plot(lambda: ViolationPlot.of(outcomes, window, axis))

    def sizeHint(self) -> QSize:
        return QSize(280, AROUND + LANE * len(self._outcomes))
