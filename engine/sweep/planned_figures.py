"""The figures that a study file names: which parameter or metric stands on which axis, in words of the file.

Each table of `figures` has a `name` for its files, a `kind` (lines, bars, points, boxes, areas or cells), `x`
and `y`, and what else `batchscope figure` composes figures by: `colour`, `style`, `facet`, `baseline` and
`error`, the lists `where` and `order`, and `log_x`, `log_y`, `free` and `cut` (true or false). Without `y`
all metrics of the study have a plot each.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from engine.errors import InputError
from engine.sweep.toml_values import refuse_unknown, tables, text, texts

_TEXTS = ("name", "kind", "x", "y", "colour", "style", "facet", "baseline", "error")
_LISTS, _SWITCHES = ("where", "order"), ("log_x", "log_y", "free", "cut")
_NAME = re.compile(r"[\w][\w .-]{0,60}")
"""Names that files may have on every computer."""


@dataclass(frozen=True)
class PlannedFigure:
    """A composed figure as texts spell it: options, Python, or the file of a study, where it has a name.

    Parameters and metrics are checked when it is drawn. A measure may have its number: `value:delta=5` is the
    measure `value` where delta is 5. A facet is ACROSS, or DOWN and ACROSS.
    """

    kind: str
    x: str
    y: tuple[str, ...]
    colour: str = ""
    style: str = ""
    facet: tuple[str, ...] = ()
    baseline: str = ""
    error: str = "95"
    where: tuple[str, ...] = ()
    order: tuple[str, ...] = ()
    log_x: bool = False
    log_y: bool = False
    free: bool = False
    cut: bool = False
    name: str = ""


OPTIONS = tuple(field.name for field in fields(PlannedFigure) if field.name not in ("kind", "x", "y", "name"))
"""The names of what composed figures have besides their kind and axes."""


def read_figures(entries: Mapping[str, Any], metrics: tuple[str, ...]) -> tuple[PlannedFigure, ...]:
    """The figures of a study with these metrics. Raises InputError."""
    figures = tuple(_figure(each, metrics) for each in tables(entries, "figures"))
    names = [figure.name for figure in figures]
    if twice := [name for name in names if names.count(name) > 1]:
        raise InputError(f"figures have the name {twice[0]!r} twice")
    return figures


def _figure(entries: Mapping[str, Any], metrics: tuple[str, ...]) -> PlannedFigure:
    refuse_unknown(entries, (*_TEXTS, *_LISTS, *_SWITCHES), "figures")
    name, kind, x, y, colour, style, facet, baseline, error = (text(entries, key) for key in _TEXTS)
    if not _NAME.fullmatch(name):
        raise InputError(f"figures need a name for their files, of letters, digits, - and _: {name!r}")
    if not kind or not x:
        raise InputError(f"the figure {name} needs its kind and x")
    for key in _SWITCHES:
        if not isinstance(entries.get(key, False), bool):
            raise InputError(f"{key} of the figure {name} should be true or false")
    where, order = (tuple(texts(entries, key)) if key in entries else () for key in _LISTS)
    log_x, log_y, free, cut = (bool(entries.get(key, False)) for key in _SWITCHES)
    # Without a y the figure shows the study's metrics.
    return PlannedFigure(
        kind,
        x,
        _split(y) or metrics,
        colour,
        style,
        _split(facet),
        baseline,
        error or "95",
        where,
        order,
        log_x,
        log_y,
        free,
        cut,
        name,
    )


def _split(names: str) -> tuple[str, ...]:
    """Names with commas between them."""
    return tuple(name.strip() for name in names.split(",") if name.strip())
