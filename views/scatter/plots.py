"""The scatter plot of two measures under a run, or with changes from one run to another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.arrays import Floats
from engine.words import in_sentence
from views.data.measures import MEASURES, Over
from views.data.plot_choices import ScatterChoices, read_choices
from views.data.results import Result
from views.data.samples import Samples, samples_of
from views.data.shown_runs import ShownRuns
from views.data.unit_name import unit_name
from views.data.view_options import ViewOptions
from views.plot.area import PlotArea, Point
from views.plot.layers import Computed, Curve, Dots, Layer
from views.plot.page import PlotPage, runs_legend
from views.plot.plot import HoverText, Pick, Plot, PlotWords, PrintRoom
from views.text.terms import is_explained
from views.theme.theme import Theme

MOST_ARROWS = 2000
"""With more units no arrows are drawn, as they could not be followed."""

_HEAD, _OPEN = 8.0, 0.45
"""Pixels of an arrow's head along it, and how far it opens to either side, in parts of that."""


@dataclass(frozen=True, eq=False, kw_only=True)
class ScatterPlot(Plot):
    """Two measures of the same units under one or two runs; units without either value have no dot.

    `xs` and `ys` are the coordinates of all units under each run, NaN for missing values.
    """

    across: Samples
    up: Samples
    xs: Sequence[Floats]
    ys: Sequence[Floats]

    @property
    def paper(self) -> PrintRoom:
        """The plot has the page to itself."""
        return PrintRoom(3.4)

    def layers(self, theme: Theme) -> Sequence[Layer]:
        """The dots in the colour of the run, and arrows to small dots of the other run."""
        first, *others = self.across.runs
        dots = Dots(self.xs[0], self.ys[0], first.colour)
        if not others or len(self.xs[0]) > MOST_ARROWS:
            return [dots]
        shafts = Curve(_parted(*self.xs), _parted(*self.ys), theme.faint, 1.0)
        heads = Computed(lambda area: arrow_heads(area, self.xs, self.ys, others[0].colour))
        return [shafts, dots, Dots(self.xs[1], self.ys[1], others[0].colour, diameter=3.0), heads]

    def read(self, area: PlotArea, position: Point) -> HoverText | None:
        """The unit there, and its two values under each run."""
        candidates = ((area.nearest(x, y, position), x, y) for x, y in zip(self.xs, self.ys, strict=True))
        unit, xs, ys = next(
            (candidate for candidate in candidates if candidate[0] is not None),
            (None, self.xs[0], self.ys[0]),
        )
        if unit is None:
            return None
        lines = [
            f"{samples.measure.title_over(samples.over)}: "
            + " → ".join(samples.measure.show(float(run.values[unit])) for run in samples.runs)
            for samples in (self.across, self.up)
        ]
        name = unit_name(self.across.trace, self.across.over, unit)
        return HoverText("\n".join([name, *lines]), lambda: [unit], (float(xs[unit]), float(ys[unit])))

    def marks(self, units: Sequence[int]) -> list[Pick]:
        """The picked units."""
        xs, ys = self.xs[0], self.ys[0]
        there = [unit for unit in units if unit < len(xs) and np.isfinite(xs[unit] + ys[unit])]
        return [Pick(float(xs[unit]), float(ys[unit]), "") for unit in there]


def scatter_page(shown: ShownRuns, options: ViewOptions) -> PlotPage:
    """The scatter as it is chosen, with arrows where another run is chosen too."""
    choices = read_choices(ScatterChoices, options.scatter)
    runs = [shown.results[shown.place(options.scattered)]]
    runs += [
        result for result in shown.results if result.run_id == options.scattered_to and result is not runs[0]
    ]
    plot = scatter_plot(choices.across, choices.up, choices.over, runs, choices.axis == "log")
    return PlotPage([plot], runs_legend(runs) if len(runs) > 1 else (), "runs", runs[0].name)


def scatter_plot(across: str, up: str, over: Over, runs: Sequence[Result], log: bool) -> ScatterPlot:
    """Two measures, by name, of a run, or two with arrows between; takes time in the number of jobs."""
    both = [samples_of(MEASURES[name], over, runs, log) for name in (across, up)]
    names = [samples.measure.title_over(over) for samples in both]
    title = f"{names[1]} against {in_sentence(names[0])}"
    words = PlotWords(
        title=title if len(runs) == 1 else f"{title}: {runs[0].name} → {runs[1].name}",
        text="\n\n".join(samples.measure.text for samples in both),
        x_name=both[0].measure.title_and_unit(over),
        y_name=both[1].measure.title_and_unit(over),
        message=next((samples.lacking for samples in both if samples.lacking), ""),
        terms=tuple(filter(is_explained, (up, across))),
    )
    first, second = both
    xs, ys = ([samples.scale.coordinates_of(run.values) for run in samples.runs] for samples in both)
    return ScatterPlot(words=words, x=first.scale, y=second.scale, across=first, up=second, xs=xs, ys=ys)


def _parted(begin: Floats, end: Floats) -> Floats:
    """Lines from each begin to each end, a NaN between them."""
    return np.stack((begin, end, np.full(len(begin), np.nan)), axis=1).ravel()


def arrow_heads(area: PlotArea, xs: Sequence[Floats], ys: Sequence[Floats], colour: str) -> Curve:
    """Heads of a constant size in pixels at the ends of arrows; short arrows have no head."""
    x, y = ([to_pixels(end) for end in ends] for to_pixels, ends in ((area.xs, xs), (area.ys, ys)))
    across, down = x[1] - x[0], y[1] - y[0]
    length = np.hypot(across, down)
    long = np.flatnonzero(length > _HEAD)
    along = np.stack((across, down), 1)[long] / length[long, None] * _HEAD
    aside = along[:, ::-1] * (-_OPEN, _OPEN)
    tip = np.stack((x[1], y[1]), 1)[long]
    lines = np.stack((tip - along + aside, tip, tip - along - aside, np.full_like(tip, np.nan)), axis=1)
    corners = lines.reshape(-1, 2)
    return Curve(area.x_at(corners[:, 0]), area.y_at(corners[:, 1]), colour, 1.6)
