"""Users, or queues, and how their jobs fare under each run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Literal

import numpy as np
from PySide6.QtWidgets import QWidget

from engine.filter import match_any
from engine.metrics.groups import GroupTable, per_group
from engine.quantities import QUANTITIES, Jobs, Missing, Quantity, offered
from engine.trace import Names, Trace
from views.data.results import Result
from views.state.context import ViewContext
from views.state.filter import Filter
from views.tables.content import Content, Mask, TableColumn, greatest
from views.tables.table import Table
from views.text.names import name_ranks, spell_name
from views.text.terms import term_of
from views.text.units import UNITS, sentence
from views.text.values import number, percent
from views.theme.theme import Theme
from views.work.lazy import Lazy

GroupKind = Literal["user", "queue"]

_FIRST = ("veet", "wt", "wait_mean")
"""What a run's columns begin with; others are hidden until they are asked for."""

_COLUMNS = offered("table")

_OF_LOG = ("cpu_efficiency",)
"""Columns of what some logs tell that are shown at first."""

_CHANGE, _CHANGED_FIRST = " change", "wait_mean"
"""What the keys of columns with changes end with, and of which measure they are shown at first."""


class GroupsTable(Table):
    """Table of users or queues; a click selects one everywhere, and a selection made elsewhere is shown."""

    def __init__(
        self, kind: GroupKind, context: ViewContext, theme: Theme, parent: QWidget | None = None
    ) -> None:
        empty = f"The {kind}s of the trace are listed here\nwhen one is open."
        super().__init__(kind, context.executor, theme, empty, parent)
        self._kind: GroupKind = kind
        self._selection, self._filter = context.selection, context.filter
        self._trace: Trace | None = None
        self._results: Sequence[Result] = ()
        self._view = context.view
        changes = {f"{name}{_CHANGE}" for name in _COLUMNS} - {f"{_CHANGED_FIRST}{_CHANGE}"}
        self.hidden = frozenset(_COLUMNS) - {*_FIRST, *_OF_LOG} | changes
        select = self._selection.select_users if kind == "user" else self._selection.select_queues
        self.picked.connect(select)
        self._selection.changed.connect(self._show_selection)
        self._filter.changed.connect(self._refresh)
        self._view.follow(self, "baseline", self._refresh)

    def set_results(self, trace: Trace | None, results: Sequence[Result]) -> None:
        """Show the groups of a trace and how they fare under these finished runs."""
        self._trace, self._results = trace, results
        self._show_selection()
        self._refresh()

    def _refresh(self) -> None:
        trace, results, filter = self._trace, self._results, self._filter.value
        ids, chosen = [one.run_id for one in results], self._view.options.baseline
        baseline = ids.index(chosen) if chosen in ids else 0
        make = None
        if trace is not None:
            make = partial(group_content, self._kind, trace, results, filter, baseline)
        self.set_content(make)

    def _show_selection(self) -> None:
        value = self._selection.value
        codes = value.users if self._kind == "user" else value.queues
        self.show_items(np.array(sorted(codes), np.int64))


def group_content(
    kind: GroupKind, trace: Trace, results: Sequence[Result], filter: Filter, baseline: int = 0
) -> Content:
    """The users or queues of a trace that have jobs, of those that a filter leaves.

    Changes are told against the result of index `baseline`.
    """
    names = trace.user if kind == "user" else trace.queue
    matching = None
    if filter.expression is not None:
        matching = match_any(filter.expression, [result.fared for result in results] or [Jobs(trace)])
    left = matching if filter.hides else None
    count = _count(names, left)
    by_name = np.argsort(name_ranks(names.names), kind="stable")
    folded = [spell_name(kind, name).casefold() for name in names.names]
    return Content(
        columns=(*_trace_columns(kind, trace, names, left), *_run_columns(kind, results, baseline)),
        rows=by_name[count[by_name] > 0],
        total=int((_count(names, None) > 0).sum()),
        name=lambda item: names.names[item],
        find=lambda text: np.array([text.casefold() in name for name in folded], np.bool_),
        faint=None if matching is None or filter.hides else _count(names, matching) == 0,
    )


def _count(names: Names, jobs: Mask | None) -> np.ndarray:
    """The number of jobs of each name."""
    return np.bincount(names.codes if jobs is None else names.codes[jobs], minlength=len(names.names))


def _trace_columns(kind: GroupKind, trace: Trace, names: Names, jobs: Mask | None) -> list[TableColumn]:
    every = np.ones(len(trace), np.bool_)
    of_group = QUANTITIES["area"].of_each(Jobs(trace), every if jobs is None else jobs, names)
    assert not isinstance(of_group, Missing)  # it is of the trace alone
    share = 100 * of_group / max(of_group.sum(), 1.0)
    count = _count(names, jobs).astype(np.float64)
    text = f"Processors times runtime of the {kind}'s jobs, in % of all {kind}s'"
    chosen = every if jobs is None else jobs
    return [
        TableColumn("jobs", "Jobs", f"Jobs of the {kind}", Lazy(lambda: count), number, bar=True),
        TableColumn("area", "Area", text, Lazy(lambda: share), percent, "%", bar=True),
        *(
            _log_column(name, one, trace, names, chosen)
            for name, one in offered("table", trace).items()
            if one.of_log
        ),
    ]


def _log_column(name: str, quantity: Quantity, trace: Trace, names: Names, jobs: Mask) -> TableColumn:
    """What the log tells of groups, the same for all runs."""
    unit = UNITS[quantity.unit]

    def values() -> np.ndarray:
        found = quantity.of_each(Jobs(trace), jobs, names)
        assert not isinstance(found, Missing)  # it is offered for this trace
        return np.where(_count(names, jobs) > 0, found, np.nan)

    return TableColumn(
        name,
        quantity.offer("table").title,
        sentence(quantity.text).removesuffix("."),
        Lazy(values),
        unit.show,
        unit.exact,
        bar=True,
        term=term_of(name),
    )


def _run_columns(kind: GroupKind, results: Sequence[Result], baseline: int) -> list[TableColumn]:
    """One measure of all runs side by side, with bars to be compared, and its changes; then the next."""
    columns = []
    tables = [(result, Lazy(partial(_table_of, kind, result))) for result in results]
    for name in dict.fromkeys((*_FIRST, *_COLUMNS)):
        quantity = _COLUMNS[name]
        if quantity.of_log:
            continue
        title, unit = quantity.offer("table").title, UNITS[quantity.unit]
        text = sentence(quantity.text).removesuffix(".")
        there = [one for one in tables if quantity.missing(one[0].fared) is None]
        values = [Lazy(partial(_values, table, name)) for _, table in there]
        most = Lazy(partial(greatest, values))
        for (result, _), own in zip(there, values, strict=True):
            column = TableColumn(
                name,
                title,
                text,
                own,
                unit.show,
                unit.exact,
                run=result,
                bar=True,
                most=most,
                term=term_of(name),
            )
            columns.append(column)
        of_runs = {result.run_id: own for (result, _), own in zip(there, values, strict=True)}
        base = of_runs.get(results[baseline].run_id) if there else None
        for (result, _), own in zip(there, values, strict=True):
            if base is not None and result is not results[baseline]:
                against = f"Change against {results[baseline].name}. {text}"
                change = Lazy(partial(_less, own, base))
                show = partial(_signed, unit.show)
                key = f"{name}{_CHANGE}"
                columns.append(
                    TableColumn(key, f"{title}, change", against, change, show, unit.exact, run=result)
                )
    return columns


def _less(own: Lazy[np.ndarray], base: Lazy[np.ndarray]) -> np.ndarray:
    return np.asarray(own() - base())


def _signed(show: Callable[[float | None], str], value: float) -> str:
    told = show(value).replace("-", "−")
    return f"+{told}" if value > 0 else told


def _table_of(kind: GroupKind, result: Result) -> GroupTable:
    if kind == "user":
        return result.users
    return per_group(result.schedule, result.schedule.trace.queue, result.violations, result.measured)


def _values(table: Lazy[GroupTable], name: str) -> np.ndarray:
    """One column; groups without a measured job have no value."""
    groups = table()
    return np.where(groups.active, groups[name], np.nan)
