"""The look of the results of a study: the metric, the horizontal axis, and the parameters for colours and
plots.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from math import prod

from engine.metrics.metric import Metric
from engine.metrics.named import FAMILIES, parse_metric
from engine.sweep.conditions import SEED
from engine.sweep.points import POLICY, Curve, Point, StudyResults
from views.data.scales import LinearScale
from views.data.sweep_cells import COLOURS
from views.text.metrics import format_value
from views.text.values import percent
from views.theme.palette import RUN_COLOURS, USER_COLOURS, hex_colour

CURVES, HEATMAP = "curves", "heatmap"
LOOKS = {CURVES: "Curves", HEATMAP: "Heatmap"}

METRIC = "metric"
"""The facet that gives each metric a plot of its own."""


_READ_AS = {"s": "d h min s", "processor-s": "CPU h"}
"""What the numbers of an axis are whose values have these units."""


@dataclass(frozen=True)
class StudyChoices:
    """Names of a measure and of parameters of a study; an empty name leaves a choice unused."""

    measure: str = ""
    across: str = ""
    colour: str = ""  # in a heatmap: the rows
    facet: str = ""
    look: str = CURVES


@dataclass(frozen=True, eq=False)
class Facet:
    """A plot: the parameter values that it covers, and its curves."""

    measure: str
    title: str
    curves: list[Curve]


@dataclass(frozen=True, eq=False)
class HeatCell:
    """A cell of a heatmap: its point, the curve of the point, and its colour."""

    curve: Curve
    point: Point
    colour: str


@dataclass(frozen=True, eq=False)
class StudyLook:
    """The results of a study with the choices by which they are shown."""

    results: StudyResults
    choices: StudyChoices

    @cached_property
    def facets(self) -> list[Facet]:
        """The plots, in the order of the study. Takes time in the number of runs."""
        return [facet for measure in self.measures for facet in self._facets_of(measure)]

    def _facets_of(self, measure: str) -> list[Facet]:
        names, chosen = self.facet_names(measure), self.choices
        curves = self.results.curves(measure, chosen.across, chosen.colour, names)
        found = []
        for values in product(*map(self.values, names)):
            at = [f"{name} = {value}" for name, value in zip(names, values, strict=True)]
            own = [curve for curve in curves if curve.facet == values]
            found.append(Facet(measure, ", ".join([self.title(measure), *at]), own))
        return found

    @property
    def count(self) -> int:
        """The number of plots."""
        return sum(
            prod(len(self.values(name)) for name in self.facet_names(measure)) for measure in self.measures
        )

    def facet_names(self, measure: str) -> tuple[str, ...]:
        """The parameters that make facets: the chosen parameter, and all that no other choice distinguishes.

        So a point is a mean over seeds only.
        """
        chosen, within = self.choices, _names_in(self.results, measure)
        first = [chosen.facet] if chosen.facet in within else []
        shown = (*first, chosen.across, chosen.colour, SEED)
        return (
            *first,
            *(
                name
                for name, values in self.results.parameters.items()
                if name in within and name not in shown and len(values) > 1
            ),
        )

    def values(self, parameter: str) -> tuple[str, ...]:
        """The values of a parameter."""
        return self.results.parameters.get(parameter, ())

    def colour_of(self, value: str) -> str:
        """The colour of a value of the parameter that colours distinguish."""
        values = self.values(self.choices.colour)
        colours = RUN_COLOURS if len(values) <= len(RUN_COLOURS) else USER_COLOURS
        return colours[values.index(value) % len(colours) if value in values else 0]

    def cells(self, facet: Facet) -> dict[tuple[int, int], HeatCell]:
        """The cells of a heatmap by column and row, the first row on top: the better, the darker."""
        columns, rows = self.values(self.choices.across), self.values(self.choices.colour) or ("",)
        pairs = [(curve, point) for curve in facet.curves for point in curve.points]
        means = [point.mean for _, point in pairs]
        low, high = min(means, default=0.0), max(means, default=0.0)
        higher, last = self.metric(facet.measure).better == "higher", len(COLOURS) - 1

        def colour(mean: float) -> str:
            share = (mean - low) / (high - low) if high > low else 1.0
            return hex_colour(int(COLOURS[round(last * (share if higher else 1 - share))]))

        return {
            (columns.index(point.x), rows.index(curve.colour)): HeatCell(curve, point, colour(point.mean))
            for curve, point in pairs
        }

    def unit_in(self, measure: str) -> str:
        """The unit of the values of a measure, and the seeds that they are averaged over."""
        over = "mean over seeds" if self.averaged else ""
        unit = "%" if self.metric(measure).share else self.metric(measure).unit
        return ", ".join(part for part in (self.unit or _READ_AS.get(unit, unit), over) if part)

    def scale_up(self, measure: str, points: Sequence[Point]) -> LinearScale:
        """The scale for all intervals, without unused room."""
        low = min((point.low for point in points), default=0.0)
        high = max((point.high for point in points), default=1.0)
        if low == high:
            low, high = low - 0.5, high + 0.5
        unit, parts = self.unit or self.metric(measure).unit, not self.unit and self.metric(measure).share
        return LinearScale(low, high, unit == "s", unit == "processor-s", parts)

    def metric(self, measure: str) -> Metric:
        """The first metric of a measure, which represents it."""
        return parse_metric(self.results.measures[measure][0])

    def title(self, measure: str) -> str:
        """The measure in words, without the number that it may take."""
        return FAMILIES[measure].metric.label if measure in FAMILIES else self.metric(measure).label

    @property
    def unit(self) -> str:
        """The unit of the values, if it is not the metric's own unit."""
        against = self.results.study.against
        return f"% of {against}" if against else ""

    def format(self, measure: str) -> Callable[[float], str]:
        """A function that formats values of a measure."""
        if self.unit:
            return percent
        metric = self.metric(measure)
        return lambda value: format_value(metric, value)

    @property
    def averaged(self) -> bool:
        """True if a point is a mean over several seeds."""
        chosen = (self.choices.across, self.choices.colour, self.choices.facet)
        return len(self.values(SEED)) > 1 and SEED not in chosen

    @property
    def measures(self) -> list[str]:
        """The names of the shown measures."""
        whole = self.choices.facet == METRIC
        return list(self.results.measures) if whole else [self.choices.measure]

    def describe(self, facet: Facet, curve: Curve, point: Point) -> str:
        """A point in words: where it is, its value with the interval, and what a click opens."""
        chosen, format = self.choices, self.format(facet.measure)
        facets = zip(self.facet_names(facet.measure), curve.facet, strict=True)
        at = [*facets, (chosen.colour, curve.colour), (chosen.across, point.x)]
        lines = [", ".join(dict.fromkeys(f"{name} = {value}" for name, value in at if name and value))]
        unit = f" of {self.results.study.against}" if self.unit else ""
        lines.append(f"{self.title(facet.measure)}: {format(point.mean)}{unit}")
        if point.count > 1:
            lines.append(f"mean of {point.count} runs, 95 % CI {format(point.low)} to {format(point.high)}")
        lines.append(f"Click: open {self.results.study.runs[point.run].policy.spelling}")
        return "\n".join(line for line in lines if line)


def usual_choices(results: StudyResults) -> StudyChoices:
    """The initial choices: a metric over the first number that varies, and a colour for each policy."""
    parameters, first = results.parameters, next(iter(results.measures))
    across = _usual_across(results, first)
    left = [name for name in parameters if name not in (SEED, across) and name in _names_in(results, first)]
    colour = POLICY if len(parameters[POLICY]) > 1 else next(iter(left), "")
    left = [name for name in left if name != colour]
    alone = METRIC if len(results.measures) > 1 and across == POLICY else ""
    return StudyChoices(first, across, colour, next(iter(left), alone))


def offered_choices(results: StudyResults, choices: StudyChoices) -> dict[str, dict[str, str]]:
    """The available choices given the other choices: field of StudyChoices -> value -> label."""
    look = StudyLook(results, choices)
    names = [name for name in results.parameters if name in _names_in(results, choices.measure)]
    many = [name for name in names if len(results.parameters[name]) > 1]
    free = [name for name in many if name not in (choices.across, choices.colour)]
    facets = {"": "in one plot"} | {name: f"one plot per {name}" for name in free}
    common = set.intersection(*(_names_in(results, measure) for measure in results.measures))
    if len(results.measures) > 1 and {choices.across, choices.colour} <= {"", *common}:
        facets[METRIC] = "one plot per metric"
    return {
        "look": LOOKS,
        "measure": {name: look.title(name) for name in results.measures},
        "across": {name: f"over {name}" for name in names},
        "colour": {"": "in one colour"} | {name: f"colours by {name}" for name in many},
        "facet": facets,
    }


def fitting(results: StudyResults, choices: StudyChoices) -> StudyChoices:
    """The choices, without those that are not available together with the others."""
    if choices.across not in offered_choices(results, choices)["across"]:
        choices = replace(choices, across=_usual_across(results, choices.measure))
    for name in ("colour", "facet"):
        if getattr(choices, name) not in offered_choices(results, choices)[name]:
            choices = replace(choices, **{name: ""})
    return choices


def _usual_across(results: StudyResults, measure: str) -> str:
    """The first number that a measure varies with, load last; the policy where there is none."""
    names = [name for name in _names_in(results, measure) if name != SEED]
    order = list(results.parameters)
    numbers = [name for name in names if results.numbers(name) is not None]
    return min(numbers, key=lambda name: (name in ("theta", "rho"), order.index(name)), default=POLICY)


def _names_in(results: StudyResults, measure: str) -> set[str]:
    """The parameters that values of a measure vary with, the policy with them in any case."""
    of_metrics = {name for metric in results.study.metrics for name in _own(metric)}
    own = {name for metric in results.measures[measure] for name in _own(metric)}
    return {POLICY} | {name for name in results.parameters if name not in of_metrics or name in own}


def _own(metric: str) -> list[str]:
    name, equals, _ = metric.partition(":")[2].partition("=")
    return [name] if equals else []
