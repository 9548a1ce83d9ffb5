"""Tables for a report, as CSV or Parquet: what each holds, and how it is written."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.export.output import Summary, file_unit, metrics_table, with_unit, write_table
from app.export.provenance import Provenance
from engine.atomic import check_own_name
from engine.input import refuse_inputs
from engine.quantities import Missing, offered
from engine.quantities.job_table import Table, schedule_table
from views.catalog import figure_spec
from views.data.comparison import ChangesBy, RunPair
from views.data.results import Result
from views.data.search_results import SearchResults
from views.data.study_look import StudyLook
from views.data.sweep_cells import Cells
from views.figures.request import FigureRequest

CSV, CSV_OR_PARQUET = "CSV (*.csv)", "CSV (*.csv);;Parquet (*.parquet)"


@dataclass(frozen=True)
class TableSpec:
    """A kind of table. `write` gives the files that it wrote: of several runs it may be several."""

    kind: str
    label: str  # in menus, with its access key
    write: Callable[[FigureRequest, Provenance, Path], list[Path]]
    formats: str = CSV
    lacks: Callable[[FigureRequest], str] = lambda _: ""  # why there is nothing to write; empty: there is


def _write_metrics(request: FigureRequest, about: Provenance, path: Path) -> list[Path]:
    summaries, names = (
        [result.summary for result in request.results],
        [result.description for result in request.results],
    )
    write_table(about.add_to(metrics_table(summaries, names)), path)
    return [path]


def _write_users(request: FigureRequest, about: Provenance, path: Path) -> list[Path]:
    write_table(_groups_table(request.results, "user", about), path)
    return [path]


def _write_queues(request: FigureRequest, about: Provenance, path: Path) -> list[Path]:
    write_table(_groups_table(request.results, "queue", about), path)
    return [path]


def _write_difference(request: FigureRequest, about: Provenance, path: Path) -> list[Path]:
    pair = request.own.get(RunPair)
    first, second = pair
    table = _difference_table(first, second, request.options.changes_by)
    write_table(about.of(*pair).add_to(table), path)
    return [path]


def _write_sweep(request: FigureRequest, _: Provenance, path: Path) -> list[Path]:
    cells = request.own.get(Cells)
    write_table(_sweep_table(cells, cells.summaries, request.trace.name), path)
    return [path]


def _write_study(request: FigureRequest, _: Provenance, path: Path) -> list[Path]:
    """One row per run that has come: trace, scale, policy, keys, metrics, seconds, and why it failed."""
    rows = [row for row in request.own.get(StudyLook).results.rows if row is not None]
    write_table([(name, [row[name] for row in rows]) for name in rows[0]], path)
    return [path]


def _write_search(request: FigureRequest, _: Provenance, path: Path) -> list[Path]:
    """A row for each tried policy, with its metrics on the searched span; judged policies have both spans."""
    write_table(search_table(request.own.get(SearchResults)), path)
    return [path]


def search_table(results: SearchResults) -> Table:
    """A row for each trial, in order, with the results of the judged trials on the span that no trial saw."""
    metrics, later = (
        results.question.metrics,
        {checked.trial.policy: checked.values for checked in results.judged},
    )
    nothing: dict[str, float | None] = dict.fromkeys(metrics)
    judged = [later.get(trial.policy, nothing) for trial in results.trials]
    return [
        ("policy", [trial.policy.spelling for trial in results.trials]),
        *((name, results.values(name)) for name in metrics),
        ("kept", [int(trial.kept) for trial in results.trials]),
        *((f"{name}_judged", _numbers([values[name] for values in judged])) for name in metrics),
    ]


def _numbers(values: list[float | None]) -> NDArray[np.float64]:
    return np.array([np.nan if value is None else value for value in values], np.float64)


def _write_schedules(request: FigureRequest, about: Provenance, path: Path) -> list[Path]:
    """Write the schedules of several runs to separate files, named after their policies.

    Raises InputError if a file would replace an input file.
    """
    results = request.results
    if len(results) == 1:
        write_table(_schedule(results[0], about), path)
        return [path]
    names = [_as_file(result.name) for result in results]
    own = [
        path.with_stem(f"{path.stem}-{name}" + (f"-{result.run_id}" if names.count(name) > 1 else ""))
        for name, result in zip(names, results, strict=True)
    ]
    for target in own:
        refuse_inputs(target)
        check_own_name(target)
    for result, target in zip(results, own, strict=True):
        write_table(_schedule(result, about), target, own_name=True)
    return own


def _as_file(name: str) -> str:
    """A policy's spelling as a part of a file name."""
    return "".join(c if c.isalnum() or c in "-." else "_" for c in name)


def _schedule(result: Result, provenance: Provenance) -> Table:
    """One row per job: all of them, and which were measured."""
    jobs = len(result.measured)
    table = [
        *schedule_table(result.schedule),
        ("measured", result.measured),
        ("policy", [result.description] * jobs),
    ]
    return provenance.of(result).add_to(table)


def _groups_table(results: list[Result], by: str, provenance: Provenance) -> Table:
    """One row per user, or queue, and run, over the jobs that were measured."""
    from engine.metrics.groups import GROUPINGS, per_group

    tables = []
    for result in results:
        schedule = result.schedule
        groups = per_group(schedule, GROUPINGS[by](schedule.trace), result.violations, result.measured)
        table = [
            ("policy", np.full(len(groups.jobs), result.description, object)),
            (by, np.array(groups.names, object)),
            ("jobs", groups.jobs),
            *(
                (with_unit(name, file_unit(quantity.unit)), _filled(groups.column(name), len(groups.jobs)))
                for name, quantity in offered("groups", schedule.trace).items()
            ),
        ]
        tables.append(provenance.of(result).add_to(_rows(table, groups.active)))
    return _stacked(tables)


def _stacked(tables: Sequence[Table]) -> Table:
    """The rows of several tables, one table after the other, with the columns of all of them.

    Cells of a column that a table does not have are masked.
    """
    kinds = {name: np.asarray(column).dtype for table in tables for name, column in table}
    parts: dict[str, list[NDArray[Any]]] = {name: [] for name in kinds}
    for table in tables:
        columns, rows = dict(table), len(table[0][1])
        for name, kind in kinds.items():
            # Runs differ in what is said of them: only a site's policy has an accuracy.
            parts[name].append(
                columns[name] if name in columns else np.ma.array(np.zeros(rows, kind), mask=True)
            )
    return [(name, _in_sequence(columns)) for name, columns in parts.items()]


def _in_sequence(columns: list[NDArray[Any]]) -> NDArray[Any]:
    """The cells of several columns in one column, masked where they were."""
    cells = np.concatenate([np.ma.getdata(column) for column in columns])
    mask = np.concatenate([np.ma.getmaskarray(column) for column in columns])
    return np.ma.array(cells, mask=mask)


def _filled(values: NDArray[np.float64] | Missing, many: int) -> NDArray[np.float64]:
    """A column of a table; empty where it was not computed."""
    return np.full(many, np.nan) if isinstance(values, Missing) else values


def _rows(table: Table, chosen: NDArray[np.bool_]) -> Table:
    """The chosen rows, a mask, of a table of arrays."""
    return [(name, column[chosen]) for name, column in table]


def _difference_table(first: Result, second: Result, by: ChangesBy) -> Table:
    """One row per user with compared jobs, or what else these are divided by: waiting won and lost, in s."""
    from views.data.comparison import compare

    comparison = compare(first, second)
    groups = comparison.by(by)
    changes = comparison.changes(groups)
    table = [
        ("policy", np.full(len(changes.jobs), second.description, object)),
        ("against", np.full(len(changes.jobs), first.description, object)),
        (by, np.array(groups.names, object)),
        ("jobs", changes.jobs),
        ("earlier", changes.earlier),
        ("later", changes.later),
        (with_unit("won", "s"), changes.won),
        (with_unit("lost", "s"), changes.lost),
        (with_unit("net", "s"), changes.net),
    ]
    return _rows(table, changes.jobs > 0)


def _sweep_table(cells: Cells, summaries: Mapping[int, Summary], trace: str) -> Table:
    """A row for each finished cell: its policy, the values of the two keys, all metrics, and the measured
    jobs.
    """
    rows = []
    down, across = cells.grid.rows, cells.grid.columns
    for index, summary in sorted(summaries.items()):
        row, column = divmod(index, len(across.values))
        keys = {down.key: down.values[row], across.key: across.values[column]}
        about = {"trace": trace, "filter": cells.measured}
        rows.append({"policy": cells.grid.policies[index].spelling, **keys, **summary, **about})
    return [(name, [row[name] for row in rows]) for name in rows[0]]


TABLES: tuple[TableSpec, ...] = (
    TableSpec("metrics", "&Metrics…", _write_metrics),
    TableSpec("users", "&Users…", _write_users),
    TableSpec("queues", "&Queues…", _write_queues),
    TableSpec(
        "difference",
        "&Difference of two runs…",
        _write_difference,
        lacks=figure_spec("difference").lacks,
    ),
    TableSpec("sweep", "S&weep…", _write_sweep, lacks=figure_spec("sweep").lacks),
    TableSpec("study", "St&udy…", _write_study, CSV_OR_PARQUET, figure_spec("study").lacks),
    TableSpec("search", "Searc&h…", _write_search, CSV_OR_PARQUET, figure_spec("search").lacks),
    TableSpec("schedule", "&Schedules…", _write_schedules, CSV_OR_PARQUET),
)


def table_spec(kind: str) -> TableSpec:
    """The table of that kind. Raises StopIteration where there is none."""
    return next(table for table in TABLES if table.kind == kind)
