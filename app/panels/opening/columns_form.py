"""The columns of a table: their meanings, and the first rows read as jobs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QComboBox,
    QGridLayout,
    QGroupBox,
    QHBoxLayout,
    QLabel,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from engine.logs.tables.columns import COUNTS, DATES, MIB, NAMES, SECONDS, UNITS, ColumnMap
from engine.trace.columns import COLUMNS, USED_COLUMNS
from engine.trace.records import UNIX_TIMES
from engine.trace.trace import MISSING
from views.text.counts import clip, format_count
from views.text.values import NOTHING, duration, energy, memory

if TYPE_CHECKING:
    from engine.logs.rows import JobRow
    from engine.logs.sample import TableSample

_ROWS = 6  # of the preview
_DOWN = 6  # fields in a column
_LABELS = {name: column.title for name, column in COLUMNS.items() if column.title}
_NEEDED = "submit", "procs", "runtime"
_DATES = {"": "guess from the values", **DATES}
_DECIMALS = {"": "guess from the values", ".": "a point: 1,024.5", ",": "a comma: 1.024,5"}
_ROLES = tuple(name for name in NAMES if name not in COLUMNS or COLUMNS[name].in_form)
"""The roles that have a field; others are found by their names, or named in a file."""
_NONE = "–"
_LAST = 253_402_300_800  # the end of the year 9999, s since 1970


class ColumnsForm(QWidget):
    """Form with a field for each role: its column, and its unit if there are several.

    `edited` is sent on changes by the user.
    """

    edited = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.fields: dict[str, QComboBox] = {}
        self.units: dict[str, QComboBox] = {}
        self._sample: TableSample | None = None
        self._said: set[str] = set()  # roles whose unit the user chose, be it the usual unit
        self._kept = ColumnMap()  # of roles without a field
        box = QGroupBox("Meaning of the columns", self)
        grid = QGridLayout(box)
        for k, role in enumerate(_ROLES):
            self._add_field(grid, k % _DOWN, 3 * (k // _DOWN), role)
        for column in range(1, 3 * -(-len(_ROLES) // _DOWN), 3):
            grid.setColumnStretch(column, 1)
        self.table = QTableWidget(0, len(_ROLES), self)
        self.table.setEditTriggers(QTableWidget.EditTrigger.NoEditTriggers)
        self.table.setTabKeyNavigation(False)
        self.table.verticalHeader().hide()
        self.table.setHorizontalHeaderLabels([_label(role) for role in _ROLES])
        self.table.setMinimumHeight((_ROWS + 2) * (self.fontMetrics().lineSpacing() + 8))
        self.dates = self._choice(
            _DATES, "Order of day and month", "Order of day and month in dates such as 1/2/2024"
        )
        self.decimal = self._choice(_DECIMALS, "Decimal separator", "Decimal separator of numbers")
        marks = QHBoxLayout()
        for text, choice in (("Dates", self.dates), ("Decimals", self.decimal)):
            label = QLabel(text, self)
            label.setBuddy(choice)
            marks.addWidget(label)
            marks.addWidget(choice)
        marks.addStretch(1)
        column_ = QVBoxLayout(self)
        column_.addWidget(box)
        column_.addLayout(marks)
        column_.addWidget(QLabel("The first rows as jobs", self))
        column_.addWidget(self.table, 1)

    @property
    def mapping(self) -> ColumnMap:
        """The column mapping of the fields."""
        columns = {
            role: field.currentText() for role, field in self.fields.items() if field.currentIndex() > 0
        }
        units = {
            role: unit.currentText()
            for role, unit in self.units.items()
            # The usual unit is left out unless it was chosen: tables with units of their own keep them.
            if role in columns and (role in self._said or unit.currentText() != _first_unit(role))
        }
        return ColumnMap(
            # Roles that the form does not show go along.
            {**columns, **self._kept.columns},
            {**units, **self._kept.units},
            self.dates.currentData(),
            self.decimal.currentData(),
        )

    def show_sample(self, sample: TableSample, mapping: ColumnMap | None) -> None:
        """Show a table with the columns of `mapping`, otherwise those guessed from the names. Not an edit."""
        self._sample = sample
        # Units that a user has said stay; the others follow the guess.
        self._said = set(mapping.units) if mapping is not None else set()
        mapping = mapping or sample.guess()
        # Roles that the form does not show are kept as they are, or reading again would lose them.
        self._kept = ColumnMap(
            {role: name for role, name in mapping.columns.items() if role not in _ROLES},
            {role: unit for role, unit in mapping.units.items() if role not in _ROLES},
        )
        for role, field in self.fields.items():
            # Signals are blocked: filling the lists is no edit of the user, and each field would read the
            # sample anew.
            field.blockSignals(True)
            field.clear()
            field.addItems([_NONE, *sample.header])
            name = mapping.columns.get(role)
            field.setCurrentIndex(1 + sample.header.index(name) if name in sample.header else 0)
            field.blockSignals(False)
        for role, unit in self.units.items():
            unit.blockSignals(True)
            unit.setCurrentText(mapping.units.get(role, _first_unit(role)))
            unit.blockSignals(False)
        for choice, chosen in ((self.dates, mapping.dates), (self.decimal, mapping.decimal)):
            choice.blockSignals(True)
            choice.setCurrentIndex(choice.findData(chosen))
            choice.blockSignals(False)
        # The jobs are shown once, after all fields are set.
        self._show_jobs()

    def _choice(self, texts: Mapping[str, str], name: str, tip: str) -> QComboBox:
        """A box for a property of the whole table, each choice with its spelling in a mapping."""
        choice = QComboBox(self)
        choice.setAccessibleName(name)
        choice.setToolTip(tip)
        for choice_value, text in texts.items():
            choice.addItem(text, choice_value)
        choice.currentIndexChanged.connect(self._take)
        return choice

    def _add_field(self, grid: QGridLayout, row: int, column: int, role: str) -> None:
        field = QComboBox(self)
        field.setAccessibleName(_label(role))
        field.setToolTip(f"The column for “{_label(role)}”; usual names: {', '.join(NAMES[role][:4])}")
        field.setMinimumContentsLength(8)
        field.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        field.currentIndexChanged.connect(self._take)
        self.fields[role] = field
        label = QLabel(_label(role) + (" *" if role in _NEEDED else ""), self)
        label.setBuddy(field)
        grid.addWidget(label, row, column)
        grid.addWidget(field, row, column + 1)
        # Only numbers have a unit; times that are spelled out need none.
        if role in UNITS:
            unit = QComboBox(self)
            unit.setAccessibleName(f"Unit of {_label(role)}")
            unit.setToolTip("The unit of plain numbers; dates and times like 1-02:30:00 are read as they are")
            unit.addItems(list(UNITS[role]))
            unit.setCurrentText(_first_unit(role))
            unit.activated.connect(lambda _, role=role: self._say_unit(role))
            self.units[role] = unit
            grid.addWidget(unit, row, column + 2)

    def _say_unit(self, role: str) -> None:
        """A unit that is chosen is said, also the usual one, which a doubtful column asks for."""
        self._said.add(role)
        self._take()

    def _take(self) -> None:
        self._show_jobs()
        self.edited.emit()

    def _show_jobs(self) -> None:
        """The first rows as jobs, in the columns of the roles that are taken."""
        sample, mapping = self._sample, self.mapping
        if sample is None:
            return
        jobs = sample.jobs(mapping)[:_ROWS]
        self.table.setRowCount(len(jobs))
        for column, role in enumerate(_ROLES):
            self.table.setColumnHidden(column, role not in mapping.columns and role not in _NEEDED)
            for row, job in enumerate(jobs):
                self.table.setItem(row, column, QTableWidgetItem(_cell(job, role)))
        self.table.resizeColumnsToContents()


def _label(role: str) -> str:
    return _LABELS.get(role, role.replace("_", " ").capitalize())


def _first_unit(role: str) -> str:
    """The unit in which traces have this column."""
    return next(unit for unit, factor in UNITS[role].items() if factor == 1.0)


def _cell(job: JobRow, role: str) -> str:
    """A value of a job as people read it."""
    value: Any
    if role in ("wait", "end"):
        known = job.start >= 0 and (job.submit >= 0 if role == "wait" else job.runtime >= 0)
        value = job.start - job.submit if role == "wait" else job.start + job.runtime
        value = value if known else MISSING
    elif role in USED_COLUMNS:
        value = job.used.get(role, MISSING)
    else:
        value = getattr(job, "nodes" if role == "tasks" else role)  # its tasks are counted there
    if isinstance(value, str):
        return clip(value, 40) or NOTHING
    if value < 0 or math.isnan(value):
        return NOTHING
    if role in ("submit", "eligible", "start", "end"):
        dated = UNIX_TIMES < value < _LAST
        return f"{datetime.fromtimestamp(value, UTC):%Y-%m-%d %H:%M:%S}" if dated else duration(value)
    units = UNITS.get(role, COUNTS)
    if "count" not in units:
        return duration(value) if units is SECONDS else memory(value) if units is MIB else energy(value)
    return format_count(value)
