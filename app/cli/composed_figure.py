"""The command `figure` with results in place of a trace: a figure that is composed of them."""

from __future__ import annotations

import argparse
import sys
import tomllib
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path

from app.export.data import DATA_FORMATS, write_data_table
from app.export.output import check_output
from engine.errors import InputError
from engine.input import read_text, refuse_inputs
from engine.sweep.result_table import parse_condition, read_results
from engine.words import plural
from views.figures.plots import plots_figure
from views.figures.printing import Print, printed
from views.figures.save import FORMATS, save_printed
from views.grammar.encoding import KINDS, Encoding
from views.grammar.marks import mark_table
from views.grammar.plots import composition_of

_LONGEST = 1 << 20  # bytes of a file of names

_OF_RUNS = ("policy", "option", "shown", "filter", "fair_starts", "user")
"""Options of figures of runs, which results do not have."""


def is_composed(kind: str) -> bool:
    """True for a kind of figure that is made of results."""
    return kind in KINDS


def compose_figure(options: argparse.Namespace, how: Print) -> None:
    """Draw a figure of results into a file, and its numbers into `--data`. Raises InputError, OSError."""
    for name in _OF_RUNS:
        if getattr(options, name):
            raise InputError(
                f"--{name.replace('_', '-')} is of figures of runs; {options.kind} are drawn of known results"
            )
    if options.further:
        raise InputError(f"{options.kind} are drawn of one folder or table of results, not of several files")
    encoding = _encoding(options)
    for path, formats in ((options.output, FORMATS), (options.data, DATA_FORMATS)):
        check_output(path, *formats, force=True)
        if path is not None and path.exists() and not options.force:
            raise InputError(f"{path}: this file is there; give --force to replace it")
        if path is not None:
            refuse_inputs(path)
    table = read_results(options.trace)
    composition = composition_of(table, encoding)
    page = composition.page()
    title = encoding.word(table.source)
    note = f"Results: {table.source}, {plural(len(table.words), 'run')}. Batchscope {version('batchscope')}."
    save_printed(printed(lambda: plots_figure(page, title), how), options.output, note)
    if options.data is not None:
        write_data_table(options.kind, mark_table(composition.facets, encoding), options.data)
    if not options.quiet:
        for path in filter(None, (options.output, options.data)):
            print(f"wrote {path}", file=sys.stderr)


def _encoding(options: argparse.Namespace) -> Encoding:
    """The encoding of the options. Raises InputError."""
    if not options.x or not options.y:
        raise InputError(f"{options.kind} need --x and --y: a parameter, and one or several measures")
    facets = [name.strip() for name in options.facet.split(",") if name.strip()]
    if len(facets) > 2:
        raise InputError(f"--facet {options.facet}: two parameters at most, DOWN,ACROSS")
    down, across = facets if len(facets) == 2 else ("", facets[0] if facets else "")
    orders = [parse_condition(text) for text in options.order]
    return Encoding(
        options.kind,
        options.x,
        tuple(name.strip() for name in options.y.split(",") if name.strip()),
        options.colour,
        options.style,
        down,
        across,
        tuple(map(parse_condition, options.where)),
        parse_condition(options.baseline) if options.baseline else None,
        options.error,
        options.log_x,
        options.log_y,
        options.free,
        {order.name: order.values for order in orders},
        _names(options.names) if options.names is not None else {},
    )


def _names(path: Path) -> Mapping[str, str]:
    """The words of a file of names. Raises InputError, OSError."""
    try:
        names = tomllib.loads(read_text(path, _LONGEST))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: {error}") from None
    for name, text in names.items():
        if not isinstance(text, str):
            raise InputError(f"{path}: {name} should be a text in quotes")
    return names
