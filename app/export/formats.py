"""Tables of metrics as LaTeX, Markdown and CSV: for a paper, a page or a spreadsheet."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence

from app.export.latex_table import latex
from app.export.output import Summary, changes_of, metrics_table, write_rows
from engine.errors import InputError
from engine.metrics.metric import Metric
from engine.metrics.metric_names import parse_metric
from engine.metrics.phase_metrics import Ranges
from engine.quantities.job_table import Table
from engine.shown_text import markdown_text
from engine.spelling import nearest

Row = Sequence[str]


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


def markdown(titles: Row, rows: Sequence[Row]) -> str:
    """A table of GitHub's Markdown; the first two columns are text."""
    rule = ["---", "---", *["---:"] * (len(titles) - 2)]
    return "\n".join("| " + " | ".join(map(markdown_text, row)) + " |" for row in (titles, rule, *rows))


def csv_text(summaries: Sequence[Summary], names: Sequence[str]) -> str:
    """A row for each metric with its name, unit and unrounded values; a missing value is empty."""
    return csv_of(metrics_table(summaries, names))


def csv_of(table: Table) -> str:
    """A table as CSV, without the last line's end."""
    out = io.StringIO()
    write_rows(table, out)
    return out.getvalue().rstrip("\n")


def chosen_rows(summaries: Sequence[Summary], text: str) -> list[Summary]:
    """The metrics whose names stand in a text, with commas, in their order. Raises InputError for others."""
    chosen = [name.strip() for name in text.split(",") if name.strip()]
    if unknown := [name for name in chosen if name not in summaries[0]]:
        hint = nearest(unknown[0], summaries[0])
        raise InputError(f"--rows {unknown[0]}: there is no such metric{hint}; --metric computes one")
    return [{name: values[name] for name in chosen} for values in summaries]


WRITERS: dict[str, Callable[[Row, Sequence[Row]], str]] = {"latex": latex, "markdown": markdown}
"""Formats of tables with rounded values, by name."""
