"""A composed figure as it is written: the page, its caption, and the numbers that are drawn."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib.metadata import version

from engine.quantities.job_table import Table
from engine.shown_text import shown_name
from engine.sweep.parameters import LOG
from engine.sweep.result_table import ResultTable
from engine.words import listed, plural
from views.figures.plots import plots_figure
from views.figures.printing import PrintedFigure, PrintOptions, printed
from views.grammar.encoding import Encoding
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
    about = f"{table.source}, {plural(len(table.words), table.counted)}{_on_logs(table)}"
    caption = f"Results: {about}. Batchscope {version('batchscope')}."
    return Composed(made, caption, mark_table(composition.facets, encoding))


_FEW = 3
"""Logs that a caption names."""

_SCALED = re.compile(r", (?:theta|rho) [0-9.]+")
"""What the name of a scaled log has behind it."""


def _on_logs(table: ResultTable) -> str:
    """The logs of the results, with their spans, for a caption; empty where the table does not tell them."""
    names = table.parameters.get(LOG) or table.parameters.get("trace", ())
    logs = [shown_name(name) for name in dict.fromkeys(_SCALED.sub("", name) for name in names)]
    if not logs:
        return ""
    return f" on {listed(logs) if len(logs) <= _FEW else f'{len(logs)} logs'}"


def used_names(encoding: Encoding) -> list[str]:
    """The parameters that an encoding names, each alone where several stand together."""
    named = [part.strip() for name in encoding.shown for part in name.split("+")]
    named += [condition.name for condition in encoding.conditions]
    if encoding.baseline is not None:
        named.append(encoding.baseline.name)
    return list(dict.fromkeys((*named, *encoding.order)))
