"""The views that are tables."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from views.spec import ViewSpec

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from views.data.shown_runs import ShownRuns
    from views.state.context import ViewContext
    from views.tables.table import Table
    from views.theme.theme import Theme


def _metrics(_: ViewContext, theme: Theme, parent: QWidget) -> QWidget:
    from views.tables.metrics_table import MetricsTable

    return MetricsTable(theme, parent)


def _runs(context: ViewContext, theme: Theme, parent: QWidget) -> QWidget:
    from views.tables.runs_table import RunsTable

    return RunsTable(context.executor, theme, parent)


def _users(context: ViewContext, theme: Theme, parent: QWidget) -> QWidget:
    from views.tables.groups_table import GroupsTable

    return GroupsTable("user", context, theme, parent)


def _queues(context: ViewContext, theme: Theme, parent: QWidget) -> QWidget:
    from views.tables.groups_table import GroupsTable

    return GroupsTable("queue", context, theme, parent)


def _jobs(context: ViewContext, theme: Theme, parent: QWidget) -> QWidget:
    from views.tables.jobs_table import JobsTable

    return JobsTable(context, theme, parent)


def _nodes(context: ViewContext, theme: Theme, parent: QWidget) -> QWidget:
    from views.tables.nodes_table import NodesTable

    return NodesTable(context, theme, parent)


def _marks(context: ViewContext, theme: Theme, parent: QWidget) -> QWidget:
    from views.tables.marks_table import MarksTable

    return MarksTable(context, theme, parent)


def _show_marks(table: Any, shown: ShownRuns) -> None:
    table.set_trace(shown.trace)


def _bind(name: str, table: Table, context: ViewContext) -> None:
    view, at_first = context.view, tuple(table.hidden)
    view.follow(
        table, "hidden_columns", lambda: table.hide_columns(view.options.hidden_columns.get(name, at_first))
    )
    table.columns_changed.connect(
        lambda: view.choose(hidden_columns={**view.options.hidden_columns, name: tuple(sorted(table.hidden))})
    )


def _show_results(panel: Any, shown: ShownRuns) -> None:
    panel.set_results(shown.trace, shown.results)


def _show_runs(panel: Any, shown: ShownRuns) -> None:
    panel.set_results(shown.results)


METRICS = ViewSpec("table", "Metrics", "tab", _metrics, _show_runs, measured=True)

RUNS = ViewSpec("runs", "Runs", "tab", _runs, bind=partial(_bind, "runs"))

USERS = ViewSpec(
    "users",
    "Users",
    "tab",
    _users,
    _show_results,
    bind=partial(_bind, "users"),
)

QUEUES = ViewSpec(
    "queues",
    "Queues",
    "tab",
    _queues,
    _show_results,
    bind=partial(_bind, "queues"),
)

JOBS = ViewSpec(
    "jobs",
    "Jobs",
    "tab",
    _jobs,
    _show_results,
    bind=partial(_bind, "jobs"),
)

NODES = ViewSpec(
    "nodes",
    "Nodes",
    "tab",
    _nodes,
    _show_results,
    bind=partial(_bind, "nodes"),
)

MARKS = ViewSpec("marks", "Marks", "tab", _marks, _show_marks)
