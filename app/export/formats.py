"""Tables of metrics as LaTeX, Markdown and CSV: for a paper, a page or a spreadsheet."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence

from app.export.output import Summary, changes_of, metrics_table, write_rows
from engine.metrics.metric import Metric
from engine.metrics.named import parse_metric
from engine.metrics.phased import Ranges
from engine.shown_text import latex_text, markdown_text

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


def latex(titles: Row, rows: Sequence[Row]) -> str:
    """A `tabular` with the rules of the package booktabs; the first two columns are text."""
    columns = "ll" + "r" * (len(titles) - 2)
    return "\n".join(
        [
            "% needs \\usepackage{booktabs}",
            f"\\begin{{tabular}}{{{columns}}}",
            "\\toprule",
            _latex_row(titles),
            "\\midrule",
            *map(_latex_row, rows),
            "\\bottomrule",
            "\\end{tabular}",
        ]
    )


def _latex_row(cells: Row) -> str:
    return " & ".join(map(latex_text, cells)) + r" \\"


def markdown(titles: Row, rows: Sequence[Row]) -> str:
    """A table of GitHub's Markdown; the first two columns are text."""
    rule = ["---", "---", *["---:"] * (len(titles) - 2)]
    return "\n".join("| " + " | ".join(map(markdown_text, row)) + " |" for row in (titles, rule, *rows))


def csv_text(summaries: Sequence[Summary], names: Sequence[str]) -> str:
    """A row for each metric with its name, unit and unrounded values; a missing value is empty."""
    out = io.StringIO()
    write_rows(metrics_table(summaries, names), out)
    return out.getvalue().rstrip("\n")


WRITERS: dict[str, Callable[[Row, Sequence[Row]], str]] = {"latex": latex, "markdown": markdown}
"""Formats of tables with rounded values, by name."""
