"""The table of metrics: a row for each metric, a column for each run, with changes relative to a baseline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QFont

from engine.metrics.compare import change
from engine.metrics.metric import Metric
from engine.metrics.phase_metrics import is_explained
from views.data.results import Result, further_metrics
from views.tables.header import run_header
from views.text.metrics import (
    Value,
    format_exactly,
    format_range,
    format_value,
    grouped_metrics,
    metric_heading,
)
from views.text.tooltips import tip
from views.text.values import signed_percent
from views.theme.swatch import swatch

Index = QModelIndex | QPersistentModelIndex
Role = Qt.ItemDataRole

_ROOT = QModelIndex()

CHANGE_ROLE = Role.UserRole + 1
"""The Change of a cell, or None."""

BEST_ROLE = Role.UserRole + 2
"""Whether a cell holds the best value of its row."""

TITLE_ROLE = Role.UserRole + 3
"""The title of a group, in the rows that hold only that."""


@dataclass(frozen=True)
class MetricChange:
    """Change against the baseline in %, and whether that is better (None: neither).

    `percent` is None where the baseline is 0 and so any change is beyond percentages. `was` is the
    value before the run was explored, where the change is against that. A change `by_chance` is inside what
    the phases of a site's loops change, and so neither better nor worse.
    """

    percent: float | None
    better: bool | None
    was: str = ""
    by_chance: bool = False

    @property
    def text(self) -> str:
        """An arrow up for better, down for worse, ≈ for chance; the number's sign tells whether it grew."""
        arrow = {True: "▲ ", False: "▼ ", None: "≈ " if self.by_chance else ""}[self.better]
        words = (arrow + ("from 0" if self.percent is None else signed_percent(self.percent))).strip()
        return f"was {self.was}, {words}" if self.was else words


class MetricsModel(QAbstractTableModel):
    """Model of values by metric and run; a run is the baseline of the changes, or none is."""

    def __init__(self) -> None:
        super().__init__()
        self._results: Sequence[Result] = ()
        self._rows: list[str | Metric] = []  # the title of a group, or a metric
        self._baseline: int | None = None

    @property
    def baseline(self) -> int | None:
        """The column that the others are compared with."""
        return self._baseline

    def set_results(self, results: Sequence[Result], baseline: int | None) -> None:
        """Show these runs, a column each."""
        self.beginResetModel()
        grouped = grouped_metrics(further_metrics(results))
        self._rows = []
        for title, metrics in grouped:
            self._rows += [title, *metrics]
        self._results, self._baseline = tuple(results), baseline
        self.endResetModel()

    def set_baseline(self, column: int | None) -> None:
        """Compare with another run."""
        self._baseline = column
        last = self.index(self.rowCount() - 1, self.columnCount() - 1)
        self.dataChanged.emit(self.index(0, 0), last)
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, max(self.columnCount() - 1, 0))

    def rowCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() or not self._results else len(self._rows)

    def columnCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self._results)

    def metric(self, row: int) -> Metric | None:
        """The metric of a row; None for the title of a group."""
        entry = self._rows[row]
        return entry if isinstance(entry, Metric) else None

    def value(self, row: int, column: int) -> Value:
        """The exact value of a cell; None where there is none."""
        metric = self.metric(row)
        return None if metric is None else self._results[column].summary.get(metric.name)

    def is_empty(self, row: int) -> bool:
        """True if a metric has no value under any run; False for a title."""
        columns = range(len(self._results))
        return self.metric(row) is not None and all(self.value(row, column) is None for column in columns)

    def text(self, row: int, column: int) -> str:
        """The text of a cell; empty in the title of a group."""
        metric = self.metric(row)
        return "" if metric is None else format_value(metric, self.value(row, column))

    def change(self, row: int, column: int) -> MetricChange | None:
        """The change that a cell shows: against what it was before it was explored, else the baseline's."""
        metric, ghost = self.metric(row), self._results[column].ghost
        if metric is None or ghost is None:
            return self.against_baseline(row, column)
        return _change(metric, self._results[column], ghost, before=True)

    def against_baseline(self, row: int, column: int) -> MetricChange | None:
        """The change of a cell against the baseline's."""
        metric = self.metric(row)
        if metric is None or self._baseline is None or column == self._baseline:
            return None
        return _change(metric, self._results[column], self._results[self._baseline])

    @property
    def has_phases(self) -> bool:
        """True if a run is repeated over phases of a site's loops, which may explain changes."""
        return any(result.ranges for result in self._results)

    def is_best(self, row: int, column: int) -> bool:
        """True if no run has a better value, and some run has a worse value."""
        metric = self.metric(row)
        if metric is None or metric.better is None:
            return False
        values = [v for k in range(len(self._results)) if (v := self.value(row, k)) is not None]
        if not values or min(values) == max(values):
            return False
        return self.value(row, column) == (min(values) if metric.better == "lower" else max(values))

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        """The text, tooltip or look of a cell, by role."""
        row, column = index.row(), index.column()
        metric = self.metric(row)
        if metric is None:
            return self._rows[row] if role == TITLE_ROLE else None
        if role == Role.DisplayRole:
            return self.text(row, column)
        if role == Role.ToolTipRole:
            return self._tip(metric, row, column)
        if role == Role.TextAlignmentRole:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        if role == CHANGE_ROLE:
            return self.change(row, column)
        if role == BEST_ROLE:
            return self.is_best(row, column)
        return None

    def _tip(self, metric: Metric, row: int, column: int) -> str:
        result = self._results[column]
        lines = [result.name, f"{metric.label}: {format_exactly(metric, self.value(row, column))}"]
        over = result.ranges.get(metric.name)
        if over is not None and result.spread is not None:
            lines.append(format_range(metric, over, len(result.spread)))
        difference = self.change(row, column)
        base = result.ghost or (None if self._baseline is None else self._results[self._baseline])
        if difference is not None and base is not None:
            word = {True: ", better", False: ", worse", None: ""}[difference.better]
            if difference.by_chance:
                word = ", inside what the phases of slurmctld's loops change"
            grown = "from 0" if difference.percent is None else signed_percent(difference.percent)
            lines.append(f"{grown} against {base.name}{word}")
        return tip("\n".join([*lines, "", metric.definition]))

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole) -> Any:
        if orientation == Qt.Orientation.Vertical:
            return self._row_header(section, role)
        result = self._results[section]
        is_baseline = section == self._baseline
        if role == Role.DisplayRole:
            return run_header(result.name) + ("\n(baseline)" if is_baseline else "")
        if role == Role.DecorationRole:
            return swatch(result.colour)
        if role == Role.ToolTipRole:
            return tip(result.name + ("" if is_baseline else "\nClick to compare the others with this run"))
        return None

    def _row_header(self, row: int, role: int) -> Any:
        metric = self.metric(row)
        if metric is None:
            return self._rows[row] if role == Role.DisplayRole else _bold() if role == Role.FontRole else None
        if role == Role.DisplayRole:
            return metric_heading(metric)
        if role == Role.ToolTipRole:
            better = {"lower": " Lower is better.", "higher": " Higher is better.", None: ""}[metric.better]
            return tip(f"{metric.name}\n{metric.definition}{better}")
        return None

    def _cell(self, row: int, column: int) -> str:
        """A value and beside it its change."""
        change = self.change(row, column)
        return f"{self.text(row, column)} {change.text if change else ''}".strip()

    def as_shown(self, rows: Sequence[int], columns: Sequence[int]) -> list[list[str]]:
        """Headings, then one line per metric, as they are seen."""
        named = [self._results[c].name + (" (baseline)" if c == self._baseline else "") for c in columns]
        lines = [["Metric", *named]]
        for row in rows:
            metric = self.metric(row)
            if metric is not None:
                changes = [self.change(row, c) for c in columns]
                parts = [
                    f"{self.text(row, c)} {now.text if now else ''}"
                    for c, now in zip(columns, changes, strict=True)
                ]
                lines.append([metric_heading(metric), *(cell.strip() for cell in parts)])
        return lines

    def export(self, rows: Sequence[int], columns: Sequence[int]) -> list[list[str]]:
        """Headings, then one line per metric: name, unit, exact values, and the changes in %."""
        compared = [] if self._baseline is None else [c for c in columns if c != self._baseline]
        heading = ["metric", "unit", *(self._results[c].name for c in columns)]
        if self._baseline is not None:
            base = self._results[self._baseline].name
            heading += [f"{self._results[c].name} against {base} in %" for c in compared]
        lines = [heading]
        for row in rows:
            metric = self.metric(row)
            if metric is not None:
                values = [_plain(self.value(row, c)) for c in columns]
                changes = [self.against_baseline(row, c) for c in compared]
                lines.append(
                    [metric.name, metric.unit, *values, *(_plain(c.percent if c else None) for c in changes)]
                )
        return lines


def _change(metric: Metric, run: Result, against: Result, before: bool = False) -> MetricChange | None:
    """The change of a metric against another run; none where a run has no value, or is as it was `before`."""
    name = metric.name
    value, base = run.summary.get(name), against.summary.get(name)
    if value is None or base is None or (value == base and (before or metric.better is None)):
        return None
    percent = 0.0 if value == base else change(value, base)
    better, by_chance = None, is_explained(value, base, run.ranges.get(name), against.ranges.get(name))
    if metric.better is not None and not by_chance and (percent is None or abs(percent) >= 0.05):
        better = (value < base) == (metric.better == "lower")
    return MetricChange(percent, better, format_value(metric, base) if before else "", by_chance)


def _bold() -> QFont:
    font = QFont()
    font.setBold(True)
    return font


def _plain(value: Value) -> str:
    return "" if value is None else repr(value)
