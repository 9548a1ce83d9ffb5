"""The encoding of a figure that texts spell, as options, Python and the file of a study give them."""

from __future__ import annotations

from collections.abc import Mapping

from engine.errors import InputError
from engine.sweep.parameters import measure_of, parameter_of_metric
from engine.sweep.planned_figures import PlannedFigure
from engine.sweep.result_table import Condition, parse_condition
from views.grammar.encoding import KINDS, SPREADS, Encoding


def encoding_of(figure: PlannedFigure, names: Mapping[str, str] | None = None) -> Encoding:
    """The encoding of a figure, under given names. Raises InputError, which names the figure of a study."""
    try:
        return _encoding(figure, names or {})
    except InputError as wrong:
        if not figure.name:
            raise
        raise InputError(f"the figure {figure.name} of the study: {wrong}") from None


def _encoding(figure: PlannedFigure, names: Mapping[str, str]) -> Encoding:
    kind, error = figure.kind, figure.error
    if kind not in KINDS:
        raise InputError(f"{kind!r} is no kind of composed figure; there are {', '.join(KINDS)}")
    if not figure.x or not figure.y:
        raise InputError(f"{kind} need x and y: a parameter, and one or several measures")
    if error not in SPREADS:
        raise InputError(f"{error!r} is no kind of whiskers; there are {', '.join(SPREADS)}")
    if len(figure.facet) > 2:
        raise InputError(f"facets {', '.join(figure.facet)}: two parameters at most, DOWN,ACROSS")
    down, across = figure.facet if len(figure.facet) == 2 else ("", *(figure.facet or ("",)))
    # A measure with a number stands for a condition as well: both end in the same list.
    numbers: dict[str, dict[str, None]] = {}
    for measure in figure.y:
        for name, value in parameter_of_metric(measure).items():
            numbers.setdefault(name, {})[value] = None
    conditions = [parse_condition(text) for text in figure.where]
    conditions += [Condition(name, tuple(values)) for name, values in numbers.items()]
    return Encoding(
        kind,
        figure.x,
        tuple(dict.fromkeys(map(measure_of, figure.y))),
        figure.colour,
        figure.style,
        down,
        across,
        tuple(conditions),
        parse_condition(figure.baseline) if figure.baseline else None,
        error,
        figure.log_x,
        figure.log_y,
        figure.free,
        figure.cut,
        {each.name: each.values for each in map(parse_condition, figure.order)},
        dict(names),
    )
