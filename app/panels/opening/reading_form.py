"""The form of how a log is read: fields as the command line spells them, and what each leaves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QCheckBox,
    QFileDialog,
    QGridLayout,
    QGroupBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from engine.reading.options import OptionError, Reading
from engine.trace.clean import RULES
from engine.trace.dependencies import predecessors
from views.text.counts import clip, format_count
from views.text.ticks import axis_of

if TYPE_CHECKING:
    from engine.reading.read import ReadLog

_CHOOSING: Mapping[str, tuple[str, str, str]] = {
    "clusters": ("C&lusters", "clusters", "Names separated by commas; several are taken for one machine"),
    "partitions": ("&Partitions", "partitions", "Names separated by commas; -name leaves out that name"),
    "jobs": ("&Jobs", "jobs", "Positions A:B, from 0, after cleaning; the last is left out"),
    "start": ("Submitted &from", "from", "A date like 2013-02-28, with a time or without, or seconds"),
    "end": ("… and &before", "to", "A date like 2013-03-31, with a time or without, or seconds"),
    "users": ("&Users", "users", "Names separated by commas; -name leaves out that name"),
    "queues": ("&Queues", "queues", "Names separated by commas; -name leaves out that name"),
    "machine": ("&Machine", "machine", "20x80c505g+48x12c90g, 338c, a machines file or a slurm.conf"),
    "measure": (
        "Mea&sure only",
        "measure",
        "FROM:TO, dates or seconds: all jobs are simulated, these are measured",
    ),
}
"""Fields of a Reading that choose jobs: label, name of the option, and its tooltip."""

_READING: Mapping[str, tuple[str, str, str]] = {
    "timezone": (
        "Time &zone",
        "timezone",
        "For example Europe/Prague, if the log names none or a wrong time zone",
    ),
    "units": (
        "U&nits",
        "units",
        "Units of numbers that the log does not name, such as walltime=min, with commas between several",
    ),
    "failures": ("Fai&lures", "failures", "A file with the times at which nodes of the log's machine failed"),
}
_FILES = {
    "machine": "Machines and slurm.conf (*)",
    "failures": "Failures (*.failures);;All files (*)",
}
_DEPENDENCIES = "Replay &dependencies and think times"
_WRONG_MARK = "!"
_CLIPPED = 60
_LETTERS = 11  # of a date


class ReadingForm(QWidget):
    """Form of a `Reading`; each field shows the number of jobs after it and the fields above it.

    `edited` is sent on changes by the user.
    """

    edited = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.fields: dict[str, QLineEdit] = {}
        self.left: dict[str, QLabel] = {}  # by option
        self.rules: dict[str, QCheckBox] = {}
        self._labels: dict[str, QLabel] = {}  # of fields, by name
        self._power = ""  # as the command line gave it: no field is about it
        self._row = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._halves = self._make_choosing(), QWidget(self)
        column = QVBoxLayout(self._halves[1])
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._make_cleaning())
        column.addWidget(self._make_reading())
        column.addStretch(1)
        for half in self._halves:
            self._row.addWidget(half, 1)

    def minimumSizeHint(self) -> QSize:
        """As wide as the wider half: the halves are below each other where they are not beside each other."""
        least = super().minimumSizeHint()
        return QSize(min(least.width(), self._least(max)), least.height())

    def _least(self, join: Callable[[Iterable[int]], int]) -> int:
        """The least width of both halves, in pixels, beside each other or below each other."""
        sides = self._row.contentsMargins()
        wide = join(half.minimumSizeHint().width() for half in self._halves)
        return wide + sides.left() + sides.right() + self._row.spacing()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        way = QBoxLayout.Direction
        self._row.setDirection(way.LeftToRight if self.width() >= self._least(sum) else way.TopToBottom)

    @property
    def reading(self) -> Reading:
        """The options of the fields."""
        values: dict[str, Any] = {name: field.text().strip() for name, field in self.fields.items()}
        states = {name: box.isChecked() for name, box in self.rules.items()}
        clean = tuple(
            f"{name}={'on' if on else 'off'}" for name, on in states.items() if on != RULES[name].on
        )
        follows = "on" if self.dependencies.isChecked() else ""
        return Reading(clean=clean, dependencies=follows, power=self._power, **values)

    def show_reading(self, reading: Reading) -> None:
        """Show what was chosen; this is no edit."""
        for name, field in self.fields.items():
            field.setText(getattr(reading, name))
        self._power = reading.power
        self.dependencies.setChecked(reading.dependencies == "on")
        switched = dict(text.split("=", 1) for text in reading.clean if "=" in text)
        for name, box in self.rules.items():
            box.setChecked(switched[name] == "on" if name in switched else RULES[name].on)

    def show_left(self, reading: Reading, read: ReadLog) -> None:
        """Show how many jobs are left by each option, and what there is in the log to choose from."""
        # Options that were not used leave no number of an earlier reading behind.
        for label in self.left.values():
            label.setText("")
            label.setToolTip("")
        self._show_field("clusters", bool(reading.clusters))
        self._show_field("units", bool(reading.units))
        for left in read.left:
            self.left[left.option].setText(format_count(left.jobs))
        counts = {note.rule: note.count for note in read.trace.notes}
        for name, box in self.rules.items():
            met = f" ({format_count(counts[name])})" if counts.get(name) else ""
            box.setText(f"{RULES[name].help.partition(' (off')[0]}{met}")
        following = int(np.count_nonzero(predecessors(read.trace) >= 0))
        self.dependencies.setText(f"{_DEPENDENCIES} ({format_count(following)})")
        # Of a part of the log nothing can be said about all of it.
        if not reading.part:
            self._offer(read)

    def show_wrong(self, error: Exception) -> None:
        """Mark the invalid field, if there is one; no count is valid."""
        wrong = error.option if isinstance(error, OptionError) else ""
        if wrong == "clusters":
            self._show_field("clusters", True)
        if isinstance(error, OptionError) and error.choices:
            self.fields[wrong].setPlaceholderText(clip(error.choices, _CLIPPED))
        for option, label in self.left.items():
            label.setText(_WRONG_MARK if option == wrong else "")
            label.setToolTip(str(error) if option == wrong else "")

    def ask_units(self, example: str) -> None:
        """Ask for units of numbers, which are such as the example; the field stays until they are taken."""
        self._show_field("units", True)
        self.fields["units"].setPlaceholderText(example)
        self.fields["units"].setFocus()

    def _show_field(self, name: str, shown: bool) -> None:
        """Show the field of an option that few logs need: clusters where there are several, and units."""
        for widget in (self._labels[name], self.fields[name], self.left[name]):
            widget.setVisible(shown)

    def _offer(self, read: ReadLog) -> None:
        """Say in empty fields what all of the log is."""
        trace = read.trace
        format = axis_of(trace).format
        # What holds without an entry is written in grey in each field: an example in the right format, too.
        offers = {
            "jobs": f"0:{len(trace)}",
            "start": format(float(trace.submit[0])),
            "end": f"after {format(float(trace.submit[-1]))}",
            "users": f"all {format_count(len(trace.user.names))}: {', '.join(trace.user.shown[:20])}",
            "queues": f"all {format_count(len(trace.queue.names))}: {', '.join(trace.queue.shown[:20])}",
            "machine": f"the log's own: {trace.cluster}",
            "measure": "all jobs",
            "timezone": trace.timezone,
            "clusters": "",
            "units": "",
            "partitions": "all together",
            "failures": "none" if trace.cluster.failures is None else "as in the log",
        }
        for name, text in offers.items():
            self.fields[name].setPlaceholderText(clip(text, _CLIPPED))

    def _make_choosing(self) -> QGroupBox:
        box = QGroupBox("Jobs to read, and how many remain", self)
        grid = QGridLayout(box)
        self._add_count(grid, "log", "Records of the log")
        self._add_count(grid, "clean", "After cleaning")
        for name, (label, option, tip) in _CHOOSING.items():
            self._add_field(grid, name, label, tip)
            self._count(grid, option, label)
        self._show_field("clusters", False)
        grid.setColumnStretch(1, 1)
        grid.setRowStretch(grid.rowCount(), 1)
        return box

    def _make_reading(self) -> QGroupBox:
        box = QGroupBox("How the log is read", self)
        grid = QGridLayout(box)
        for name, (label, option, tip) in _READING.items():
            self._add_field(grid, name, label, tip)
            self._count(grid, option, label)
        self._show_field("units", False)
        self.dependencies = QCheckBox(_DEPENDENCIES, box)
        self.dependencies.setToolTip(
            "In simulations, jobs that follow others (fields 17 and 18 of the log) are submitted "
            "when those have ended and their think times have passed; otherwise at the times in "
            "the log"
        )
        self.dependencies.clicked.connect(self.edited)
        grid.addWidget(self.dependencies, grid.rowCount(), 0, 1, 3)
        grid.setColumnStretch(1, 1)
        return box

    def _make_cleaning(self) -> QGroupBox:
        box = QGroupBox("Cleaning", self)
        column = QVBoxLayout(box)
        for rule in RULES.values():
            check = QCheckBox(rule.help.partition(" (off")[0], box)
            check.setToolTip(f"{rule.name}: {rule.help}")
            check.setChecked(rule.on)
            check.clicked.connect(self.edited)
            self.rules[rule.name] = check
            column.addWidget(check)
        return box

    def _add_count(self, grid: QGridLayout, option: str, text: str) -> None:
        grid.addWidget(QLabel(text, self), grid.rowCount(), 0, 1, 2)
        self._count(grid, option, text)

    def _add_field(self, grid: QGridLayout, name: str, text: str, tip: str) -> None:
        field = QLineEdit(self)
        field.setMinimumWidth(_LETTERS * self.fontMetrics().averageCharWidth())
        field.setAccessibleName(text.replace("&", ""))
        field.setToolTip(tip)
        field.textEdited.connect(self.edited)
        self.fields[name] = field
        label = QLabel(text, self)
        label.setBuddy(field)
        self._labels[name] = label
        row = grid.rowCount()
        grid.addWidget(label, row, 0)
        # Fields of files have a button beside them; it shares their cell, so that all fields end in line.
        if name not in _FILES:
            grid.addWidget(field, row, 1)
            return
        line = QHBoxLayout()
        line.setSpacing(2)
        line.addWidget(field, 1)
        line.addWidget(self._browse(name))
        grid.addLayout(line, row, 1)

    def _browse(self, name: str) -> QToolButton:
        browse = QToolButton(self)
        browse.setText("…")
        browse.setToolTip("Choose a file")
        browse.setAccessibleName(f"Choose a file: {name}")
        browse.clicked.connect(lambda: self._choose_file(name))
        return browse

    def _choose_file(self, name: str) -> None:
        chosen, _ = QFileDialog.getOpenFileName(self, "Choose a file", "", _FILES[name])
        if chosen:
            self.fields[name].setText(str(Path(chosen)))
            self.edited.emit()

    def _count(self, grid: QGridLayout, option: str, text: str) -> None:
        """The place of a count, at the end of the last row."""
        label = QLabel("", self)
        label.setAccessibleName(f"Jobs left: {text.replace('&', '')}")
        label.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        label.setMinimumWidth(self.fontMetrics().horizontalAdvance("1 234 567"))
        self.left[option] = label
        grid.addWidget(label, grid.rowCount() - 1, 2)
