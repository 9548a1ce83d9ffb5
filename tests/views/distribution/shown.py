"""Runs of twelve users, and a panel that shows their distributions."""

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QComboBox

from engine.trace import Trace
from tests.traces import make_trace
from tests.views.context import ViewContext
from tests.views.results import make_result
from views.data.plot_choices import DistributionChoices, read_choices
from views.data.results import Result
from views.distribution.boxes import BoxPlot
from views.distribution.panel import DistributionPanel
from views.plot.area import PlotArea
from views.plot.plot import Plot
from views.theme.theme import LIGHT

VEET, WT, WAIT, SLOWDOWN = range(4)
USERS = 12
LONG = "fairshare-easy:penalty=cpu,half_life=2h"


def some_trace() -> Trace:
    """Twelve users with two jobs each; the user of code 11 is named so that it must be shown as text."""
    names = [f"u{code}" for code in range(USERS - 1)] + ["<b>last</b>"]
    return make_trace(
        submit=range(0, 2 * USERS * 100, 100),
        runtime=[100] * 2 * USERS,
        user=[n for n in names for _ in "12"],
        queue=["short", "long"] * USERS,
    )


def starts(trace: Trace, factor: int) -> list[int]:
    """User k waits k * factor seconds for each job; the last one a hundred times as long."""
    wait = trace.user.codes * factor
    wait[-2:] *= 100
    return list(trace.submit + wait)


def some_results(trace: Trace, runs: int = 2, policies: Sequence[str] = ("easy", LONG)) -> list[Result]:
    return [
        make_result(trace, starts(trace, 60 * (k + 1)), k + 1, policies[k % len(policies)])
        for k in range(runs)
    ]


class Shown:
    """A panel on a context."""

    def __init__(self, context: ViewContext) -> None:
        self.context = context
        self.panel = DistributionPanel(context, LIGHT)
        context.qtbot.addWidget(self.panel)
        self.panel.resize(1200, 380)
        self.panel.show()
        context.qtbot.waitExposed(self.panel)
        self.trace = some_trace()

    def show(self, results: list[Result] | None = None, choices: str = "") -> None:
        """Show runs, and wait until they are drawn."""
        if choices:
            self.panel.set_choices(read_choices(DistributionChoices, choices))
        if results is not None:
            self.panel.set_results(self.trace, results)
        self.settle()

    def settle(self) -> None:
        self.context.settle(self.panel)

    def plot(self, chart: int = 0) -> Plot:
        plot = self.panel.charts[chart].plot
        assert plot is not None
        return plot

    def area(self, chart: int = 0) -> PlotArea:
        return self.panel.charts[chart].area

    def dot(self, chart: int, run: int, unit: int) -> QPoint:
        """Where a dot of a box-plot lies in its chart."""
        plot = self.plot(chart)
        assert isinstance(plot, BoxPlot)
        dots = plot.dots
        assert dots is not None
        (found,) = np.flatnonzero((dots.run == run) & (dots.unit == unit))
        return self.area(chart).spot(float(dots.x[found]), float(dots.y[found])).toPoint()

    def choose(self, name: str, label: str) -> None:
        """Choose an entry of one of the boxes by its label, as a hand does with the keys."""
        box: QComboBox = self.panel.choosers.boxes[name]
        box.setCurrentText(label)
        box.activated.emit(box.currentIndex())
        self.settle()


def area_of(plot: Plot) -> PlotArea:
    """Where a plot lies that is all seen."""
    return PlotArea(40, 40, 300, 200, plot.x.full_range, plot.y.full_range)
