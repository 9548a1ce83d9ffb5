"""A plain plot for tests: five dots on linear scales, each of which can be picked."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from tests.views.context import ViewContext
from views.data.scales import LinearScale
from views.plot.area import PlotArea, Point
from views.plot.layers import Curve, Dots, Layer
from views.plot.plot import HoverText, Pick, Plot, PlotWords
from views.plotting.widget import PlotWidget
from views.theme.theme import LIGHT, Theme

RED, BLUE = "#d55e00", "#0072b2"
WHOLE = LinearScale(0.0, 1000.0)


@dataclass(frozen=True, eq=False, kw_only=True)
class FiveDots(Plot):
    """Dots at 100, 300, ... on both scales, of runs 1 and 2, over a line of run 2."""

    at: np.ndarray = field(default_factory=lambda: np.arange(100.0, 1000.0, 200.0))

    def layers(self, theme: Theme) -> Sequence[Layer]:
        return [
            Curve(np.array([0.0, 1000.0]), np.array([500.0, 500.0]), BLUE, 3.0, run=2),
            Dots(self.at, self.at, RED, run=1),
        ]

    def read(self, area: PlotArea, position: Point) -> HoverText | None:
        found = area.nearest(self.at, self.at, position)
        if found is None:
            return None
        return HoverText(f"dot {found}", lambda: [found], (self.at[found], self.at[found]))

    def marks(self, units: Sequence[int]) -> list[Pick]:
        return [Pick(self.at[unit], self.at[unit], f"dot {unit}") for unit in units]


def five_dots(message: str = "", title: str = "Dots") -> FiveDots:
    words = PlotWords(title, "Five of them.", "across", "up", message)
    return FiveDots(words=words, x=WHOLE, y=WHOLE)


def shown(context: ViewContext, plot: Plot | None = None) -> PlotWidget:
    """A widget that shows a plot."""
    chart = PlotWidget(context, LIGHT, "Plot")
    context.qtbot.addWidget(chart)
    chart.resize(500, 400)
    chart.show()
    chart.set_plot(lambda: plot or five_dots())
    context.settle(chart)
    return chart
