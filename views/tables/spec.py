"""The views that are tables."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from views.spec import FigureSpec, Lazy, ViewSpec, show_jobs, show_results

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from views.data.shown_runs import ShownRuns
    from views.state.context import ViewContext
    from views.tables.marks_table import MarksTable
    from views.tables.metrics_table import MetricsTable
    from views.tables.table import Table
    from views.theme.theme import Theme


def _plain(path: str) -> Callable[[ViewContext, Theme, QWidget], QWidget]:
    """The factory of a table that needs nothing of the context."""
    return lambda _, theme, parent: Lazy(path)(theme, parent)


def _groups(kind: str) -> Callable[[ViewContext, Theme, QWidget], QWidget]:
    """The factory of the table of users or queues."""
    return partial(Lazy("views.tables.groups_table:GroupsTable"), kind)


def _runs(context: ViewContext, theme: Theme, parent: QWidget) -> QWidget:
    made: QWidget = Lazy("views.tables.runs_table:RunsTable")(context.executor, theme, parent)
    return made


def _bind_baseline(table: MetricsTable, context: ViewContext) -> None:
    """Compare with the baseline of all views."""
    view = context.view
    view.follow(table, "baseline", lambda: table.choose_baseline(view.options.baseline))
    table.baseline_chosen.connect(lambda run_id: view.choose(baseline=run_id))


def _show_marks(table: MarksTable, shown: ShownRuns) -> None:
    table.set_trace(shown.trace)


def bind_columns(name: str, table: Table, context: ViewContext) -> None:
    """Keep the hidden columns of a table in the view options, under its name."""
    view, at_first = context.view, tuple(table.hidden)
    view.follow(
        table, "hidden_columns", lambda: table.hide_columns(view.options.hidden_columns.get(name, at_first))
    )
    table.columns_changed.connect(
        lambda: view.choose(hidden_columns={**view.options.hidden_columns, name: tuple(sorted(table.hidden))})
    )


METRICS = ViewSpec(
    "table",
    "Metrics",
    "tab",
    _plain("views.tables.metrics_table:MetricsTable"),
    show_results,
    measured=True,
    bind=_bind_baseline,
    plots=Lazy("views.tables.plots:metric_bars"),
    figures=(FigureSpec("metrics", "&Metrics as bars…"),),
)

RUNS = ViewSpec("runs", "Runs", "tab", _runs, measured=True, bind=partial(bind_columns, "runs"))

USERS = ViewSpec(
    "users",
    "Users",
    "tab",
    _groups("user"),
    show_jobs,
    bind=partial(bind_columns, "users"),
)

QUEUES = ViewSpec(
    "queues",
    "Queues",
    "tab",
    _groups("queue"),
    show_jobs,
    bind=partial(bind_columns, "queues"),
)

ACCOUNTS = ViewSpec(
    "accounts",
    "Accounts",
    "tab",
    _groups("account"),
    show_jobs,
    bind=partial(bind_columns, "accounts"),
)

JOBS = ViewSpec(
    "jobs",
    "Jobs",
    "tab",
    Lazy("views.tables.jobs_table:JobsTable"),
    show_jobs,
    bind=partial(bind_columns, "jobs"),
)

NODES = ViewSpec(
    "nodes",
    "Nodes",
    "tab",
    Lazy("views.tables.nodes_table:NodesTable"),
    show_jobs,
    bind=partial(bind_columns, "nodes"),
)

MARKS = ViewSpec("marks", "Marks", "tab", Lazy("views.tables.marks_table:MarksTable"), _show_marks)
