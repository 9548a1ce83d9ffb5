"""Cumulative curves: how many users, jobs... have at most a value, a curve a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from views.data.measures import OVERS
from views.data.samples import Samples
from views.data.scales import LinearScale
from views.data.unit_name import unit_name
from views.distribution.words import words_of
from views.plot.area import NEAR, PlotArea, Point
from views.plot.plot import HoverText, Pick
from views.plot.step_plot import StepFunction, StepPlot
from views.text.values import percent


@dataclass(frozen=True, eq=False, kw_only=True)
class Cumulative(StepPlot):
    """The curve of each run, in the order of the samples."""

    samples: Samples

    def marks(self, units: Sequence[int]) -> list[Pick]:
        """A picked unit on the curve of each run."""
        coordinates_of, show = self.samples.scale.coordinates_of, self.samples.measure.show
        return [
            Pick(
                float(coordinates_of(np.array(value))),
                float(self.lines[run].at(np.array(value))),
                show(value),
            )
            for run, value in self.samples.of_units(units)
        ]

    def read(self, area: PlotArea, position: Point) -> HoverText | None:
        """The value of every line there; a click on a curve picks the unit that makes it rise there."""
        reading = super().read(area, position)
        if reading is None:
            return None
        coordinate = area.x_at(position.x)
        value = self.x.value(coordinate)
        shares = np.array([float(line.at(np.array(value))) for line in self.lines])
        tops = area.ys(shares)
        near = int(np.argmin(np.abs(tops - position.y))) if len(tops) else 0
        if not len(tops) or abs(tops[near] - position.y) > NEAR:
            return reading
        unit = self._unit_at(near, value)
        if unit is None:
            return reading
        name = unit_name(self.samples.trace, self.samples.over, unit)
        offered = f"Click: {name}, {self.samples.runs[near].name}"
        return HoverText(f"{reading.text}\n{offered}", lambda: [unit], (coordinate, float(shares[near])))

    def _unit_at(self, run: int, value: float) -> int | None:
        """The unit with the greatest value that is not above this value."""
        values = self.samples.runs[run].values
        below = np.where(values <= value, values, -np.inf)
        unit = int(np.argmax(below)) if len(below) else 0
        return unit if len(below) and below[unit] > -np.inf else None


def cumulative_plot(samples: Samples) -> Cumulative:
    """The share of units, in %, whose value is at most that at the axis."""
    lines = [
        StepFunction(
            run.name,
            run.colour,
            run.ordered,
            # At the k-th of n values the line rises to k/n; a run without units has no steps, and nothing to
            # divide by.
            100.0 * np.arange(1, len(run.ordered) + 1) / max(len(run.ordered), 1),
            run.run_id,
        )
        for run in samples.runs
    ]
    return Cumulative(
        samples=samples,
        words=words_of(
            samples,
            x_name=samples.measure.title_and_unit(samples.over),
            y_name=f"% of {OVERS[samples.over]} up to there",
        ),
        x=samples.scale,
        y=LinearScale(),
        lines=lines,
        show_x=samples.measure.show,
        show_y=percent,
    )
