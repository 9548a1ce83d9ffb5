"""Tables as LaTeX, Markdown, CSV and JSON: for a paper, a page, a spreadsheet and a program."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from app.export.bare_numbers import bare_table
from app.export.latex_table import breakable, latex
from app.export.output import CellWords, Summary, as_it_is, changes_of, json_lines, metrics_table, write_rows
from engine.errors import InputError
from engine.metrics.metric import Metric
from engine.metrics.metric_names import parse_metric
from engine.metrics.phase_metrics import Ranges
from engine.quantities.job_table import Table
from engine.shown_text import markdown_text
from engine.spelling import nearest

Row = Sequence[str]


@dataclass(frozen=True, eq=False)
class TitledTable:
    """A table for people, whose cells are words, and for programs, whose columns are `bare` numbers.

    Without bare columns these are taken from the words. The caption is a sentence, empty if there is none.
    """

    titles: Row
    rows: Sequence[Row]
    bare: Table | None = None
    caption: str = ""

    def under_names(self, names: Mapping[str, str]) -> TitledTable:
        """The same with given names of titles and of cells that are words."""
        from views.grammar.encoding import named  # most commands draw no figure

        if not names:
            return self
        rows = [[named(names, cell) for cell in row] for row in self.rows]
        bare = [(named(names, title), _under_names(names, column)) for title, column in self.columns]
        return replace(self, titles=[named(names, title) for title in self.titles], rows=rows, bare=bare)

    @property
    def columns(self) -> Table:
        """The columns for programs."""
        return bare_table(self.titles, self.rows) if self.bare is None else self.bare

    def text(self, form: str, words: CellWords = as_it_is) -> str:
        """The table in one of TABLE_FORMATS; `words` writes the words of a CSV."""
        if form == "csv":
            return csv_of(self.columns, words)
        if form == "json":
            return json_lines({"caption": self.caption, "rows": self.facts()})
        return WRITERS[form](self.titles, self.rows, self.caption)

    def facts(self) -> list[dict[str, Any]]:
        """Its rows for programs, by the titles of columns."""
        titles = [title for title, _ in self.columns]
        rows = zip(*(_plain_cells(column) for _, column in self.columns), strict=True)
        return [dict(zip(titles, row, strict=True)) for row in rows]


def _under_names(names: Mapping[str, str], column: Any) -> Any:
    """A column with given names of its words; numbers stay."""
    if isinstance(column, np.ndarray) and column.dtype.kind != "O":
        return column
    from views.grammar.encoding import named

    return [named(names, cell) if isinstance(cell, str) else cell for cell in column]


def _plain_cells(column: Any) -> Sequence[Any]:
    """The cells of a column as Python has them, None where one is masked."""
    cells: Sequence[Any] = column.tolist() if isinstance(column, np.ndarray) else column
    return cells


TABLE_FORMATS = {".csv": "csv", ".json": "json", ".md": "markdown", ".tex": "latex"}
"""The formats of a table by the suffix of its file."""


def write_formats(stem: Path, table: TitledTable, words: CellWords = as_it_is) -> list[Path]:
    """Write a table in each format into files of that name; gives these. Raises OSError."""
    files = []
    for suffix, form in TABLE_FORMATS.items():
        files.append(stem.with_name(f"{stem.name}{suffix}"))  # a dot in its name begins no suffix
        files[-1].write_text(f"{table.text(form, words)}\n", "utf-8", "backslashreplace", newline="")
    return files


def metrics_rows(
    summaries: Sequence[Summary], names: Sequence[str], baseline: int, ranges: Sequence[Ranges] = ()
) -> tuple[Row, list[Row]]:
    """The titles, and a row for each metric: its label, its unit, and its value under each run.

    Values have the digits of the metric's own format; parts of a whole are in %. Values of runs that are
    not the baseline are followed by the change against it in %, with a sign where the `ranges` of runs over
    phases of a site's loops explain it. Metrics that have no value under any run are left out.
    """
    rows: list[Row] = []
    for metric in map(parse_metric, summaries[baseline]):
        values = [summary[metric.name] for summary in summaries]
        if all(value is None for value in values):
            continue
        changes = changes_of(metric.name, summaries, baseline, ranges)
        cells = [f"{_shown(metric, value)}{text}" for value, text in zip(values, changes, strict=True)]
        rows.append([metric.label, "%" if metric.share else metric.unit, *cells])
    return ["Metric", "Unit", *names], rows


def _shown(metric: Metric, value: float | None) -> str:
    """A value with the digits of the metric; parts of a whole in %, with two decimals."""
    return f"{100 * value:.2f}" if metric.share and value is not None else metric.show(value)


def metrics_of_runs(
    summaries: Sequence[Summary],
    names: Sequence[str],
    baseline: int,
    ranges: Sequence[Ranges] = (),
    *,
    all_bare: Sequence[Summary] = (),
    caption: str = "",
) -> TitledTable:
    """The table of metrics of runs; programs get `all_bare` if given, which may have more metrics."""
    titles, rows = metrics_rows(summaries, names, baseline, ranges)
    return TitledTable(titles, rows, metrics_table(all_bare or summaries, names), caption)


def markdown(titles: Row, rows: Sequence[Row], caption: str = "") -> str:
    """A table of GitHub's Markdown, with the caption below; the first two columns are text."""
    rule = ["---", "---", *["---:"] * (len(titles) - 2)]
    lines = ["| " + " | ".join(map(markdown_text, row)) + " |" for row in (titles, rule, *rows)]
    return "\n".join([*lines, *(["", markdown_text(caption)] if caption else [])])


CAPTION = "% \\caption{"
"""How the caption of a table begins in LaTeX: a comment, since the float around the table has it."""


def _latex_with_caption(titles: Row, rows: Sequence[Row], caption: str) -> str:
    """The table in LaTeX; its caption is a comment below what it needs, to be pasted into the float."""
    first, _, rest = latex(titles, rows).partition("\n")
    return "\n".join([first, *([f"{CAPTION}{breakable(caption)}}}"] if caption else []), rest])


def csv_of(table: Table, words: CellWords = as_it_is) -> str:
    """A table as CSV, without the last line's end."""
    out = io.StringIO()
    write_rows(table, out, words)
    return out.getvalue().rstrip("\n")


def chosen_rows(summaries: Sequence[Summary], text: str) -> list[Summary]:
    """The metrics whose names stand in a text, with commas, in their order. Raises InputError for others."""
    chosen = [name.strip() for name in text.split(",") if name.strip()]
    if unknown := [name for name in chosen if name not in summaries[0]]:
        hint = nearest(unknown[0], summaries[0])
        raise InputError(f"--rows {unknown[0]}: there is no such metric{hint}; --metric computes one")
    return [{name: values[name] for name in chosen} for values in summaries]


WRITERS: dict[str, Callable[[Row, Sequence[Row], str], str]] = {
    "latex": _latex_with_caption,
    "markdown": markdown,
}
"""Formats of tables with rounded values, by name."""
