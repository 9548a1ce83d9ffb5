"""Dots with intervals are painted where they are, and joined where that is wanted."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest

from tests.views.context import ViewContext, colour_at
from tests.views.plotting.plots import RED, WHOLE, shown
from views.plot.layers import Intervals, Layer
from views.plot.plot import Plot, PlotWords
from views.theme.theme import LIGHT, Theme


@dataclass(frozen=True, eq=False, kw_only=True)
class TwoIntervals(Plot):
    """Dots at (250, 450) and (750, 450), the first between 250 and 650."""

    joined: bool

    def layers(self, theme: Theme) -> Sequence[Layer]:
        x, y = np.array([250.0, 750.0]), np.array([450.0, 450.0])
        return [Intervals(x, y, np.array([250.0, 450.0]), np.array([650.0, 450.0]), RED, self.joined)]


@pytest.mark.parametrize("joined", [True, False])
def test_dots_and_intervals_are_painted(context: ViewContext, joined: bool) -> None:
    chart = shown(context, TwoIntervals(words=PlotWords("Two"), x=WHOLE, y=WHOLE, joined=joined))
    image = context.settle(chart)

    def painted(x: float, y: float) -> bool:
        spot = chart.area.spot(x, y)
        columns = (spot.x() - 1, spot.x(), spot.x() + 1)  # lines lie between two pixels
        return any(
            colour_at(image, at, spot.y() + up) not in (LIGHT.chart, LIGHT.grid)
            for at in columns
            for up in (-1, 0, 1)
        )

    assert painted(250, 450)
    assert painted(750, 450)
    assert painted(250, 270)
    assert painted(250, 630)
    assert not painted(250, 690)
    assert not painted(750, 630)
    assert painted(550, 450) == joined
