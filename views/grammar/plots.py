"""The plots of a composed figure: scales and layers of its marks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from engine.errors import InputError
from engine.metrics.metric import Metric
from engine.metrics.named import FAMILIES, parse_metric
from engine.policy.phrases import key_title
from engine.sweep.points import numbers_of
from engine.sweep.result_table import ResultTable
from views.data.scales import Categories, LinearScale, LogScale, Scale
from views.grammar.encoding import SPREADS, Encoding
from views.grammar.marks import Facet, Mark, Series, facets_of, summed_parameters
from views.plot.layers import Bars, BoxOutline, Curve, Dots, Intervals, Layer
from views.plot.page import PlotPage
from views.plot.plot import Category, Paper, Plot, Words
from views.text.metrics import metric_heading
from views.theme.palette import RUN_COLOURS, USER_COLOURS
from views.theme.theme import Theme

Floats = NDArray[np.float64]

_GROUP = 0.8
"""The part of a category's room that its bars or boxes take together."""

_WHISKER = "#39424e"
"""The colour of whiskers over bars, which is seen on all of them."""

_SPREAD_OUT = 0.5
"""The part that the means of several colours take."""


@dataclass(frozen=True, eq=False, kw_only=True)
class ComposedPlot(Plot):
    """A plot of a composed figure: its layers are made already."""

    made: Sequence[Layer]

    @property
    def paper(self) -> Paper:
        """At most four are side by side."""
        return Paper(1.9, 1.4)

    def layers(self, theme: Theme) -> Sequence[Layer]:
        """The layers, which use no colour of the theme."""
        return self.made


@dataclass(frozen=True, eq=False)
class Composition:
    """A table of results, an encoding that fits it, and the facets that these give."""

    table: ResultTable
    encoding: Encoding
    facets: tuple[Facet, ...]

    def page(self) -> PlotPage:
        """All plots with their legend and the notes on what a mark is. Raises InputError."""
        legend = self._legend()
        encoding = self.encoding
        is_grid = bool(encoding.down and encoding.across)
        columns = len({facet.across for facet in self.facets}) if is_grid else 0
        return PlotPage(
            [self._plot(facet) for facet in self.facets],
            legend,
            self._title(encoding.colour or encoding.style) if legend else "",
            notes=self._notes(),
            columns=columns,
        )

    def _plot(self, facet: Facet) -> ComposedPlot:
        encoding = self.encoding
        # Facets of a measure share the vertical axis, so that heights can be compared across plots.
        alike = (
            [facet] if encoding.free else [other for other in self.facets if other.measure == facet.measure]
        )
        x, y = self._scale_across(), self._scale_up(alike)
        names = (encoding.down, facet.down), (encoding.across, facet.across)
        title = ", ".join(f"{self._title(name)}: {encoding.word(value)}" for name, value in names if name)
        slots = isinstance(x, Categories)
        return ComposedPlot(
            words=Words(
                title=title or self._heading(facet.measure),
                x_name="" if slots else self._title(encoding.x),
                y_name=self._heading(facet.measure) if title else "",
                message="" if facet.series else "No run has these values",
            ),
            x=x,
            y=y,
            slots=[Category(encoding.word(value)) for value in self._x_values] if slots else (),
            made=[
                layer
                for place, series in enumerate(facet.series)
                for layer in self._layers(series, place, len(facet.series), x, y)
            ],
        )

    @cached_property
    def _x_values(self) -> tuple[str, ...]:
        """The values of x that a mark has."""
        seen = {mark.x for facet in self.facets for series in facet.series for mark in series.marks}
        return tuple(value for value in self.encoding.values(self.table, self.encoding.x) if value in seen)

    def _scale_across(self) -> Scale:
        """Numbers lie on a scale, words beside each other; bars and boxes have a place for each value."""
        encoding, values = self.encoding, self._x_values
        numbers = numbers_of(encoding.x, values)
        if numbers is None or encoding.kind in ("bars", "boxes"):
            if encoding.log_x:
                raise InputError(f"{encoding.x} has words or places, which lie on no logarithmic axis")
            return Categories(len(values))
        if encoding.log_x:
            if min(numbers) <= 0:
                raise InputError(f"{encoding.x} has the value {min(numbers):g}, which has no logarithm")
            return LogScale.of(np.array(numbers), False)
        return LinearScale(min(numbers), max(numbers) if len(numbers) > 1 else min(numbers) + 1)

    def _scale_up(self, facets: Sequence[Facet]) -> Scale:
        """The scale of all heights that are drawn; bars and areas begin at 0."""
        heights = [
            height
            for facet in facets
            for series in facet.series
            for mark in series.marks
            for height in self._heights(mark)
        ]
        measure = facets[0].measure
        metric = self._metric(measure) if self.encoding.baseline is None else None
        unit = metric.unit if metric is not None else ""
        if self.encoding.log_y:
            if min(heights, default=1.0) <= 0:
                raise InputError(f"{measure} has the value {min(heights):g}, which has no logarithm")
            return LogScale.of(np.array(heights), unit == "s", unit == "processor-s")
        low, high = min(heights, default=0.0), max(heights, default=1.0)
        if self.encoding.kind in ("bars", "areas"):
            low, high = min(low, 0.0), max(high, 0.0)
        if low == high:
            low, high = low - 0.5, high + 0.5
        return LinearScale(low, high, unit == "s", unit == "processor-s", metric is not None and metric.share)

    def _heights(self, mark: Mark) -> tuple[float, ...]:
        """The values that a mark reaches on the vertical axis."""
        if self.encoding.kind == "points":
            return mark.values
        if self.encoding.kind == "boxes":
            return mark.box.low, mark.box.high
        return mark.mean.low, mark.mean.high, mark.mean.mean

    def _layers(self, series: Series, place: int, count: int, x: Scale, y: Scale) -> list[Layer]:
        """The layers of a series, the `place`-th of `count` in its plot."""
        kind, run = self.encoding.kind, self._place_of(series)
        colour, marks = self._colour_of(series.colour), series.marks
        # Series over words stand beside each other in the room of a word; over numbers they share x.
        room = _GROUP if kind in ("bars", "boxes") else _SPREAD_OUT
        step = room / count if isinstance(x, Categories) else 0.0
        middle = self._positions(x, marks) + step * (place - (count - 1) / 2)

        def up(values: Sequence[float]) -> Floats:
            return y.coordinates_of(np.array(values, np.float64))

        means, lows, highs = (
            up([getattr(mark.mean, end) for mark in marks]) for end in ("mean", "low", "high")
        )
        if kind == "lines":
            return [Intervals(middle, means, lows, highs, colour, not isinstance(x, Categories), run=run)]
        if kind == "bars":
            bars = Bars(middle - step / 2, middle + step / 2, means, [colour] * len(marks), run=run)
            return [bars, _whiskers(middle, lows, highs)]
        if kind == "boxes":
            made = []
            for at, mark in zip(middle, marks, strict=True):
                low, q1, median, q3, high = up(
                    (mark.box.low, mark.box.q1, mark.box.median, mark.box.q3, mark.box.high)
                )
                made.append(BoxOutline(float(at), low, q1, median, q3, high, colour, 0.85 * step, run=run))
            return list(made)
        if kind == "points":
            across = np.repeat(middle, [len(mark.values) for mark in marks])
            return [Dots(across, up([value for mark in marks for value in mark.values]), colour, run=run)]
        return [Curve(middle, means, colour, fill=0.3, base=0.0, run=run)]

    def _positions(self, x: Scale, marks: Sequence[Mark]) -> Floats:
        """The coordinate of each mark's x."""
        values = self._x_values
        if isinstance(x, Categories):
            return np.array([values.index(mark.x) for mark in marks], np.float64)
        numbers = numbers_of(self.encoding.x, [mark.x for mark in marks])
        assert numbers is not None  # the scale is one of numbers
        return x.coordinates_of(np.array(numbers))

    @cached_property
    def _series(self) -> list[tuple[str, str]]:
        """The colours with their styles that occur, in the order of the legend."""
        seen = {(series.colour, series.style) for facet in self.facets for series in facet.series}
        colours = self.encoding.values(self.table, self.encoding.colour)
        styles = self.encoding.values(self.table, self.encoding.style)
        return [(colour, style) for colour in colours for style in styles if (colour, style) in seen]

    def _place_of(self, series: Series) -> int | None:
        """The place of a series in the legend; None in a figure of a single colour and style."""
        if not (self.encoding.colour or self.encoding.style):
            return None
        return self._series.index((series.colour, series.style))

    def _legend(self) -> list[Category]:
        if not (self.encoding.colour or self.encoding.style):
            return []
        styles = self.encoding.values(self.table, self.encoding.style)
        word = self.encoding.word
        return [
            Category(
                ", ".join(word(value) for value in (colour, style) if value) or "–",
                self._colour_of(colour),
                place,
                style=styles.index(style) if self.encoding.style else None,
            )
            for place, (colour, style) in enumerate(self._series)
        ]

    def _colour_of(self, value: str) -> str:
        values = list(dict.fromkeys(colour for colour, _ in self._series))
        colours = RUN_COLOURS if len(values) <= len(RUN_COLOURS) else USER_COLOURS
        return colours[values.index(value) % len(colours)] if value in values else colours[0]

    def _notes(self) -> list[str]:
        """What a mark is: over which parameters it is summed up, and what its whiskers are."""
        encoding = self.encoding
        counts = {
            mark.mean.count for facet in self.facets for series in facet.series for mark in series.marks
        }
        if encoding.kind == "points" or counts <= {1}:
            return []
        summed = summed_parameters(self.table, encoding)
        over = ", ".join(f"{self._title(name)} ({count} values)" for name, count in summed.items())
        if encoding.kind == "boxes":
            return [f"Boxes: quartiles over {over}; whiskers: values within 1.5 lengths of the box."]
        spread = SPREADS[encoding.spread] if encoding.kind != "areas" else ""
        many = f"{min(counts)} to {max(counts)}" if len(counts) > 1 else f"{max(counts)}"
        return [f"Means of {many} runs over {over}{f'; whiskers: {spread}' if spread else ''}."]

    def _title(self, name: str) -> str:
        return self.encoding.names.get(name) or key_title(name)

    def _metric(self, measure: str) -> Metric | None:
        """The metric of a measure, for its words and its unit; None of a column that is no metric."""
        if measure in FAMILIES:
            return FAMILIES[measure].metric
        try:
            return parse_metric(measure)
        except InputError:
            return None

    def _heading(self, measure: str) -> str:
        """A measure in words with its unit."""
        named, metric = self.encoding.names.get(measure), self._metric(measure)
        if self.encoding.baseline is not None:
            (value,) = self.encoding.baseline.values
            title = named or (metric.label if metric is not None else measure)
            return f"{title}, % of {self.encoding.word(value)}"
        return named or (metric_heading(metric) if metric is not None else measure)


def _whiskers(x: Floats, lows: Floats, highs: Floats) -> Curve:
    """Upright lines over bars: a curve with a break after each."""
    gaps = np.full(len(x), np.nan)
    return Curve(np.ravel([x, x, gaps], "F"), np.ravel([lows, highs, gaps], "F"), _WHISKER, 1.2)


def composition_of(table: ResultTable, encoding: Encoding) -> Composition:
    """The composition of a table. Raises InputError where the encoding does not fit it, or no run is left."""
    return Composition(table, encoding, tuple(facets_of(table, encoding)))
