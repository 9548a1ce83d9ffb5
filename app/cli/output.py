"""What commands write: tables as CSV or Parquet, JSON, and text for people."""

from __future__ import annotations

import csv
import json
import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from engine.atomic import replaceable, write_atomically
from engine.errors import InputError
from engine.metrics.catalog import NO_VALUE
from engine.schedule.schedule import NOT_RUN, Schedule

if TYPE_CHECKING:
    from engine.metrics.evaluation import Evaluation
    from engine.metrics.groups import GroupTable

Summary = Mapping[str, float | int | None]
"""Values by metric name."""


def check_output(path: Path | None, *suffixes: str) -> None:
    """Look before the work whether its result can be written.

    Raises InputError where a file has none of these suffixes, OSError where it may not be replaced.
    """
    if path is None:
        return
    if path.suffix not in suffixes:
        known = f"{', '.join(suffixes[:-1])} or {suffixes[-1]}"
        raise InputError(f"{path}: cannot write this format; name it {known}")
    replaceable(path)


_BLOCK, _AT_ONCE = 2000, 20
"""Rows that are made ready, and that are written: meanwhile a thread keeps the interpreter to itself, and the
window, which asks for it many times a frame, waits."""

Table = Sequence[tuple[str, Any]]
"""Columns, each a name and a list or an array, all of one length and one kind; masked values are missing."""


def write_table(table: Table, path: Path) -> None:
    """Write Parquet where the name says so, else CSV; what is missing or NaN is empty. Raises OSError."""
    write = _write_parquet if path.suffix == ".parquet" else _write_csv
    write_atomically(path, lambda part: write(table, part))


def _write_csv(table: Table, path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(as_text(name) for name, _ in table)
        for block in _blocks(table):
            lines = zip(*(map(as_text, _cells(column[block])) for _, column in table), strict=True)
            for _ in range(block.start, block.stop, _AT_ONCE):
                rows.writerows(islice(lines, _AT_ONCE))


_BEGINS_FORMULA = frozenset("=+-@\t")


def as_text(cell: Any) -> Any:
    """A cell of a CSV. A word that a spreadsheet would run as a formula begins with an apostrophe."""
    if not isinstance(cell, str):
        return cell
    cell = cell.replace("\r", " ")  # which `csv` leaves bare, so that the row would end there
    if cell[:1] in _BEGINS_FORMULA:
        try:
            float(cell)
        except ValueError:
            return f"'{cell}"
    return cell


def _blocks(table: Table) -> Iterator[slice]:
    """The rows in parts: between two of them a thread that writes hands the interpreter on to the window."""
    rows = max((len(column) for _, column in table), default=0)
    return (slice(first, first + _BLOCK) for first in range(0, rows, _BLOCK))


def _cells(column: Any) -> Sequence[Any]:
    if not isinstance(column, np.ndarray):
        return cast("Sequence[Any]", column)
    cells: list[Any] = column.tolist()  # None where it is masked
    return [None if cell != cell else cell for cell in cells] if column.dtype.kind == "f" else cells


def _write_parquet(table: Table, path: Path) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    def arrow(column: Any) -> Any:
        if isinstance(column, np.ndarray) and column.dtype.kind != "O":
            return pa.array(column, from_pandas=True)
        kind = pa.infer_type(column[:1])
        return pa.chunked_array([pa.array(column[block], kind) for block in _blocks([("", column)])], kind)

    arrays = [arrow(column) for _, column in table]
    parquet.write_table(pa.Table.from_arrays(arrays, [name for name, _ in table]), path)


def schedule_table(schedule: Schedule) -> Table:
    """A row a job; start, end and wait are missing where the job was refused or given up.

    On a machine whose nodes fail the last column says how often they stopped it.
    """
    trace = schedule.trace
    refused = schedule.start == NOT_RUN
    columns: list[tuple[str, Any]] = [
        ("job_id", trace.job_id),
        ("user", _spelled(trace.user.names, trace.user.codes)),
        ("queue", _spelled(trace.queue.names, trace.queue.codes)),
        ("submit", trace.submit),
        ("start", np.ma.array(schedule.start, mask=refused)),
        ("end", np.ma.array(schedule.end, mask=refused)),
        ("procs", schedule.procs),
        ("wait", np.ma.array(schedule.wait, mask=refused)),
        ("runtime", trace.runtime if not schedule.policy.recorded else trace.recorded_runtime),
        ("walltime", trace.walltime),
    ]
    if schedule.cluster.failures is not None:
        columns.append(("stopped", np.bincount(schedule.stopped.job, minlength=len(trace))))
    return columns


def eet_table(evaluation: Evaluation) -> Table:
    """A row a job: its expected and its real end, and by how much it missed."""
    schedule, violations = evaluation.schedule, evaluation.violations
    trace = schedule.trace
    refused = schedule.start == NOT_RUN
    return [
        ("job_id", trace.job_id),
        ("user", _spelled(trace.user.names, trace.user.codes)),
        ("eet", np.ma.array(violations.eet, mask=refused)),
        ("end", np.ma.array(schedule.end, mask=refused)),
        ("tardiness", np.ma.array(violations.tardiness, mask=refused)),
    ]


def metrics_lines(summaries: Sequence[Summary], names: Sequence[str], baseline: int) -> list[str]:
    """A text table: a line a metric, a column a run, with the change against the baseline in %."""
    from engine.metrics.compare import change
    from engine.metrics.named import parse_metric

    base = summaries[baseline]
    rows = [["", *names]]
    for metric in map(parse_metric, base):
        cells = []
        for place, summary in enumerate(summaries):
            value = summary[metric.name]
            difference = None if place == baseline else change(value, base[metric.name])
            cells.append(metric.show(value) + ("" if difference is None else f" ({difference:+.1f} %)"))
        rows.append([f"{metric.label}{f', {metric.unit}' if metric.unit else ''}", *cells])
    return _aligned(rows)


def group_lines(table: GroupTable) -> list[str]:
    """A text table: a line for each group that has a measured job."""
    rows = [[text for text, _, _ in _GROUP_COLUMNS]]
    for entry in group_facts(table):
        values = (entry[key] for _, key, _ in _GROUP_COLUMNS)
        shown = (
            NO_VALUE if v is None else format(v, f)
            for v, (_, _, f) in zip(values, _GROUP_COLUMNS, strict=True)
        )
        rows.append(list(shown))
    return _aligned(rows)


def group_facts(table: GroupTable) -> list[dict[str, Any]]:
    """For each group that has a measured job its name and its metrics, None where there is none."""
    columns = {key: getattr(table, key) for _, key, _ in _GROUP_COLUMNS[1:]}
    return [
        {
            "name": table.names[group],
            **{
                key: None if column is None else int(column[group]) if key in _WHOLE else column[group].item()
                for key, column in columns.items()
            },
        }
        for group in np.flatnonzero(table.active)
    ]


_GROUP_COLUMNS = (
    ("", "name", ""),
    ("Jobs", "jobs", ",d"),
    ("Mean wait, s", "wait_mean", ",.0f"),
    ("Mean bounded slowdown", "bounded_slowdown_mean", ",.2f"),
    ("Area, processor-s", "area", ",d"),
    ("Violated EETs", "violated_jobs", ",d"),
    ("VEET, %", "veet", ".1f"),
    ("Weighted tardiness, processor-s", "wt", ",d"),
)
"""Columns of a table of groups: heading, field of the table, format."""

_WHOLE = tuple(key for _, key, form in _GROUP_COLUMNS if form == ",d")


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows of cells as lines: the first column to the left, the others to the right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return [
        "  ".join(
            cell.ljust(width) if column == 0 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def write_metrics(summaries: Sequence[Summary], names: Sequence[str], path: Path) -> None:
    """A CSV with a line a metric and a column a run; a missing value is empty."""

    def write(file: Path) -> None:
        with file.open("w", newline="", encoding="utf-8") as stream:
            rows = csv.writer(stream, lineterminator="\n")
            rows.writerow(["metric", *map(as_text, names)])
            for name in summaries[0] if summaries else ():
                values = (summary[name] for summary in summaries)
                rows.writerow([name, *("" if value is None else value for value in values)])

    write_atomically(path, write)


def print_json(document: Mapping[str, Any]) -> None:
    """One JSON document on standard output; NaN and infinities are null."""
    json.dump(_plain(document), sys.stdout, indent=2, allow_nan=False)
    print()


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(entry) for entry in value]
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _spelled(names: Sequence[str], codes: np.ndarray[Any, np.dtype[np.int32]]) -> Any:
    return np.array(names, object)[codes]
