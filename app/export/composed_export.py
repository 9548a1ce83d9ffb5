"""A composed figure as it is written: the page, its caption, and the numbers that are drawn."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import version

from engine.quantities.job_table import Table
from engine.sweep.result_table import ResultTable
from engine.words import plural
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
    about = f"{table.source}, {plural(len(table.words), table.counted)}"
    caption = f"Results: {about}. Batchscope {version('batchscope')}."
    return Composed(made, caption, mark_table(composition.facets, encoding))


def used_names(encoding: Encoding) -> list[str]:
    """The parameters that an encoding names, each alone where several stand together."""
    named = [part.strip() for name in encoding.shown for part in name.split("+")]
    named += [condition.name for condition in encoding.conditions]
    if encoding.baseline is not None:
        named.append(encoding.baseline.name)
    return list(dict.fromkeys((*named, *encoding.order)))
