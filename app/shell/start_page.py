"""The start page of an empty window: how to begin."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.panels.dialogs import HighArea
from app.shell.start_button import StartButton
from engine.input import exists
from engine.simulation.control import Control
from views.text.tooltips import as_tip
from views.theme.fonts import follow_font, scaled
from views.theme.theme import Theme
from views.widgets.menu_entries import literal
from views.work.executor import Executor

_MOST_LISTED = 5

_LETTERS = 66
"""Letters of the width of the page, where letters are large."""


class StartPage(QWidget):
    """Page to open a trace, the example, a queue or a recent file; then its progress and a way out."""

    open_clicked = Signal()
    example_clicked = Signal()
    studies_clicked = Signal()
    queue_clicked = Signal()
    recent_clicked = Signal(str)
    last_clicked = Signal()
    cancel_clicked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        title = QLabel("Batchscope", self)
        follow_font(title, partial(scaled, factor=2.2))
        lead = QLabel(
            "Open the workload log of a batch cluster and see how it would have fared under other "
            "scheduling policies: who waited, for whom, and why.",
            self,
            wordWrap=True,
        )
        self.example = StartButton(
            "See the example", "Five months of a cluster with 560 CPUs under four policies", self
        )
        self.open = StartButton(
            "Open a trace…",
            "Logs of Slurm, PBS, Grid Engine, LSF, HTCondor and Flux, SWF, GWF, Alea, Batsim, tables, plain "
            "or packed, in archives or folders; sessions. Files can be dropped here",
            self,
        )
        self.studies = StartButton(
            "Run a study of a paper",
            "Checks on the example whether the paper's findings hold, and shows the numbers",
            self,
        )
        self.queue = StartButton(
            "Open the queue as it is now…",
            "What squeue, scontrol or qstat prints: when waiting jobs start, and why they wait",
            self,
        )
        self.last = StartButton(
            "Continue last session", "Trace, runs and view of the window that was closed last", self
        )
        self.last.hide()
        self.example.clicked.connect(self.example_clicked)
        self.studies.clicked.connect(self.studies_clicked)
        self.open.clicked.connect(self.open_clicked)
        self.queue.clicked.connect(self.queue_clicked)
        self.last.clicked.connect(self.last_clicked)
        self._recent = QVBoxLayout()
        self._recent.setSpacing(0)
        self._busy = self._make_busy()

        # The last session comes first; the list of recent files may be long, and stands below the buttons.
        column = QVBoxLayout()
        column.setSpacing(10)
        for part in (title, lead, self.last, self.example, self.open, self.queue, self.studies):
            column.addWidget(part)
        column.addLayout(self._recent)
        column.addWidget(self._busy)
        self._lay_out(column)

    def _lay_out(self, column: QVBoxLayout) -> None:
        """Place the column in the middle of the page, which scrolls where the window is too low for it."""
        area = HighArea(self)
        inside = QWidget(area)
        holder = QWidget(inside)
        holder.setMaximumWidth(max(560, _LETTERS * self.fontMetrics().averageCharWidth()))
        holder.setLayout(column)
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(holder, 4)
        row.addStretch(1)
        middle = QVBoxLayout(inside)
        middle.addStretch(2)
        middle.addLayout(row)
        middle.addStretch(3)
        area.setWidget(inside)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(area)

    def list_recent(self, paths: Sequence[str], files: Executor) -> None:
        """List recent files; a thread of `files` finds out which are still there, and the others go."""
        names = list(paths)
        self.set_recent(names)

        def look(_: Control) -> list[str]:
            return [name for name in names if exists(Path(name))]

        def show(there: list[str]) -> None:
            if there != names:
                self.set_recent(there)

        files.submit("recent", look, show, lambda _: None)

    def set_recent(self, paths: Sequence[str]) -> None:
        """List the newest of these files."""
        # The list is made anew; deleted widgets leave the layout at once.
        while (item := self._recent.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.deleteLater()
        there = paths[:_MOST_LISTED]
        if there:
            self._recent.addWidget(QLabel("Recent", self))
        for path in there:
            link = QPushButton(literal(Path(path).name), self, flat=True)
            link.setToolTip(as_tip(path))
            link.setCursor(Qt.CursorShape.PointingHandCursor)
            link.clicked.connect(lambda _=False, path=path: self.recent_clicked.emit(path))
            self._recent.addWidget(link)

    def set_theme(self, theme: Theme) -> None:
        """Use other colours."""
        self.setStyleSheet(f"""
            QCommandLinkButton {{ background: {theme.chart}; border: 1px solid {theme.border};
                border-radius: 3px; }}
            QCommandLinkButton:hover {{ background: {theme.button}; }}
            QCommandLinkButton:focus {{ border-color: {theme.accent}; }}
            QPushButton[flat="true"] {{ text-align: left; padding: 4px 8px; }}
        """)

    def show_busy(self, text: str, progress: float | None) -> None:
        """Show the current work: progress from 0 to 1, or None if unknown."""
        self._text.setText(text)
        self.progress.setRange(0, 0 if progress is None else 1000)
        if progress is not None:
            self.progress.setValue(round(progress * 1000))
        self._busy.show()

    def hide_busy(self) -> None:
        """Show the ways to begin again."""
        self._busy.hide()

    def _make_busy(self) -> QFrame:
        frame = QFrame(self)
        frame.hide()
        self._text = QLabel("", frame, wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        self.progress = QProgressBar(frame, textVisible=False)
        self.cancel = QPushButton("Cancel", frame)
        self.cancel.clicked.connect(self.cancel_clicked)
        row = QHBoxLayout()
        row.addWidget(self.progress, 1)
        row.addWidget(self.cancel)
        column = QVBoxLayout(frame)
        column.addWidget(self._text)
        column.addLayout(row)
        return frame
