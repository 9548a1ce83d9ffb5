"""The marks of a composed figure: the observations of each facet, colour, style and x, summed up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from engine.metrics.compare import BoxStatistics, box
from engine.quantities.job_table import Table
from engine.sweep.result_table import Observation, ResultTable, chosen_rows, in_percent_of
from views.grammar.encoding import Encoding, WhiskeredMean, mean_of


@dataclass(frozen=True)
class ValueMark:
    """The values at an x: their mean with whiskers, and the values themselves with their rows.

    `over` has the parameters that differ between them, each with the number of its values.
    """

    x: str
    mean: WhiskeredMean
    values: tuple[float, ...]
    rows: tuple[int, ...]
    over: Mapping[str, int]

    @property
    def row(self) -> int:
        """The row whose value is nearest to the mean."""
        return self.rows[int(np.abs(np.array(self.values) - self.mean.mean).argmin())]

    @property
    def box(self) -> BoxStatistics:
        """The box of the values."""
        found = box(np.array(self.values))
        assert found is not None  # a mark has values, and all of them are finite
        return found


@dataclass(frozen=True)
class MarkSeries:
    """The marks of a colour and a style in a facet, in the order of x."""

    colour: str
    style: str
    marks: tuple[ValueMark, ...]


@dataclass(frozen=True)
class Facet:
    """A plot: its measure, the values of the parameters that make facets, and its series."""

    measure: str
    down: str
    across: str
    series: tuple[MarkSeries, ...]


def facets_of(table: ResultTable, encoding: Encoding) -> list[Facet]:
    """All plots of a figure, row by row, those without a run too: a grid has no holes.

    Raises InputError where no run meets the conditions, or none has the baseline.
    """
    encoding.check(table)
    names = (encoding.down, encoding.across, encoding.colour, encoding.style, encoding.x)
    parts = [table.parts_of(name) if name else () for name in names]
    facets = []
    for measure in encoding.y:
        values = [encoding.values(table, name, measure) for name in names]
        kept = chosen_rows(table, table.observations(measure), encoding.conditions)
        if encoding.baseline is not None:
            kept = in_percent_of(kept, encoding.baseline)
        # A single pass over the observations: each goes to the facet, colour, style and x of its parameters.
        groups: dict[tuple[str, ...], list[Observation]] = {}
        for observation in kept:
            groups.setdefault(tuple(map(observation.value_of, parts)), []).append(observation)
        # Values that the conditions leave out make no facet, nor do combinations that do not occur.
        downs, acrosses = (
            [value for value in values[k] if value in {place[k] for place in groups}] for k in range(2)
        )
        for down, across in product(downs, acrosses):
            series = []
            for colour, style in product(values[2], values[3]):
                marks = tuple(
                    _mark(x, group, encoding)
                    for x in values[4]
                    if (group := groups.get((down, across, colour, style, x)))
                )
                if marks:
                    series.append(MarkSeries(colour, style, marks))
            facets.append(Facet(measure, down, across, tuple(series)))
    return facets


def _mark(x: str, group: Sequence[Observation], encoding: Encoding) -> ValueMark:
    values = tuple(observation.value for observation in group)
    rows = tuple(observation.row for observation in group)
    seen: dict[str, set[str]] = {}
    for observation in group if len(group) > 1 else ():
        for name, text in observation.at.items():
            seen.setdefault(name, set()).add(text)
    over = {name: len(texts) for name, texts in seen.items() if len(texts) > 1}
    return ValueMark(x, mean_of(values, encoding.spread), values, rows, over)


def summed_parameters(facets: Sequence[Facet]) -> dict[str, range]:
    """The parameters that marks are summed up over, each with the least and greatest number of its values in
    a mark.

    A parameter that differs between marks but within none is not summed up over.
    """
    marks = [mark for facet in facets for series in facet.series for mark in series.marks]
    names = dict.fromkeys(name for mark in marks for name in mark.over)
    counts = {name: [mark.over.get(name, 1) for mark in marks] for name in names}
    return {name: range(min(each), max(each) + 1) for name, each in counts.items()}


def mark_table(facets: Sequence[Facet], encoding: Encoding) -> Table:
    """What is drawn, a row a mark: its parameters, and bare numbers in columns of their own."""
    names = (encoding.down, encoding.across, encoding.colour, encoding.style, encoding.x)
    columns: dict[str, list[str]] = {"measure": [], **{name: [] for name in names if name}}
    means: list[WhiskeredMean] = []
    for facet in facets:
        for series in facet.series:
            for mark in series.marks:
                places = (facet.down, facet.across, series.colour, series.style, mark.x)
                columns["measure"].append(facet.measure)
                for name, value in dict(zip(names, places, strict=True)).items():
                    if name:
                        columns[name].append(value)
                means.append(mark.mean)
    ends = ("mean", "low", "high", "count")
    return [*columns.items(), *((end, np.array([getattr(mean, end) for mean in means])) for end in ends)]
