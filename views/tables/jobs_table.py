"""All jobs of the trace, with their outcome under a run."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtWidgets import QComboBox, QWidget

from engine.arrays import Mask
from engine.dates import date_of
from engine.filter import FIELDS, Field
from engine.filter.values import MOMENT, NAME
from engine.quantities import Jobs
from engine.quantities.node_sets import NodeSets
from engine.trace import Names, Trace
from views.data.results import Result
from views.state.context import ViewContext
from views.state.filter import Filter
from views.tables.content import Content, TableColumn, name_column
from views.tables.table import Table
from views.text.terms import term_of
from views.text.ticks import Calendar, axis_of
from views.text.units import UNITS, sentence
from views.text.values import NOTHING
from views.theme.theme import Theme
from views.widgets.elided_box import ElidedBox
from views.work.lazy import LazyValue

_BARS = ("procs", "ram", "wait", "bounded_slowdown", "late")
_FIRST = ("user", "queue", "procs", "ram", "walltime", "runtime", "submit", "start", "end", "wait")
_SHOWN = (*_FIRST, "bounded_slowdown", "late")
"""Columns that are there at first; others are hidden until they are asked for."""

_EMPTY = "The jobs of the trace are listed here\nwhen one is open."


class JobsTable(Table):
    """Table of jobs; a click selects a job everywhere, and a job selected elsewhere is scrolled into view."""

    def __init__(self, context: ViewContext, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__("job", context.executor, theme, _EMPTY, parent)
        self._selection, self._filter, self._view = context.selection, context.filter, context.view
        self._trace: Trace | None = None
        self._results: Sequence[Result] = ()
        self._selecting = False
        self.hidden = frozenset(FIELDS) - {*_SHOWN}
        self.search.setPlaceholderText("Find a job by its number")
        self.run = ElidedBox(self)
        self.run.setToolTip("The run whose starts and waits are shown")
        self.run.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.above.insertWidget(0, self.run)
        self.run.activated.connect(lambda _: self._refresh())
        self.picked.connect(self._select_jobs)
        self._selection.changed.connect(self._show_selection)
        self._filter.changed.connect(self._refresh)
        self._view.follow(self, "measured", self._refresh)

    def set_results(self, trace: Trace | None, results: Sequence[Result]) -> None:
        """Show the jobs of a trace; the reader chooses a run of these finished runs."""
        chosen = self.run.currentData()
        self._trace, self._results = trace, results
        self.run.clear()
        for result in results:
            self.run.addItem(result.name, result.run_id)
        self.run.setCurrentIndex(max(self.run.findData(chosen), 0) if results else -1)
        self.run.setVisible(bool(results))
        self._show_selection()
        self._refresh()

    def _refresh(self) -> None:
        trace, index = self._trace, self.run.currentIndex()
        result = self._results[index] if index >= 0 else None
        span = self._view.options.measured
        make = partial(job_content, trace, result, self._filter.value, span) if trace is not None else None
        self.set_content(make)

    def _select_jobs(self, items: NDArray[np.int64]) -> None:
        if self._trace is not None:
            self._selecting = True
            self._selection.select_jobs(self._trace, frozenset(items.tolist()))
            self._selecting = False

    def _show_selection(self) -> None:
        if not self._selecting:  # all jobs of a log may be selected here: to list them again takes long
            jobs = len(self._trace) if self._trace is not None else 0
            self.show_items(self._selection.value.known_jobs(jobs))


def job_content(
    trace: Trace, result: Result | None, filter: Filter, measured: tuple[int, int] | None = None
) -> Content:
    """The jobs that match a filter, among those submitted in the measured range, [first, last).

    They are in order of submission; without a result they have only the columns of the log.
    """
    jobs = result.fared if result is not None else Jobs(trace)
    matching = filter.mask(jobs)
    shown = np.ones(len(trace), np.bool_) if matching is None or not filter.hides else matching
    if measured is not None:
        shown = shown & (trace.submit >= measured[0]) & (trace.submit < measured[1])
    there = [field for field in FIELDS.values() if field.quantity.missing(jobs) is None]
    fields = [field for field in there if field.name not in _left_out(trace)]
    return Content(
        columns=tuple(_column(field, jobs) for field in fields),
        rows=np.flatnonzero(shown),
        total=len(trace),
        name=lambda item: str(trace.job_id[item]),
        find=partial(_numbered, trace.job_id),
        faint=~matching if matching is not None and not filter.hides else None,
    )


def _left_out(trace: Trace) -> tuple[str, ...]:
    """Fields without a column: the job number is the row header, and many logs have no nodes."""
    return ("job",) if trace.recorded_nodes is not None else ("job", "node")


def _column(field: Field, jobs: Jobs) -> TableColumn:
    title, text = field.quantity.offer("filter").title, sentence(field.help).removesuffix(".")
    unit = UNITS[field.quantity.unit]
    # Names stay codes and a list: a text for each job would be made anew for the few rows in view.
    if field.kind is NAME:
        names = field.values(jobs)
        if isinstance(names, NodeSets):
            return TableColumn(field.name, title, text, LazyValue(lambda: names.codes), names=names.lists)
        assert isinstance(names, Names)
        return name_column(field.name, title, text, names)

    # Values are computed when the column is first shown or sorted by; most never are.
    def values() -> NDArray[Any]:
        numbers = field.values(jobs)
        assert isinstance(numbers, np.ndarray)
        return numbers

    show = partial(_moment, jobs.trace) if field.kind is MOMENT else unit.show
    return TableColumn(
        key=field.name,
        title=title,
        text=text,
        values=LazyValue(values),
        show=lambda value: NOTHING if np.isnan(value) else show(value),
        unit=unit.exact,
        bar=field.name in _BARS,
        term=term_of(field.name),
    )


def _moment(trace: Trace, time: float) -> str:
    """A date as short as it sorts; hours where the log does not say when it began."""
    axis = axis_of(trace)
    moment = date_of(trace, time) if isinstance(axis, Calendar) else None
    return axis.format(time) if moment is None else f"{moment:%Y-%m-%d %H:%M:%S}"


def _numbered(numbers: NDArray[Any], text: str) -> Mask:
    """The jobs whose number begins with this; where numbers are words, has it in it."""
    if numbers.dtype.kind != "i":
        return np.asarray(np.char.find(numbers.astype(str), text) >= 0)
    chosen, rest = np.zeros(len(numbers), np.bool_), numbers.copy()
    while text.isdecimal() and text.isascii() and len(text) < 19 and (rest > 0).any():
        chosen |= rest == int(text)
        rest //= 10
    return chosen
