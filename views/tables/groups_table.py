"""Users, queues, or accounts with their users, and how their jobs fare under each run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from PySide6.QtWidgets import QComboBox, QWidget

from engine.arrays import Ints, Mask
from engine.filter import match_any
from engine.metrics.groups import GroupTable
from engine.quantities import QUANTITIES, Jobs, Missing, Quantity, offered
from engine.quantities.offers import each_offered
from engine.shown_text import format_name
from engine.trace import Trace
from views.data.results import Result, place_of_baseline
from views.state.context import ViewContext
from views.state.filter import Filter
from views.tables.content import Content, Sorting, TableColumn, greatest
from views.tables.groups import GroupKind, Groups, accounts, names_accounts
from views.tables.table import Table
from views.text.terms import term_of
from views.text.units import UNITS, sentence
from views.text.values import number, percent
from views.theme.theme import Theme
from views.work.lazy import LazyValue

WORST = "wt"
"""By what users are served worst, where nothing else is chosen: a key of columns."""

_CRITERIA = (WORST, "veet", "wait_mean", "bounded_slowdown_mean")
"""The measure of how badly groups are served: larger values are worse."""

_FIRST = ("veet", "wt", "wait_mean")
"""What a run's columns begin with; others are hidden until they are asked for."""

_COLUMNS: dict[str, Quantity] = {}
each_offered("table", _COLUMNS)

_OF_LOG = ("cpu_efficiency",)
"""Columns that only some logs have, of those initially shown."""

_CHANGE, _CHANGED_FIRST = " change", "wait_mean"
"""The suffix of the keys of columns with changes, and the measure whose changes are initially shown."""


class GroupsTable(Table):
    """Table of groups; a click selects one everywhere, and a selection made elsewhere is shown."""

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
        self._picking = False
        # Changes against the baseline are hidden at first, but for that of the first measure: else each
        # measure would take twice the room.
        changes = {f"{name}{_CHANGE}" for name in _COLUMNS} - {f"{_CHANGED_FIRST}{_CHANGE}"}
        self.hidden = frozenset(_COLUMNS) - {*_FIRST, *_OF_LOG} | changes
        self.worst = QComboBox(self)
        self.worst.setToolTip("Sort by this value under the chosen run, worst served first")
        self.worst.setAccessibleName("Worst served first, by")
        self.worst.addItem(f"{kind.capitalize()}s by name", "")
        for key in _CRITERIA:
            title = _COLUMNS[key].offer("table").title
            self.worst.addItem(f"Worst served first: {title[0].lower()}{title[1:]}", key)
        self.worst.activated.connect(lambda _: self.sort_worst_first(self.worst.currentData()))
        # The list stands before the search field.
        self.above.insertWidget(0, self.worst)
        self.picked.connect(self._pick)
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
        baseline = place_of_baseline(results, self._view.options.baseline)
        make = None
        if trace is not None and self._kind == "account" and not names_accounts(trace):
            self.empty.setText("The log names no accounts.")
        elif trace is not None:
            make = partial(group_content, self._kind, trace, results, filter, baseline)
        self.set_content(make)

    def sort_worst_first(self, key: str, run_id: int | None = None) -> None:
        """Sort by a column under a run, else the one looked at, the greatest value first; by none with ``.

        The column is shown if it was hidden.
        """
        ids = [result.run_id for result in self._results]
        looked_at = self._view.options.looked_at if run_id is None else run_id
        self.worst.setCurrentIndex(self.worst.findData(key))
        if key in self.hidden:
            self._toggle(key)
        of_run = (looked_at if looked_at in ids else ids[0] if ids else None) if key else None
        self.sort_by(Sorting(key, of_run, descending=bool(key)))

    def _sorted(self) -> None:
        """Say in the box by what the rows are sorted, where it offers that."""
        order = self.order
        index = self.worst.findData(order.key) if order.descending or not order.key else -1
        self.worst.setCurrentIndex(index)

    def _pick(self, items: Ints) -> None:
        """Select these users, queues, or the jobs of these accounts."""
        if self._kind == "user":
            self._selection.select_users(items)
        elif self._kind == "queue":
            self._selection.select_queues(items)
        elif self._trace is not None:
            whole, within, _ = accounts(self._trace)
            jobs = np.isin(whole.codes, items) | np.isin(within.codes + len(whole.names), items)
            self._picking = True
            self._selection.select_jobs(self._trace, frozenset(np.flatnonzero(jobs).tolist()))
            self._picking = False

    def _show_selection(self) -> None:
        if self._kind == "account":
            if not self._picking:
                self.show_items(np.empty(0, np.int64))
            return
        value = self._selection.value
        codes = value.users if self._kind == "user" else value.queues
        self.show_items(np.array(sorted(codes), np.int64))


def group_content(
    kind: GroupKind, trace: Trace, results: Sequence[Result], filter: Filter, baseline: int = 0
) -> Content:
    """The users, queues or accounts of a trace that have jobs, of those that a filter leaves.

    Below each account stand its users. Changes are relative to the result of index `baseline`.
    """
    groups = Groups(kind, trace)
    matching = None
    if filter.expression is not None:
        matching = match_any(filter.expression, [result.fared for result in results] or [Jobs(trace)])
    left = matching if filter.hides else None
    count = groups.count(left)
    by_name = groups.by_name
    folded = [format_name(kind, name).casefold() for name in groups.names]
    return Content(
        columns=(*_trace_columns(groups, left), *_run_columns(groups, results, baseline)),
        rows=by_name[count[by_name] > 0],
        total=int((groups.count(None)[: len(groups.levels[0].names)] > 0).sum()),  # without users of accounts
        name=lambda item: groups.names[item],
        find=lambda text: np.array([text.casefold() in name for name in folded], np.bool_),
        faint=None if matching is None or filter.hides else groups.count(matching) == 0,
        parent=groups.parent,
    )


def _trace_columns(groups: Groups, jobs: Mask | None) -> list[TableColumn]:
    kind, trace = groups.kind, groups.trace
    chosen = np.ones(len(trace), np.bool_) if jobs is None else jobs
    of_group = groups.of_each(QUANTITIES["area"], Jobs(trace), chosen)
    whole = of_group if groups.parent is None else of_group[groups.parent == np.arange(len(of_group))]
    share = 100 * of_group / max(whole.sum(), 1.0)
    count = groups.count(jobs).astype(np.float64)
    text = f"Processors times runtime of the {kind}'s jobs, in % of all {kind}s'"
    return [
        TableColumn("jobs", "Jobs", f"Jobs of the {kind}", LazyValue(lambda: count), number, bar=True),
        TableColumn("area", "Area", text, LazyValue(lambda: share), percent, "%", bar=True),
        *(
            _log_column(name, quantity, groups, chosen)
            for name, quantity in offered("table", trace).items()
            if quantity.of_log
        ),
    ]


def _log_column(name: str, quantity: Quantity, groups: Groups, jobs: Mask) -> TableColumn:
    """A column of groups from the log, the same for all runs."""
    unit = UNITS[quantity.unit]

    def values() -> np.ndarray:
        values_of_groups = groups.of_each(quantity, Jobs(groups.trace), jobs)
        return np.where(groups.count(jobs) > 0, values_of_groups, np.nan)

    return TableColumn(
        name,
        quantity.offer("table").title,
        sentence(quantity.text).removesuffix("."),
        LazyValue(values),
        unit.show,
        unit.exact,
        bar=True,
        term=term_of(name),
    )


def _run_columns(groups: Groups, results: Sequence[Result], baseline: int) -> list[TableColumn]:
    """A measure of all runs side by side, with bars, and its changes; then the next measure."""
    columns = []
    # A run's table serves all its columns, and is computed by the first column that is shown.
    tables = [(result, LazyValue(partial(groups.tables, result))) for result in results]
    # The usual measures first, each once.
    for name in dict.fromkeys((*_FIRST, *_COLUMNS)):
        quantity = _COLUMNS[name]
        if quantity.of_log or (quantity.of_users and groups.kind != "user"):
            continue
        title, unit = quantity.offer("table").title, UNITS[quantity.unit]
        text = sentence(quantity.text).removesuffix(".")
        # A measure that a run lacks, such as late jobs without expected ends, has no column for it.
        there = [table for table in tables if quantity.missing(table[0].fared) is None]
        values = [LazyValue(partial(_values, table, name)) for _, table in there]
        # Bars of a measure have the same scale under all runs, or they could not be compared.
        most = LazyValue(partial(greatest, values))
        for (result, _), values_of_run in zip(there, values, strict=True):
            column = TableColumn(
                name,
                title,
                text,
                values_of_run,
                unit.show,
                unit.exact,
                run=result,
                bar=True,
                most=most,
                term=term_of(name),
            )
            columns.append(column)
        of_runs = {
            result.run_id: values_of_run for (result, _), values_of_run in zip(there, values, strict=True)
        }
        # Changes need the baseline to have the measure too.
        base = of_runs.get(results[baseline].run_id) if there else None
        for (result, _), values_of_run in zip(there, values, strict=True):
            if base is not None and result is not results[baseline]:
                against = f"Change against {results[baseline].name}. {text}"
                change = LazyValue(partial(_less, values_of_run, base))
                show = partial(_signed, unit.show)
                key = f"{name}{_CHANGE}"
                columns.append(
                    TableColumn(key, f"{title}, change", against, change, show, unit.exact, run=result)
                )
    return columns


def _less(values: LazyValue[np.ndarray], base: LazyValue[np.ndarray]) -> np.ndarray:
    return np.asarray(values() - base())


def _signed(show: Callable[[float | None], str], value: float) -> str:
    text = show(value).replace("-", "−")
    return f"+{text}" if value > 0 else text


def _values(tables: LazyValue[Sequence[GroupTable]], name: str) -> np.ndarray:
    """The values of a quantity, of the groups of all tables one after the other.

    NaN for groups without a measured job, and for all groups of a table where the user's own code fails.
    """
    columns_of_tables = [(table, table.column(name)) for table in tables()]
    return np.concatenate(
        [
            np.where(table.active, np.nan if isinstance(column, Missing) else column, np.nan)
            for table, column in columns_of_tables
        ]
    )
