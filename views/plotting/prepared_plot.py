"""A plot made ready to be drawn, in a thread."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace

from views.plot.area import PlotArea
from views.plot.layers import Layer
from views.plot.plot import Plot
from views.plot.sampling import is_sampled, sampled
from views.theme.theme import Theme


@dataclass(frozen=True, eq=False)
class Prepared:
    """A plot in a theme, with all of its layers, and the drawn items of its visible part."""

    stamp: Hashable
    plot: Plot
    layers: Sequence[Layer]
    drawn: Sequence[Layer]
    area: PlotArea

    @property
    def hangs_on_area(self) -> bool:
        """True if another visible part requires a new preparation."""
        return any(map(is_sampled, self.layers))


def prepare(
    stamp: Hashable, source: Callable[[], Plot], theme: Theme, area: PlotArea, kept: Prepared | None
) -> Prepared:
    """Prepare the drawn items of a plot, in any thread; an already prepared plot (`kept`) is reused."""
    if kept is not None:
        plot, layers = kept.plot, kept.layers
    else:
        plot = source()
        layers = () if plot.words.message else tuple(plot.layers(theme))
        area = replace(area, x=plot.x.full_range, y=plot.y.full_range)
    return Prepared(stamp, plot, layers, [sampled(layer, area) for layer in layers], area)
