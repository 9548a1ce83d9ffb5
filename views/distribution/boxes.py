"""Box-plots: a box a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from views.data.measures import OVERS
from views.data.plot_choices import Points
from views.data.samples import BOX_WIDTH, RunValues, Samples, SingleValues
from views.data.scales import Categories
from views.data.unit_name import unit_name
from views.distribution.words import words_of
from views.plot.area import NEAR, PlotArea, Point
from views.plot.layers import BoxOutline, Dots, Layer
from views.plot.plot import Category, HoverText, Pick, Plot, PrintRoom
from views.text.counts import plural
from views.theme.theme import Theme

_PALE = 0.55
"""Strength of dots under boxes."""


def box_plot(samples: Samples, points: Points = "outliers") -> BoxPlot:
    """The box-plot of some samples."""
    return BoxPlot(
        words=words_of(samples, y_name=samples.measure.title_and_unit(samples.over)),
        x=Categories(len(samples.runs)),
        y=samples.scale,
        slots=tuple(Category(run.name, run.colour, run.run_id) for run in samples.runs),
        samples=samples,
        points=points,
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class BoxPlot(Plot):
    """The boxes of some samples, and their outliers, all of their values, or none as dots."""

    samples: Samples
    points: Points

    @property
    def paper(self) -> PrintRoom:
        """A little narrower than curves are."""
        return PrintRoom(2.3, 1.0)

    @property
    def dots(self) -> SingleValues | None:
        """The values that are drawn as single dots."""
        return {"outliers": self.samples.outliers, "all": self.samples.all_dots, "off": None}[self.points]

    def layers(self, theme: Theme) -> Sequence[Layer]:
        """Boxes in front of all values, and outliers in front of boxes."""
        boxes = [self._box(index, run) for index, run in enumerate(self.samples.runs) if run.box is not None]
        # All values lie under the boxes, pale, for they would cover them; outliers lie beside the boxes.
        if self.points == "all":
            return [*self._dots(_PALE), *boxes]
        return [*boxes, *(self._dots(1.0) if self.points == "outliers" else ())]

    def _dots(self, strength: float) -> list[Layer]:
        dots, layers = self.dots, list[Layer]()
        if dots is not None:
            for index, run in enumerate(self.samples.runs):
                of_run = dots.run == index
                layers.append(Dots(dots.x[of_run], dots.y[of_run], run.colour, strength, run=run.run_id))
        return layers

    def _box(self, index: int, run: RunValues) -> Layer:
        box, ghost = run.box, run.ghost
        assert box is not None
        ends = np.array([box.low, box.q1, box.median, box.q3, box.high])
        low, q1, median, q3, high = self.samples.scale.coordinates_of(ends).tolist()
        # The ghost is the box before the run was explored: its quartiles alone.
        before = None
        if ghost is not None:
            before = tuple(
                self.samples.scale.coordinates_of(np.array([ghost.q1, ghost.median, ghost.q3])).tolist()
            )
        return BoxOutline(index, low, q1, median, q3, high, run.colour, BOX_WIDTH, before, run=run.run_id)

    def read(self, area: PlotArea, position: Point) -> HoverText | None:
        """The dot there, else the box, else the run below it."""
        # Dots come first: a dot that lies on a box could not be pointed at otherwise.
        dots = self.dots
        if dots is not None and area.box.grown(NEAR).contains(position):
            nearest = area.nearest(dots.x, dots.y, position)
            if nearest is not None:
                return self._read_dot(dots, nearest)
        run = round(area.x_at(position.x))
        if not 0 <= run < len(self.samples.runs):
            return None
        # The name below the axis and the box tell the same.
        if position.y > area.box.bottom or self._on_box(area, run, position):
            return HoverText(self.box_text(run))
        return None

    def _read_dot(self, dots: SingleValues, dot: int) -> HoverText:
        unit, run = int(dots.unit[dot]), self.samples.runs[dots.run[dot]]
        name = unit_name(self.samples.trace, self.samples.over, unit)
        value = self.samples.measure.show(float(dots.value[dot]))
        spot = (float(dots.x[dot]), float(dots.y[dot]))
        return HoverText(f"{name}: {value}\n{run.name}", lambda: [unit], spot)

    def _on_box(self, area: PlotArea, run: int, position: Point) -> bool:
        box = self.samples.runs[run].box
        if box is None or abs(area.x_at(position.x) - run) > BOX_WIDTH / 2:
            return False
        # Pixels grow downwards: the lower end of the box has the greater y. A flat box can be hit a few
        # pixels off.
        low, high = area.ys(self.samples.scale.coordinates_of(np.array([box.low, box.high]))).tolist()
        return bool(high - NEAR <= position.y <= low + NEAR)

    def box_text(self, run: int) -> str:
        """The run's name and the five numbers of its box."""
        values = self.samples.runs[run]
        if values.box is None:
            return values.name
        numbers = (
            ("maximum", values.box.maximum),
            ("upper quartile", values.box.q3),
            ("median", values.box.median),
            ("lower quartile", values.box.q1),
            ("minimum", values.box.minimum),
        )
        lines = [f"{label}: {self.samples.measure.show(value)}" for label, value in numbers]
        counted = (
            f"{values.box.count} {OVERS[self.samples.over]}, {plural(len(values.box.outliers), 'outlier')}"
        )
        was = [f"median before: {self.samples.measure.show(values.ghost.median)}"] if values.ghost else []
        return "\n".join([values.name, *lines, *was, counted])

    def marks(self, units: Sequence[int]) -> list[Pick]:
        """A picked unit on each box."""
        return [self._mark(index, value) for index, value in self.samples.of_units(units)]

    def _mark(self, index: int, value: float) -> Pick:
        return Pick(
            index, float(self.samples.scale.coordinates_of(np.array(value))), self.samples.measure.show(value)
        )
