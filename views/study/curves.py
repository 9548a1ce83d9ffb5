"""The curves of a study: means over a parameter with their intervals, one colour per value of another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.sweep.points import POLICY, Curve
from views.data.scales import Categories, LinearScale, Scale
from views.data.study_look import Facet, StudyLook
from views.plot.area import PlotArea, Point
from views.plot.layers import Floats, Intervals, Layer
from views.plot.plot import Category, HoverText, Paper, Plot, Words
from views.theme.theme import Theme

_NEAR = 12.0
"""Pixels within which a point is hit: there are few."""

_APART = 0.5
"""Maximum horizontal distance of curves over words, where they would overlap."""


@dataclass(frozen=True, eq=False)
class Drawn:
    """A curve as coordinates on both scales, shape (n,) each; `index` is of its colour."""

    curve: Curve
    index: int
    x: Floats
    mean: Floats
    low: Floats
    high: Floats


@dataclass(frozen=True, eq=False, kw_only=True)
class CurvesPlot(Plot):
    """A facet of a study. A click picks the index of the run nearest to the mean of a point."""

    look: StudyLook
    facet: Facet
    drawn: Sequence[Drawn]
    lines: bool  # whether points are joined: over numbers

    @property
    def paper(self) -> Paper:
        """At most three are side by side."""
        return Paper(1.9, 1.6)

    def layers(self, theme: Theme) -> Sequence[Layer]:
        """The points of each curve with their intervals."""
        colour = self.look.colour_of
        return [
            Intervals(
                drawn.x,
                drawn.mean,
                drawn.low,
                drawn.high,
                colour(drawn.curve.colour),
                self.lines,
                run=drawn.index,
            )
            for drawn in self.drawn
        ]

    def read(self, area: PlotArea, position: Point) -> HoverText | None:
        """The point there in words."""
        spots = [(drawn, k) for drawn in self.drawn for k in range(len(drawn.x))]
        if not spots:
            return None
        x, y = (np.array([getattr(drawn, name)[k] for drawn, k in spots]) for name in ("x", "mean"))
        hit = area.nearest(x, y, position, _NEAR)
        if hit is None:
            return None
        drawn, k = spots[hit]
        point = drawn.curve.points[k]
        text = self.look.describe(self.facet, drawn.curve, point)
        return HoverText(text, lambda: [point.run], (float(x[hit]), float(y[hit])))


def curves_plot(look: StudyLook, number: int) -> CurvesPlot:
    """The curves of a facet; facets of the same metric share a vertical scale. Takes time in the number of
    runs.
    """
    facet, across = look.facets[number], look.choices.across
    values = look.values(across)
    numbers = look.results.numbers(across) if across != POLICY else None
    shift = _shifts(facet.curves) if numbers is None and look.choices.colour != across else {}
    at = dict(zip(values, numbers or map(float, range(len(values))), strict=True))
    alike = [other for other in look.facets if other.measure == facet.measure]
    points = [point for other in alike for curve in other.curves for point in curve.points]
    x: Scale = Categories(len(values))
    if numbers is not None:
        x = LinearScale(min(numbers), max(numbers) if len(numbers) > 1 else min(numbers) + 1)
    words = Words(
        title=facet.title,
        text=look.metric(facet.measure).text,
        x_name=across if numbers is not None else "",
        y_name=look.unit_in(facet.measure),
        message="" if facet.curves else "No run of this plot is finished yet.",
    )
    colours = look.values(look.choices.colour)
    drawn = [
        Drawn(
            curve,
            colours.index(curve.colour) if curve.colour in colours else 0,
            np.array([at[point.x] + shift.get(curve.colour, 0.0) for point in curve.points]),
            *(np.array([getattr(point, name) for point in curve.points]) for name in ("mean", "low", "high")),
        )
        for curve in facet.curves
    ]

    def colour_of(value: str) -> str:
        return look.colour_of(value) if look.choices.colour == across else ""

    return CurvesPlot(
        words=words,
        x=x,
        y=look.scale_up(facet.measure, points),
        slots=() if numbers is not None else [Category(shown, colour_of(shown)) for shown in values],
        look=look,
        facet=facet,
        drawn=drawn,
        lines=numbers is not None,
    )


def _shifts(curves: Sequence[Curve]) -> dict[str, float]:
    """The horizontal shift of each colour within the room of a category."""
    step = _APART / max(len(curves), 1)
    return {curve.colour: step * (k - (len(curves) - 1) / 2) for k, curve in enumerate(curves)}
