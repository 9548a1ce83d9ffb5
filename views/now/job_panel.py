"""The panel of the selected job of a queue: its start, why it waits, and what would help it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from engine.trace.queue_state import WAITING, QueuedJob
from views.data.now_look import NowLook
from views.now.words import job_words

if TYPE_CHECKING:
    from engine.answer import Answer, WaitingJob


class JobPanel(QWidget):
    """Tells of one job; `help_wanted` (a `QueuedJob`) asks what would help it."""

    help_wanted = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.job: QueuedJob | None = None
        self._look: NowLook | None = None
        self._helped: Answer[WaitingJob] | None = None
        self._asked = False
        self.answer = QPlainTextEdit(self, readOnly=True)
        self.answer.setAccessibleName("Selected job")
        self.answer.setPlaceholderText(
            "Select a job in the chart or in the table: when it starts, why it waits, and what would help it."
        )
        self.helps = QPushButton("What would &help?", self)
        self.helps.setToolTip("Plan again with this job alone changed: shorter, narrower, elsewhere")
        self.helps.clicked.connect(self.want_help)
        self.copy = QPushButton("Copy", self)
        self.copy.setToolTip("Put the answer on the clipboard, for an email to the user")
        self.copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(self.answer.toPlainText()))
        below = QHBoxLayout()
        below.addWidget(self.helps)
        below.addWidget(self.copy)
        below.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(6, 4, 6, 4)
        column.addWidget(self.answer, 1)
        column.addLayout(below)
        self._update_text()

    def show_job(self, look: NowLook | None, job: QueuedJob | None) -> None:
        """Tell of a job of a queue, or of none."""
        if (look, job) != (self._look, self.job):
            self._look, self.job = look, job
            self._helped, self._asked = None, False
            self._update_text()

    def show_help(self, answer: Answer[WaitingJob]) -> None:
        """Show the answer with what would help a job, if it is still the described job."""
        if answer.of.job is self.job:
            self._helped = answer
            self._update_text()

    def end_help(self) -> None:
        """Nobody works on what would help any more."""
        if self._asked:
            self._asked = False
            self._update_buttons()

    def want_help(self) -> None:
        """Ask what would help the described job."""
        if self.job is not None:
            self._asked = True
            self._update_buttons()
            self.help_wanted.emit(self.job)

    def _update_text(self) -> None:
        look, job = self._look, self.job
        shown = "" if look is None or job is None else job_words(look, job)
        self.answer.setPlainText(shown if self._helped is None else self._helped.text)
        self._update_buttons()

    def _update_buttons(self) -> None:
        waits = self.job is not None and self.job.state == WAITING
        self.helps.setEnabled(waits and self._helped is None and not self._asked)
        self.copy.setEnabled(self.job is not None)
