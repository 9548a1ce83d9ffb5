"""The plots of a composed figure: scales and layers of its marks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from engine.arrays import Floats
from engine.errors import InputError
from engine.sweep.parameters import POLICY, are_durations, numbers_of
from engine.sweep.result_table import ResultTable
from engine.words import in_sentence
from views.data.named_rows import NamedRows
from views.data.scales import Categories, LinearScale, LogScale, Scale
from views.data.sweep_cells import COLOURS
from views.grammar.composed_plot import ComposedPlot, MarkSpot
from views.grammar.encoding import SPREADS, Encoding, Spread
from views.grammar.layers import GROUP, SPREAD_OUT, cut_labels, series_layers
from views.grammar.marks import Facet, MarkSeries, ValueMark, facets_of, summed_parameters
from views.grammar.measures import NamedMeasure
from views.grammar.names import parameter_symbol, parameter_title
from views.plot.dwarfing_bars import DWARFED, WERE_CUT, cut_top, dwarfed_top
from views.plot.layers import Labels, Layer, Raster
from views.plot.page import PlotPage
from views.plot.plot import Category, PlotWords
from views.theme.palette import RUN_COLOURS, USER_COLOURS, hex_colour, rgb, text_on
from views.theme.theme import Theme

Cell = tuple[int, int]
"""The column and the row of a cell, the first row at the bottom."""


def cell_layers(
    cells: Mapping[Cell, ValueMark], shape: Cell, means: Sequence[float], measured: NamedMeasure
) -> list[Layer]:
    """A pixel a cell of a table of `shape` columns and rows, and the values over them.

    Shades span all `means` of the plots that are compared.
    """
    columns, rows = shape
    low, high = min(means, default=0.0), max(means, default=0.0)

    def shade(mean: float) -> str:
        share = (mean - low) / (high - low) if high > low else 1.0
        darkness = share if measured.better == "higher" else 1 - share
        return hex_colour(int(COLOURS[round((len(COLOURS) - 1) * darkness)]))

    shades = {place: shade(mark.mean.mean) for place, mark in cells.items()}
    # The first row of a raster is its top, where cells are counted from the bottom.
    pixels = np.zeros((rows, columns, 4), np.uint8)
    for (column, row), colour in shades.items():
        pixels[rows - 1 - row, column] = (*rgb(colour), 255)
    labels = Labels(
        np.array([column for column, _ in cells], np.float64),
        np.array([row for _, row in cells], np.float64),
        [measured.format(mark.mean.mean) for mark in cells.values()],
        width=0.96,
        colours=[text_on(colour) for colour in shades.values()],
        clear=False,
    )
    return [Raster(pixels, (-0.5, columns - 0.5), (-0.5, rows - 0.5)), labels]


_BOUNDS: dict[Spread, str] = {
    "95": "95 % CI {low} to {high}",
    "sd": "with a standard deviation {low} to {high}",
    "range": "{low} to {high}",
    "none": "",
}
"""What a reader of a mark is told of its whiskers."""


@dataclass(frozen=True, eq=False)
class Composition:
    """A table of results, an encoding that fits it, and the facets that these give."""

    table: ResultTable
    encoding: Encoding
    facets: tuple[Facet, ...]

    def page(self, title: str = "") -> PlotPage:
        """All plots with their legend and the notes on what a mark is. Raises InputError."""
        legend = self._legend()
        encoding = self.encoding
        is_grid = bool(encoding.down and encoding.across)
        across = len({facet.across for facet in self.facets})
        groups = across if encoding.across and len(encoding.y) > 1 else 0
        return PlotPage(
            [self._plot(facet) for facet in self.facets],
            legend,
            self._legend_title() if legend else "",
            title,
            notes=self._notes(),
            columns=across if is_grid else 0,
            groups=groups,
        )

    def _plot(self, facet: Facet) -> ComposedPlot:
        encoding, measured = self.encoding, self._measured(facet.measure)
        names = (encoding.down, facet.down), (encoding.across, facet.across)
        title = ", ".join(
            f"{self._title(name, parameter_symbol)}: {encoding.word(value)}"
            for name, value in names
            if name and value
        )
        # A parameter whose values are not numbers has a slot for each value; a number has a scale.
        x = self._scale_across(facet.measure)
        slots = self._x_values(facet.measure) if isinstance(x, Categories) else ()
        flat = encoding.kind == "cells"
        rows = self._rows(facet.measure) if flat else ()
        y: Scale = NamedRows(tuple(map(encoding.word, rows))) if flat else self._scale_up(facet)
        drawn = list(self._positioned(facet, x))
        # Slots are named already, so the axis has no name below.
        below = self._title(encoding.x) if not slots or flat else ""
        # A facet's title is its parameters' values: the measure then moves to the side.
        aside = measured.heading if title else ""
        if flat:
            aside = ", ".join(
                filter(None, (aside, encoding.colour and f"{self._title(encoding.colour)} down"))
            )
        return ComposedPlot(
            words=PlotWords(
                title=title or measured.heading,
                text=measured.about,
                x_name=below,
                y_name=aside,
                message="" if facet.series else "No run has these values",
            ),
            x=x,
            y=y,
            slots=[Category(encoding.word(value)) for value in slots],
            # Layers are made when they are painted, with the theme of the moment.
            made=partial(self._cells, facet, rows) if flat else partial(self._layers, facet, drawn, y),
            spots=list(self._spots(facet, drawn, y, rows)),
            fills=flat,
        )

    def _alike(self, facet: Facet) -> list[Facet]:
        """The facets that share its vertical axis: of its measure, so that heights are comparable."""
        if self.encoding.free:
            return [facet]
        return [other for other in self.facets if other.measure == facet.measure]

    def _x_values(self, measure: str) -> tuple[str, ...]:
        """The values of x that a mark of a measure has."""
        alike = [facet for facet in self.facets if facet.measure == measure]
        seen = {mark.x for facet in alike for series in facet.series for mark in series.marks}
        values = self.encoding.values(self.table, self.encoding.x, measure)
        return tuple(value for value in values if value in seen)

    def _rows(self, measure: str) -> tuple[str, ...]:
        """The values of the parameter of rows, the last first: rows are counted from the bottom."""
        return self.encoding.values(self.table, self.encoding.colour, measure)[::-1]

    def _scale_across(self, measure: str) -> Scale:
        """Numbers lie on a scale, words beside each other; bars and boxes have a place for each value."""
        encoding, values = self.encoding, self._x_values(measure)
        numbers = numbers_of(encoding.x, values) if values else None
        if numbers is None or encoding.kind in ("bars", "boxes", "cells"):
            if encoding.log_x:
                raise InputError(f"{encoding.x} has words or places, which lie on no logarithmic axis")
            return Categories(len(values))
        if encoding.log_x:
            if min(numbers) <= 0:
                raise InputError(f"{encoding.x} has the value {min(numbers):g}, which has no logarithm")
            return LogScale.of(np.array(numbers), are_durations(encoding.x, values))
        last = max(numbers) if len(numbers) > 1 else min(numbers) + 1
        return LinearScale(min(numbers), last, are_durations(encoding.x, values))

    def _scale_up(self, facet: Facet) -> Scale:
        """The scale of all heights that are drawn; bars and areas begin at 0."""
        marks = self._marks_alike(facet)
        heights = [height for mark in marks for height in self._heights(mark)]
        others = self._dwarfed(facet)
        if self.encoding.cut and others is not None:
            # Whiskers of bars that are whole stay whole too; a bar that is cut has none.
            whole = [mark for mark in marks if mark.mean.mean <= others]
            heights = [height for mark in whole for height in self._heights(mark)]
            heights.append(cut_top(max(mark.mean.high for mark in whole)))
        from_zero = self.encoding.kind in ("bars", "areas")
        return self._measured(facet.measure).scale(heights, self.encoding.log_y, from_zero)

    def _marks_alike(self, facet: Facet) -> list[ValueMark]:
        """All marks on the vertical axis of a facet."""
        return [mark for other in self._alike(facet) for series in other.series for mark in series.marks]

    def _dwarfed(self, facet: Facet) -> float | None:
        """The highest of the means on the axis of a facet that others dwarf; None where none do."""
        return dwarfed_top(np.array([mark.mean.mean for mark in self._marks_alike(facet)]))

    def _heights(self, mark: ValueMark) -> tuple[float, ...]:
        """The values that a mark reaches on the vertical axis."""
        if self.encoding.kind == "points":
            return mark.values
        if self.encoding.kind == "boxes":
            box = mark.box
            return box.low, box.q1, box.median, box.q3, box.high
        low, high, mean = mark.mean.low, mark.mean.high, mark.mean.mean
        # A logarithmic axis ends at the means: an interval may reach below 0, where the axis does not go.
        return (high, mean) if self.encoding.log_y and low <= 0 else (low, high, mean)

    def _positioned(self, facet: Facet, x: Scale) -> Iterator[tuple[MarkSeries, Floats, float]]:
        """Each series with the coordinates across of its marks, and the width that they have there."""
        # Series over words stand beside each other in the room of a word; over numbers they share x.
        room = GROUP if self.encoding.kind in ("bars", "boxes") else SPREAD_OUT
        count = len(facet.series)
        # A colour that says the same as x needs no place of its own beside others. Lines join words that
        # were put in order, as they join numbers.
        joined = self.encoding.kind == "lines" and self.encoding.x in self.encoding.order
        apart = isinstance(x, Categories) and self.encoding.kind != "cells" and not joined
        alone = self.encoding.colour == self.encoding.x
        step = room / (1 if alone else count) if apart and count else 0.0
        for place, series in enumerate(facet.series):
            middle = self._positions(x, series.marks, facet.measure)
            yield series, middle + (0.0 if alone else step * (place - (count - 1) / 2)), step

    def _positions(self, x: Scale, marks: Sequence[ValueMark], measure: str) -> Floats:
        """The coordinate of each mark's x."""
        values = self._x_values(measure)
        if isinstance(x, Categories):
            return np.array([values.index(mark.x) for mark in marks], np.float64)
        numbers = numbers_of(self.encoding.x, values)  # of all: a few words with numbers are words
        assert numbers is not None  # `x` is a scale of numbers here
        number = dict(zip(values, numbers, strict=True))
        return x.coordinates_of(np.array([number[mark.x] for mark in marks]))

    def _layers(
        self, facet: Facet, drawn: Sequence[tuple[MarkSeries, Floats, float]], y: Scale, theme: Theme
    ) -> list[Layer]:
        """The layers of all series of a plot, with the values of bars that are cut above all of them."""
        made: list[Layer] = []
        bars: list[tuple[float, ValueMark, int | None]] = []
        for series, middle, step in drawn:
            colour, place = self._colour_of(series.colour), self._place_of(series)
            made += series_layers(
                self.encoding.kind, series.marks, middle, step, y, colour, theme.text, place
            )
            bars += [(at, mark, place) for at, mark in zip(middle.tolist(), series.marks, strict=True)]
        return made + (cut_labels(bars, y, self._measured(facet.measure)) if self.encoding.cut else [])

    def _cells(self, facet: Facet, rows: Sequence[str], theme: Theme) -> list[Layer]:
        """The layers of a table of cells, which have the same shades in every theme."""
        columns = self._x_values(facet.measure)
        cells: dict[Cell, ValueMark] = {
            (columns.index(mark.x), rows.index(series.colour)): mark
            for series in facet.series
            for mark in series.marks
        }
        means = [mark.mean.mean for mark in self._marks_alike(facet)]
        return cell_layers(cells, (len(columns), len(rows)), means, self._measured(facet.measure))

    def _spots(
        self, facet: Facet, drawn: Sequence[tuple[MarkSeries, Floats, float]], y: Scale, rows: Sequence[str]
    ) -> Iterator[MarkSpot]:
        """What the mouse finds: each mark at its mean, of points each value."""
        for series, middle, _ in drawn:
            for mark, at in zip(series.marks, middle, strict=True):
                each = [(mark.mean.mean, mark.row)]
                if self.encoding.kind == "points":
                    each = list(zip(mark.values, mark.rows, strict=True))
                for value, row in each:
                    height = float(y.coordinates_of(np.array([value]))[0]) if not rows else 0.0
                    height = min(height, y.full_range[1])  # the mouse finds a bar that is cut at its end
                    text = self._describe(facet, series, mark, value, row)
                    yield MarkSpot(float(at), float(rows.index(series.colour)) if rows else height, text, row)

    def _describe(self, facet: Facet, series: MarkSeries, mark: ValueMark, value: float, row: int) -> str:
        """A mark in words: where it is, its value with the interval, and what a click opens."""
        encoding, measured = self.encoding, self._measured(facet.measure)
        at = {
            encoding.down: facet.down,
            encoding.across: facet.across,
            encoding.colour: series.colour,
            encoding.style: series.style,
            encoding.x: mark.x,
        }
        places = (self._value_in_words(name, text) for name, text in at.items() if name and text)
        lines = [", ".join(places)]
        part = f" of {measured.of}" if measured.of else ""
        lines.append(f"{measured.title}: {measured.format(value)}{part}")
        # A single run has no interval, and points show each run by itself.
        if mark.mean.count > 1 and encoding.kind != "points":
            low, high = measured.format(mark.mean.low), measured.format(mark.mean.high)
            bounds = _BOUNDS[encoding.spread].format(low=low, high=high)
            lines.append(
                ", ".join(filter(None, (f"mean of {mark.mean.count} {self.table.counted}s", bounds)))
            )
        if self.table.spellings:
            lines.append(f"Click: open {self.table.spellings[row]}")
        return "\n".join(lines)

    @cached_property
    def _series(self) -> list[tuple[str, str]]:
        """The colours with their styles that occur, in the order of the legend."""
        seen = {(series.colour, series.style) for facet in self.facets for series in facet.series}
        colours, styles = self._colours, self._styles
        return sorted(seen, key=lambda pair: (colours.index(pair[0]), styles.index(pair[1])))

    @cached_property
    def _colours(self) -> tuple[str, ...]:
        """The values of the colour in their order, with the empty value of measures that lack it."""
        return self._values_in_order(self.encoding.colour)

    @cached_property
    def _styles(self) -> tuple[str, ...]:
        return self._values_in_order(self.encoding.style)

    def _values_in_order(self, name: str) -> tuple[str, ...]:
        each = (self.encoding.values(self.table, name, measure) for measure in self.encoding.y)
        return tuple(dict.fromkeys(value for values in each for value in values))

    def _place_of(self, series: MarkSeries) -> int | None:
        """The place of a series in the legend; None in a figure of a single colour and style."""
        if not (self.encoding.colour or self.encoding.style):
            return None
        return self._series.index((series.colour, series.style))

    def _legend(self) -> list[Category]:
        if not (self.encoding.colour or self.encoding.style) or self.encoding.kind == "cells":
            return []
        word = self.encoding.word
        return [
            Category(
                ", ".join(word(value) for value in (colour, style) if value) or "–",
                self._colour_of(colour),
                place,
                style=self._styles.index(style) if self.encoding.style else None,
            )
            for place, (colour, style) in enumerate(self._series)
        ]

    def _legend_title(self) -> str:
        """The parameters of colour and style; the policies of a study need no title."""
        names = dict.fromkeys(filter(None, (self.encoding.colour, self.encoding.style)))
        return ", ".join(map(self._title, names)) if list(names) != [POLICY] else ""

    def _colour_of(self, value: str) -> str:
        values = list(dict.fromkeys(colour for colour, _ in self._series))
        colours = RUN_COLOURS if len(values) <= len(RUN_COLOURS) else USER_COLOURS
        return colours[values.index(value) % len(colours)] if value in values else colours[0]

    def _notes(self) -> list[str]:
        """What a mark is, and that some marks dwarf all others."""
        return [text for text in (self._summing(), self._dwarfing()) if text]

    def _summing(self) -> str:
        """Over which parameters marks are summed up, and what their whiskers are; empty for single values."""
        encoding = self.encoding
        counts = {
            mark.mean.count for facet in self.facets for series in facet.series for mark in series.marks
        }
        if encoding.kind == "points" or counts <= {1}:
            return ""
        summed = summed_parameters(self.facets)
        over = ", ".join(
            f"{self._title(name, _in_sentence)} ({_counted(count)} values)" for name, count in summed.items()
        )
        over = f" over {over}" if over else ""
        if encoding.kind == "boxes":
            return f"Boxes: quartiles{over}; whiskers: values within 1.5 lengths of the box."
        spread = SPREADS[encoding.spread] if encoding.kind in ("lines", "bars") else ""
        counted = _counted(range(min(counts), max(counts) + 1))
        rows = f"{self.table.counted}s"
        return f"Means of {counted} {rows}{over}{f'; whiskers: {spread}' if spread else ''}."

    def _dwarfing(self) -> str:
        """That bars are cut, or that an axis of another kind would show how the other marks differ."""
        encoding = self.encoding
        if encoding.log_y or not any(self._dwarfed(facet) is not None for facet in self.facets):
            return ""
        if encoding.kind == "bars":
            return WERE_CUT if encoding.cut else DWARFED.format(option="the option cut")
        heights = [
            height
            for facet in self.facets
            for mark in self._marks_alike(facet)
            for height in self._heights(mark)
        ]
        if encoding.kind not in ("lines", "points", "boxes") or min(heights) <= 0:
            return ""
        return "One value hides how the others differ: a logarithmic axis (log-y) would show it."

    def _title(self, name: str, in_words: Callable[[str], str] = parameter_title) -> str:
        """The parameters of a name in words."""
        if name in self.encoding.names:
            return self.encoding.names[name]
        parts = self.table.parts_of(name)
        return ", ".join(self.encoding.names.get(part) or in_words(part) for part in parts)

    def _value_in_words(self, name: str, value: str) -> str:
        return f"{self._title(name, parameter_symbol)}: {self.encoding.word(value)}"

    def _measured(self, measure: str) -> NamedMeasure:
        """A measure with the words of this figure, and what its values are in % of."""
        named, baseline = self.encoding.names.get(measure, ""), self.table.against
        if self.encoding.baseline is not None:
            baseline = self.encoding.baseline.values[0]
        return NamedMeasure(measure, named, self.encoding.word(baseline))


def _in_sentence(name: str) -> str:
    """The title of a parameter in the middle of a sentence."""
    return in_sentence(parameter_title(name))


def _counted(counts: range) -> str:
    """A number of values, or from which to which number."""
    return f"{counts[0]} to {counts[-1]}" if len(counts) > 1 else f"{counts[0]}"


def composition_of(table: ResultTable, encoding: Encoding) -> Composition:
    """The composition of a table. Raises InputError where the encoding does not fit it, or no run is left."""
    return Composition(table, encoding, tuple(facets_of(table, encoding)))
