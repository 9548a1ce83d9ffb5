"""A composed figure as it is written: the page, its caption, and the numbers that are drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version

from engine.errors import InputError
from engine.quantities.job_table import Table
from engine.sweep.parameters import measure_of, parameter_of_metric
from engine.sweep.planned_figures import PlannedFigure
from engine.sweep.result_table import Condition, ResultTable, parse_condition
from engine.words import plural
from views.figures.plots import plots_figure
from views.figures.printing import PrintedFigure, PrintOptions, printed
from views.grammar.encoding import KINDS, SPREADS, Encoding, Kind, Spread
from views.grammar.marks import mark_table
from views.grammar.plots import composition_of


@dataclass(frozen=True, eq=False)
class Composed:
    """A figure that was composed: how it is printed, the lines of its caption, and what it is drawn from."""

    printed: PrintedFigure
    caption: str
    table: Table


def compose(table: ResultTable, encoding: Encoding, how: PrintOptions) -> Composed:
    """The figure of a table. Raises InputError where the encoding does not fit it."""
    composition = composition_of(table, encoding)
    page = composition.page()
    made = printed(lambda: plots_figure(page, encoding.word(table.source)), how)
    about = f"{table.source}, {plural(len(table.words), table.counted)}"
    caption = f"Results: {about}. Batchscope {version('batchscope')}."
    return Composed(made, caption, mark_table(composition.facets, encoding))


def encoding_of(
    kind: Kind,
    x: str,
    y: Sequence[str],
    *,
    colour: str = "",
    style: str = "",
    facet: Sequence[str] = (),
    where: Sequence[str] = (),
    order: Sequence[str] = (),
    baseline: str = "",
    error: Spread = "95",
    log_x: bool = False,
    log_y: bool = False,
    free: bool = False,
    names: Mapping[str, str] | None = None,
) -> Encoding:
    """The encoding that texts spell, as options and Python give them. Raises InputError.

    A measure may have its number: `value:delta=5` is the measure `value` where delta is 5. A facet is
    ACROSS, or DOWN and ACROSS.
    """
    if kind not in KINDS:
        raise InputError(f"{kind!r} is no kind of composed figure; there are {', '.join(KINDS)}")
    if not x or not y:
        raise InputError(f"{kind} need x and y: a parameter, and one or several measures")
    if error not in SPREADS:
        raise InputError(f"{error!r} is no kind of whiskers; there are {', '.join(SPREADS)}")
    if len(facet) > 2:
        raise InputError(f"facets {', '.join(facet)}: two parameters at most, DOWN,ACROSS")
    down, across = facet if len(facet) == 2 else ("", facet[0] if facet else "")
    # A measure with a number is a condition in short: both end in one list.
    numbers: dict[str, dict[str, None]] = {}
    for measure in y:
        for name, value in parameter_of_metric(measure).items():
            numbers.setdefault(name, {})[value] = None
    conditions = [parse_condition(text) for text in where]
    conditions += [Condition(name, tuple(values)) for name, values in numbers.items()]
    orders = [parse_condition(text) for text in order]
    return Encoding(
        kind,
        x,
        tuple(dict.fromkeys(map(measure_of, y))),
        colour,
        style,
        down,
        across,
        tuple(conditions),
        parse_condition(baseline) if baseline else None,
        error,
        log_x,
        log_y,
        free,
        {each.name: each.values for each in orders},
        dict(names or {}),
    )


def encoding_of_study(figure: PlannedFigure) -> Encoding:
    """The encoding of a figure that a study file names. Raises InputError, which names the figure."""
    try:
        if figure.kind not in KINDS:
            raise InputError(f"{figure.kind!r} is no kind of figure; there are {', '.join(KINDS)}")
        error = figure.error or "95"
        if error not in SPREADS:
            raise InputError(f"{error!r} is no kind of whiskers; there are {', '.join(SPREADS)}")
        return encoding_of(
            figure.kind,
            figure.x,
            figure.y,
            colour=figure.colour,
            style=figure.style,
            facet=figure.facet,
            where=figure.where,
            order=figure.order,
            baseline=figure.baseline,
            error=error,
            log_x=figure.log_x,
            log_y=figure.log_y,
            free=figure.free,
        )
    except InputError as wrong:
        raise InputError(f"the figure {figure.name} of the study: {wrong}") from None


def used_names(encoding: Encoding) -> list[str]:
    """The parameters that an encoding names, each alone where several stand together."""
    named = [part.strip() for name in encoding.shown for part in name.split("+")]
    named += [condition.name for condition in encoding.conditions]
    if encoding.baseline is not None:
        named.append(encoding.baseline.name)
    return list(dict.fromkeys((*named, *encoding.order)))
