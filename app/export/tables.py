"""Tables for a report, as CSV or Parquet: what each holds, and how it is written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from app.export.output import (
    CellWords,
    Summary,
    file_unit,
    metrics_table,
    stacked,
    with_added,
    with_unit,
    write_table,
)
from app.export.provenance import Provenance
from engine.atomic import check_own_name
from engine.input import refuse_inputs
from engine.quantities import Missing, offered
from engine.quantities.job_table import Table, schedule_table
from engine.shown_text import spreadsheet_text
from views.catalog import figure_spec
from views.data.change_look import COLUMNS, ChangeLook
from views.data.comparison import ChangesBy, RunPair
from views.data.results import Result
from views.data.search_results import SearchResults
from views.data.sweep_cells import SweepCells
from views.figures.request import FigureRequest
from views.grammar.study_figure import StudyFigure

Files = dict[Path, Callable[[], Table]]
"""The files of a table, and what makes the content of each when it is written."""

CSV, CSV_OR_PARQUET = "CSV (*.csv)", "CSV (*.csv);;Parquet (*.parquet)"


@dataclass(frozen=True)
class TableSpec:
    """A kind of table. `make` gives the tables of the files: of several runs there may be several."""

    kind: str
    label: str  # in menus, with its access key
    make: Callable[[FigureRequest, Provenance, Path], Files]
    formats: str = CSV
    lacks: Callable[[FigureRequest], str] = lambda _: ""  # why there is nothing to write; empty: there is

    def write(
        self, request: FigureRequest, about: Provenance, path: Path, words: CellWords = spreadsheet_text
    ) -> list[Path]:
        """Write the files, CSVs for a spreadsheet unless `words` says otherwise; gives their names.

        Raises InputError if a file would replace an input file, and OSError.
        """
        files = self.make(request, about, path)
        own_names = len(files) > 1  # that of a single file is the user's
        for target in files:
            refuse_inputs(target)
            if own_names:
                check_own_name(target)
        for target, table in files.items():
            write_table(table(), target, words, own_name=own_names)
        return list(files)


def _make_metrics(request: FigureRequest, about: Provenance, path: Path) -> Files:
    summaries, names = (
        [result.summary for result in request.results],
        [result.description for result in request.results],
    )
    return {path: lambda: about.add_to(metrics_table(summaries, names))}


def _make_users(request: FigureRequest, about: Provenance, path: Path) -> Files:
    return {path: partial(_groups_table, request.results, "user", about)}


def _make_queues(request: FigureRequest, about: Provenance, path: Path) -> Files:
    return {path: partial(_groups_table, request.results, "queue", about)}


def _make_difference(request: FigureRequest, about: Provenance, path: Path) -> Files:
    pair = request.own.get(RunPair)
    by = request.options.changes_by
    return {path: lambda: about.of(*pair).add_to(_difference_table(*pair, by))}


def _make_sweep(request: FigureRequest, _: Provenance, path: Path) -> Files:
    cells = request.own.get(SweepCells)
    return {path: partial(_sweep_table, cells, cells.summaries, request.trace.name)}


def _make_study(request: FigureRequest, _: Provenance, path: Path) -> Files:
    """One row per run that has come: trace, scale, policy, keys, metrics, seconds, and why it failed."""
    rows = [row for row in request.own.get(StudyFigure).results.rows if row is not None]
    return {path: lambda: [(name, [row[name] for row in rows]) for name in rows[0]]}


def _make_search(request: FigureRequest, _: Provenance, path: Path) -> Files:
    """A row for each tried policy, with its metrics on the searched span; judged policies have both spans."""
    return {path: partial(search_table, request.own.get(SearchResults))}


def _make_change(request: FigureRequest, _: Provenance, path: Path) -> Files:
    """A row for all jobs, then for each account, partition and size class: waits before and after."""
    return {path: partial(change_table, request.own.get(ChangeLook))}


def change_table(look: ChangeLook) -> Table:
    """A row for each group of a change of rules: its waits and their changes, and both sites."""
    groups = look.groups
    table: Table = [
        ("by", [group.by or "all" for group in groups]),
        ("name", [group.name if group.by else "" for group in groups]),
        *(
            (
                with_unit(column.key.replace(" ", "_"), column.unit),
                _numbers([column.value(group) for group in groups]),
            )
            for column in COLUMNS
        ),
    ]
    # A table that leaves the program says where it comes from: the same in each of its rows.
    about = {
        "trace": look.answer.first.trace.name,
        "at": look.at,
        "old_rules": look.sites[0],
        "new_rules": look.sites[1],
    }
    return [*table, *((name, [value] * len(groups)) for name, value in about.items())]


def _no_change(request: FigureRequest) -> str:
    none = "There is no change of rules to export: compare two configurations on the page Change."
    return none if request.own.find(ChangeLook) is None else ""


def search_table(results: SearchResults) -> Table:
    """A row for each trial, in order, with the results of the judged trials on the span that no trial saw."""
    metrics, later = (
        results.question.metrics,
        {checked.trial.policy: checked.values for checked in results.judged},
    )
    nothing: dict[str, float | None] = dict.fromkeys(metrics)
    # Trials that were not judged have empty cells there.
    judged = [later.get(trial.policy, nothing) for trial in results.trials]
    return [
        ("policy", [trial.policy.spelling for trial in results.trials]),
        *((name, results.values(name)) for name in metrics),
        ("kept", [int(trial.kept) for trial in results.trials]),
        *((f"{name}_judged", _numbers([values[name] for values in judged])) for name in metrics),
    ]


def _numbers(values: list[float | None]) -> NDArray[np.float64]:
    return np.array([np.nan if value is None else value for value in values], np.float64)


def _make_schedules(request: FigureRequest, about: Provenance, path: Path) -> Files:
    """The schedules of several runs in separate files, named after their policies."""
    results = request.results
    if len(results) == 1:
        return {path: partial(_schedule, results[0], about)}
    names = [_as_file(result.name) for result in results]
    own = [
        path.with_stem(f"{path.stem}-{name}" + (f"-{result.run_id}" if names.count(name) > 1 else ""))
        for name, result in zip(names, results, strict=True)
    ]
    return {target: partial(_schedule, result, about) for result, target in zip(results, own, strict=True)}


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
    rows = with_added(table, result.schedule, measured=False, policy=result.description)
    return provenance.of(result).add_to(rows)


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
    return stacked(tables)


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


def _sweep_table(cells: SweepCells, summaries: Mapping[int, Summary], trace: str) -> Table:
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
    TableSpec("metrics", "&Metrics…", _make_metrics),
    TableSpec("users", "&Users…", _make_users),
    TableSpec("queues", "&Queues…", _make_queues),
    TableSpec(
        "difference",
        "&Difference of two runs…",
        _make_difference,
        lacks=figure_spec("difference").lacks,
    ),
    TableSpec("sweep", "S&weep…", _make_sweep, lacks=figure_spec("sweep").lacks),
    TableSpec("study", "St&udy…", _make_study, CSV_OR_PARQUET, figure_spec("study").lacks),
    TableSpec("search", "Searc&h…", _make_search, CSV_OR_PARQUET, figure_spec("search").lacks),
    TableSpec("change", "&Change of rules…", _make_change, CSV_OR_PARQUET, _no_change),
    TableSpec("schedule", "&Schedules…", _make_schedules, CSV_OR_PARQUET),
)


def table_spec(kind: str) -> TableSpec:
    """The table of that kind. Raises StopIteration where there is none."""
    return next(table for table in TABLES if table.kind == kind)
