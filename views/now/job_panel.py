"""The panel of the selected job of a queue: its start, why it waits, and what would help it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from engine.answer.brief import brief_answer
from engine.logs.queue.state import WAITING, QueuedJob
from views.data.now_look import NowLook
from views.now.words import job_answer

if TYPE_CHECKING:
    from engine.answer import Answer, WaitingJob


class JobPanel(QWidget):
    """Tells of one job in few words, with the method behind a button.

    `help_wanted` (a `QueuedJob`) asks what would help it; `method_wanted` (on) shows or hides the method.
    """

    help_wanted = Signal(object)
    method_wanted = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.job: QueuedJob | None = None
        self._look: NowLook | None = None
        self._helped: Answer[WaitingJob] | None = None
        self._asked = False
        # The short answer is for the user of the job; the whole, with its method, for whoever checks it.
        self.answer = QPlainTextEdit(self, readOnly=True)
        self.answer.setAccessibleName("Selected job")
        self.answer.setPlaceholderText(
            "Select a job in the chart or in the table: when it starts, why it waits, and what would help it."
        )
        self.whole = QPlainTextEdit(self, readOnly=True)
        self.whole.setAccessibleName("Method of the answer")
        self.helps = QPushButton("What would &help?", self)
        self.helps.setToolTip("Plan again with this job alone changed: shorter, narrower, elsewhere")
        self.helps.clicked.connect(self.want_help)
        self.method = QPushButton("Method", self)
        self.method.setCheckable(True)
        self.method.setToolTip("The whole answer: the request, how its start is worked out, each change")
        self.method.toggled.connect(self.whole.setVisible)
        self.method.toggled.connect(self.method_wanted)
        self.whole.hide()
        self.copy = QPushButton("Copy answer", self)
        self.copy.setToolTip("Put the answer on the clipboard, for an email to the user; without its method")
        self.copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(self.answer.toPlainText()))
        below = QHBoxLayout()
        for button in (self.helps, self.copy, self.method):
            below.addWidget(button)
        below.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(6, 4, 6, 4)
        column.addWidget(self.answer, 2)
        column.addLayout(below)
        column.addWidget(self.whole, 3)
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
        reply = self._helped
        if reply is None and look is not None and job is not None:
            reply = job_answer(look, job)
        self.answer.setPlainText("" if reply is None else brief_answer(reply))
        self.whole.setPlainText("" if reply is None else reply.text)
        self._update_buttons()

    def _update_buttons(self) -> None:
        waits = self.job is not None and self.job.state == WAITING
        self.helps.setEnabled(waits and self._helped is None and not self._asked)
        self.copy.setEnabled(self.job is not None)
