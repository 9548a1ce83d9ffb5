"""The data of figures as files: CSV, Parquet or JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from app.export.output import plain, stacked, with_added, write_table
from engine.atomic import write_atomically
from engine.errors import InputError
from engine.input import refuse_inputs
from engine.quantities.job_table import Table, schedule_table
from engine.shown_text import json_text
from views.data.comparison import RunPair
from views.figures.request import FigureRequest
from views.figures.series import series_table
from views.spec import FigureSpec

DATA_FORMATS = (".csv", ".parquet", ".json")
"""Formats of series, by the suffix of the file."""


def write_data(spec: FigureSpec, request: FigureRequest, path: Path) -> None:
    """Write what a figure is drawn from. Raises OSError, and InputError where that is nothing."""
    table = data_of(spec, request)
    if not table:  # all plots have words in place of data
        raise InputError(f"the figure {spec.kind} has no data: its plots have nothing to show")
    write_data_table(spec.kind, table, path)


def write_data_table(kind: str, table: Table, path: Path) -> None:
    """Write the numbers of a figure of this kind: .csv, .parquet or .json. Raises OSError."""
    refuse_inputs(path)
    if path.suffix != ".json":
        write_table(_whole(table), path)
        return
    titles = [title for title, _ in table]
    rows = zip(*(_listed(column) for _, column in table), strict=True)
    document = {"figure": kind, "rows": [dict(zip(titles, row, strict=True)) for row in rows]}
    text = json_text(plain(document), indent=1)
    write_atomically(path, lambda part: part.write_text(f"{text}\n", "utf-8", newline=""))


def data_of(spec: FigureSpec, request: FigureRequest) -> Table:
    """The data of a figure: of plots a row for each point, bar or box; of charts of jobs a row for each job.

    Of heatmaps, a row for each change of a user's count of violated expected ends.
    """
    # A figure as wide as a column has the same data as the figure as wide as a page.
    kind = spec.kind.removesuffix("-column")
    if kind == "gantt":
        return _of_runs(
            [
                (result.own_name, with_added(schedule_table(result.schedule), result.schedule))
                for result in request.results
            ],
            ("job_id", "user", "submit", "start", "end", "procs", "node_list"),
        )
    if kind == "heatmap":
        return _of_runs([(result.own_name, _counts(result)) for result in request.results])
    if kind == "difference":
        return _changes(*request.own.get(RunPair))
    return series_table(spec.page(request))


def _of_runs(tables: list[tuple[str, Table]], wanted: tuple[str, ...] = ()) -> Table:
    """One table with the rows of all runs; its first column names the run of each row."""
    return stacked(
        [
            [("run", [name] * len(table[0][1])), *(c for c in table if not wanted or c[0] in wanted)]
            for name, table in tables
        ]
    )


def _counts(result: Any) -> Table:
    """Each change of how many of a user's jobs are late: user, time in s, and how many then."""
    from engine.fairness.violations import violation_steps

    steps = violation_steps(result.schedule, result.violations, result.measured)
    names = np.array(result.schedule.trace.user.names, object)
    users = np.repeat(np.arange(len(steps.offset) - 1), np.diff(steps.offset))
    return [("user", names[users]), ("time", steps.minute * 60), ("late_jobs", steps.count)]


def _changes(first: Any, second: Any) -> Table:
    """One row per job that both ran: its start under either run and the change, s."""
    trace = second.schedule.trace
    # Only jobs that both runs started and that are measured in both.
    jobs = first.measured & second.measured & first.schedule.ran & second.schedule.ran
    start, other = first.schedule.start[jobs], second.schedule.start[jobs]
    users = np.array(trace.user.names, object)[trace.user.codes[jobs]]
    return [
        ("job_id", np.asarray(trace.job_id)[jobs]),
        ("user", users),
        ("submit", trace.submit[jobs]),
        ("start_first", start),
        ("start_second", other),
        ("change", other - start),
    ]


def _listed(column: Any) -> list[Any]:
    return column.tolist() if isinstance(column, np.ndarray) else list(column)


def _whole(table: Table) -> Table:
    """Columns of a single type each: numbers with NaN for missing, words with empty for missing."""
    found: list[tuple[str, Any]] = []
    for title, column in table:
        cells = _listed(column)
        # A cell with words makes a column of words; a missing number makes a column of fractions with NaN.
        there = [cell for cell in cells if cell is not None]
        if any(isinstance(cell, str) for cell in there):
            found.append((title, ["" if cell is None else str(cell) for cell in cells]))
        elif len(there) < len(cells) or any(isinstance(cell, float) for cell in there):
            found.append((title, np.array([np.nan if cell is None else cell for cell in cells], np.float64)))
        else:
            found.append((title, column))
    return found
