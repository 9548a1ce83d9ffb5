"""All runs: policy, machine, how far each is, and how it fares by any metric."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from engine.metrics.catalog import METRICS
from engine.metrics.metric import Metric
from views.data.results import Result, further_metrics
from views.tables.content import Content, TableColumn
from views.tables.table import Table
from views.text.metrics import format_value
from views.text.terms import term_of
from views.text.values import NOTHING, duration
from views.theme.palette import run_colour
from views.theme.theme import Theme
from views.work.executor import Executor
from views.work.lazy import LazyValue

_SHOWN = ("wait_mean", "bounded_slowdown_mean", "veet_mean", "utilization", "loss_of_capacity_fit", "jobs")
"""The metrics that come first and are seen at first; a right click on a heading offers the others."""


@dataclass(frozen=True, eq=False)
class RunEntry:
    """A run of the study: `state` describes its progress, `result` is its result once it is compared.

    `seconds` is the time of the simulation; None if it is not finished.
    """

    run_id: int
    name: str
    machine: str
    state: str
    seconds: float | None = None
    result: Result | None = None


class RunsTable(Table):
    """Table of runs; a click chooses a run: `run_picked` carries its id. A run chosen elsewhere is
    highlighted.
    """

    run_picked = Signal(int)

    def __init__(self, executor: Executor, theme: Theme, parent: QWidget | None = None) -> None:
        empty = "The runs of the trace are listed here.\nThere are none: add one (Ctrl+N)."
        super().__init__("run", executor, theme, empty, parent)
        self._entries: Sequence[RunEntry] = ()
        self._chosen: int | None = None
        self.hidden = frozenset(METRICS) - frozenset(_SHOWN)
        self.picked.connect(self._update_text)

    def set_entries(self, entries: Sequence[RunEntry]) -> None:
        """List these runs, in this order."""
        self._entries = tuple(entries)
        self.show_run(self._chosen)
        self.set_content(partial(run_content, self._entries) if entries else None)

    def run_at(self, row: int) -> int | None:
        """The id of the run in a row; None: there is no such row."""
        return self._run_of(int(self.model.rows[row])) if 0 <= row < len(self.model.rows) else None

    def show_run(self, run_id: int | None) -> None:
        """Light up the run that is chosen."""
        self._chosen = run_id
        self.show_items(
            np.array([k for k, entry in enumerate(self._entries) if entry.run_id == run_id], np.int64)
        )

    def _update_text(self, items: np.ndarray) -> None:
        if len(items) == 1 and (run := self._run_of(int(items[0]))) is not None:
            self._chosen = run
            self.run_picked.emit(run)

    def _run_of(self, item: int) -> int | None:
        """The id of the run of an item as it is shown: rows are of earlier runs until others are made."""
        content = self.model.content
        ids = content.run_ids if isinstance(content, RunContent) else ()
        return ids[item] if 0 <= item < len(ids) else None


@dataclass(frozen=True)
class RunContent(Content):
    """The content of a table of runs, and the ids of these runs."""

    run_ids: tuple[int, ...] = ()


def run_content(entries: Sequence[RunEntry]) -> RunContent:
    """A row for each run; unknown values are empty."""
    took = np.array([np.nan if entry.seconds is None else entry.seconds for entry in entries])
    named = ((entry.name, entry.machine, entry.state) for entry in entries)
    further = further_metrics([entry.result for entry in entries if entry.result is not None])
    # The words are folded once for all letters that are typed into the search.
    folded = [" ".join(words).casefold() for words in named]
    return RunContent(
        columns=(
            _words(
                "machine", "Machine", "The machine that the run is simulated on", [e.machine for e in entries]
            ),
            _words("state", "State", "The progress of the run", [e.state for e in entries]),
            TableColumn(
                "seconds",
                "Simulated in",
                "Computing time",
                LazyValue(lambda: took),
                _shown(duration),
                "s",
                bar=True,
            ),
            # The metrics shown at first come first, then all others, each once.
            *(_metric(METRICS[name], entries) for name in dict.fromkeys((*_SHOWN, *METRICS))),
            *(_metric(metric, entries) for metric in further),
        ),
        rows=np.arange(len(entries)),
        total=len(entries),
        name=lambda item: entries[item].name,
        find=lambda text: np.array([text.casefold() in words for words in folded], np.bool_),
        colour=lambda item: run_colour(entries[item].run_id),
        run_ids=tuple(entry.run_id for entry in entries),
    )


def _words(key: str, title: str, text: str, words: Sequence[str]) -> TableColumn:
    names = sorted(set(words))
    codes = np.array([names.index(word) for word in words], np.int64)
    return TableColumn(key, title, text, LazyValue(lambda: codes), names=names)


def _metric(metric: Metric, entries: Sequence[RunEntry]) -> TableColumn:
    values = [
        entry.result.summary.get(metric.name) if entry.result is not None else None for entry in entries
    ]
    known = np.array([np.nan if value is None else float(value) for value in values])
    show = _shown(partial(format_value, metric))
    text = f"{metric.name}\n{metric.definition}"
    unit, scale = ("%", 100.0) if metric.share else (metric.unit, 1.0)
    values_of, key = LazyValue(lambda: known), term_of(metric.name)
    return TableColumn(metric.name, metric.label, text, values_of, show, unit, scale, bar=True, term=key)


def _shown(show: Callable[[float], str]) -> Callable[[float], str]:
    return lambda value: NOTHING if np.isnan(value) else show(value)
