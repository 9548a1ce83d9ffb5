"""Charts as figures for a report, tables as CSV."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from textwrap import shorten
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtWidgets import QFileDialog

from app.cli.output import Summary, Table, schedule_table, write_table
from app.export.provenance import Provenance
from engine.errors import InputError
from engine.quantities import Missing, offered
from engine.simulation.control import Control
from views.data.comparison import TOO_FEW
from views.data.gantt.look import GanttLook
from views.data.results import Result
from views.data.sweep_cells import Cells
from views.state.filter import filter_of
from views.text.counts import plural

if TYPE_CHECKING:
    from app.shell.window import MainWindow

_FIGURES = "PDF (*.pdf);;SVG (*.svg);;PNG (*.png)"
_TITLE = 100  # characters that fit over a figure
_MOST_NAMED = 5  # selected jobs; of more their number is told
_OVER_TIME = ("gantt", "heatmap", "timeline", "difference")
_TABLES = "CSV (*.csv);;Parquet (*.parquet)"
_one_drawing = Lock()  # matplotlib's settings are shared by all threads


def export_chart(window: MainWindow, kind: str) -> None:
    """Let the user name a file, then draw a chart of the runs into it.

    `kind` is `gantt`, `heatmap`, `difference`, `distributions`, `scatter`, `sizes`, `timeline`, `radar`,
    `gains` or `sweep`. The figure shows the time and the measures that the window shows, and is drawn
    in a thread.
    """
    results = _results(window)
    if not _there(window, kind):
        return
    path = _ask(window, f"Export {kind}", f"{results[0].schedule.trace.name}-{kind}.pdf", _FIGURES)
    if path is not None:
        write_chart(window, kind, path)


def write_chart(window: MainWindow, kind: str, path: Path) -> None:
    """Draw the chart into the file, in a thread; the status line tells when it is there."""
    results, shown, pair = _results(window), window.clock.window, window.page.difference.chosen
    choices, scatter = window.page.boxplots.choices, window.page.scatter
    scattered, scatter_choices = scatter.result or results[0], scatter.choices
    title, gantt, provenance = _title(window), _gantt_look(window), _provenance(window)
    selected = _selected(window)
    look, rows = window.page.heatmap_look, window.page.heatmap_rows()
    baseline, weights = window.page.scores.place, window.page.scores.weights
    cells, name = window.page.sweep.cells, results[0].schedule.trace.name
    courses, log = window.page.timeline.courses, window.page.timeline.log.isChecked()

    def draw(_: Control) -> list[Path]:
        from views.data.comparison import compare
        from views.figures import (
            boxplot_figure,
            difference_figure,
            gains_figure,
            gantt_figure,
            heatmap_figure,
            lines_figure,
            radar_figure,
            save,
            scatter_figure,
            sizes_figure,
            surface_figure,
            timeline_figure,
        )

        about = provenance
        with _one_drawing:
            if kind == "gantt":
                figure = gantt_figure(results, shown, title, gantt)
                about = replace(provenance, selected=selected)
            elif kind == "heatmap":
                figure = heatmap_figure(
                    results, shown, title, rows, look.measure, shared_scale=look.shared_scale
                )
            elif kind == "difference" and pair is not None:
                figure, about = difference_figure(compare(*pair), shown, title), provenance.of(*pair)
            elif kind == "timeline":
                figure = timeline_figure(courses, shown, log)
            elif kind == "sweep" and cells is not None:
                figure = surface_figure(cells, name)
            elif kind == "radar":
                figure = radar_figure(results, title)
            elif kind == "gains":
                figure = gains_figure(results, baseline, weights, title)
            elif kind == "scatter":
                named = title and f"{scattered.name} on {title}"
                figure, about = scatter_figure(scattered, scatter_choices, named), provenance.of(scattered)
            elif kind == "sizes":
                figure = sizes_figure(results, title)
            elif choices.kind == "box":
                figure = boxplot_figure(results, title, choices)
            else:
                figure = lines_figure(results, choices, title)
            if kind == "sweep" and cells is not None:
                note = about.note_of_sweep(cells.grid)
            else:
                note = about.note(kind in _OVER_TIME, of_all=kind == "timeline")
            save(figure, path, note)
        return [path]

    _in_thread(window, path, draw)


def export_table(window: MainWindow, kind: str) -> None:
    """Write `metrics`, `users`, `queues`, every `schedule`, the `difference` or the `sweep`.

    The user names the file.
    """
    results = _results(window)
    if not _there(window, kind):
        return
    filters = _TABLES if kind == "schedule" else "CSV (*.csv)"
    path = _ask(window, f"Export {kind}", f"{results[0].schedule.trace.name}-{kind}.csv", filters)
    if path is not None:
        write_named_table(window, kind, path)


def write_named_table(window: MainWindow, kind: str, path: Path) -> None:
    """Write the table, in a thread; the status line tells when it is there.

    Schedules of several runs become files of their own, named after their policies.
    """
    results, pair, provenance = _results(window), window.page.difference.chosen, _provenance(window)
    cells, summaries = window.page.sweep.cells, dict(window.page.sweep.summaries)

    def write(_: Control) -> list[Path]:
        if kind == "metrics":
            write_table(provenance.add_to(_metrics_table(results)), path)
        elif kind in ("users", "queues"):
            write_table(_groups_table(results, kind.removesuffix("s"), provenance), path)
        elif kind == "difference" and pair is not None:
            write_table(provenance.of(*pair).add_to(_difference_table(*pair)), path)
        elif kind == "sweep" and cells is not None:
            write_table(_sweep_table(cells, summaries, results[0].schedule.trace.name), path)
        elif len(results) == 1:
            write_table(_schedule(results[0], provenance), path)
        else:
            own = [path.with_stem(f"{path.stem}-{_as_file(result.name)}") for result in results]
            for result, target in zip(results, own, strict=True):
                write_table(_schedule(result, provenance), target)
            return own
        return [path]

    _in_thread(window, path, write)


def _in_thread(window: MainWindow, path: Path, work: Callable[[Control], list[Path]]) -> None:
    def failed(error: Exception) -> None:
        if isinstance(error, InputError):
            window.messages.show_message(str(error))
        elif isinstance(error, OSError):
            window.messages.show_message(f"{path}: cannot write this file: {error.strerror or error}")
        else:
            details = "".join(traceback.format_exception(error))
            window.messages.show_message(f"{path}: the export failed: {error}", details)

    def done(written: list[Path]) -> None:
        window.statusBar().showMessage(f"Wrote {', '.join(map(str, written))}", 8000)

    window.workbench.executor.submit(("export", path), work, done, failed)


def _there(window: MainWindow, kind: str) -> bool:
    """Whether there is something to export; else it is told what is missing."""
    if kind == "difference" and window.page.difference.chosen is None:
        window.messages.show_message(TOO_FEW)
        return False
    if kind == "timeline" and _results(window) and not window.page.timeline.courses:
        window.messages.show_message("The timeline shows no run: switch one on above it.")
        return False
    if kind == "sweep" and not window.page.sweep.summaries:
        window.messages.show_message("There is no sweep to export: press Sweep in the tab of that name.")
        return False
    if not _results(window):
        window.messages.show_message("There is nothing to export before a run is done.")
        return False
    return True


def _results(window: MainWindow) -> list[Result]:
    return [one.result for one in window.workbench.finished()]


def _provenance(window: MainWindow) -> Provenance:
    dimmed = window.filter.value.dimmed
    workbench = window.workbench
    instant = window.selection.value.instant
    return Provenance(_results(window), workbench.only, dimmed, window.clock.window, workbench.share, instant)


def _gantt_look(window: MainWindow) -> GanttLook:
    """All that is chosen for the Gantt charts."""
    page, filter = window.page, window.filter.value
    drawn = window.workbench.drawn.get(page.baseline or 0)
    return GanttLook(
        rows=page.rows,
        part=window.clock.rows,
        colours=page.colours,
        layers=page.layers,
        hidden=filter.hidden,
        dimmed=filter.dimmed,
        selected=window.selection.value.without_span.mask(_results(window)[0].schedule.trace),
        instant=window.selection.value.instant,
        baseline=drawn.schedule if drawn is not None else None,
    )


def _selected(window: MainWindow) -> str:
    """What is selected, in words; empty: nothing."""
    trace, picked = _results(window)[0].schedule.trace, window.selection.value.without_span
    if len(picked.jobs) > _MOST_NAMED:
        return plural(len(picked.jobs), "selected job")
    expression = filter_of(picked, trace)
    return shorten(str(expression), _TITLE, placeholder=" …") if expression is not None else ""


def _title(window: MainWindow) -> str:
    """The trace, and what its jobs had to meet to be shown and measured; empty: nothing."""
    only = window.workbench.only
    if only is None:
        return ""
    return shorten(f"{_results(window)[0].schedule.trace.name}, under: {only}", _TITLE, placeholder=" …")


def _ask(window: MainWindow, title: str, name: str, filters: str) -> Path | None:
    text, _ = QFileDialog.getSaveFileName(window, title, name, filters)
    return Path(text) if text else None


def _as_file(name: str) -> str:
    """A policy's spelling as a part of a file name."""
    return "".join(c if c.isalnum() or c in "-." else "_" for c in name)


def _metrics_table(results: list[Result]) -> Table:
    """A row a metric, a column a run; a missing value is empty."""
    names = list(results[0].summary)
    return [("metric", names), *((one.name, [one.summary[name] for name in names]) for one in results)]


def _schedule(result: Result, provenance: Provenance) -> Table:
    """A row a job: all of them, and which were measured."""
    jobs = len(result.measured)
    table = [
        *schedule_table(result.schedule),
        ("measured", result.measured),
        ("policy", [result.name] * jobs),
    ]
    return provenance.of(result).add_to(table)


def _groups_table(results: list[Result], by: str, provenance: Provenance) -> Table:
    """A row a user, or queue, and run, over the jobs that were measured."""
    from engine.metrics.groups import GROUPINGS, per_group

    tables = []
    for result in results:
        schedule = result.schedule
        groups = per_group(schedule, GROUPINGS[by](schedule.trace), result.violations, result.measured)
        table = [
            ("policy", np.full(len(groups.jobs), result.name, object)),
            (by, np.array(groups.names, object)),
            ("jobs", groups.jobs),
            *((name, _filled(groups.column(name), len(groups.jobs))) for name in offered("groups")),
        ]
        tables.append(provenance.of(result).add_to(_rows(table, groups.active)))
    return [
        (parts[0][0], np.concatenate([column for _, column in parts])) for parts in zip(*tables, strict=True)
    ]


def _filled(values: NDArray[np.float64] | Missing, many: int) -> NDArray[np.float64]:
    """A column of a table; empty where it was not computed."""
    return np.full(many, np.nan) if isinstance(values, Missing) else values


def _rows(table: Table, chosen: NDArray[np.bool_]) -> Table:
    """The chosen rows, a mask, of a table of arrays."""
    return [(name, column[chosen]) for name, column in table]


def _difference_table(first: Result, second: Result) -> Table:
    """A row a user with compared jobs: seconds of waiting won and lost in the second run."""
    from views.data.comparison import compare

    comparison = compare(first, second)
    users = comparison.difference.users
    table = [
        ("policy", np.full(len(users.jobs), second.name, object)),
        ("against", np.full(len(users.jobs), first.name, object)),
        ("user", np.array(comparison.trace.user.names, object)),
        ("jobs", users.jobs),
        ("earlier", users.earlier),
        ("later", users.later),
        ("won", users.won),
        ("lost", users.lost),
        ("net", users.net),
    ]
    return _rows(table, users.jobs > 0)


def _sweep_table(cells: Cells, summaries: Mapping[int, Summary], trace: str) -> Table:
    """A row a cell that is done: its policy, the values of the two keys, all metrics, and of which jobs."""
    rows = []
    down, across = cells.grid.rows, cells.grid.columns
    for place, summary in sorted(summaries.items()):
        row, column = divmod(place, len(across.values))
        keys = {down.key: down.values[row], across.key: across.values[column]}
        about = {"trace": trace, "filter": cells.measured}
        rows.append({"policy": cells.grid.policies[place].spelling, **keys, **summary, **about})
    return [(name, [row[name] for row in rows]) for name in rows[0]]
