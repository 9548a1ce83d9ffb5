"""The answer to a user who asks why a job waited: a text to copy into an email."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.model.chart_data import ComparedRun
from views.work.executor import Executor

if TYPE_CHECKING:
    from engine.answer import Answer, LoggedJob

_BUSY = "The log is simulated again with this job alone changed, to measure what would have helped…"

_RECORDED = (
    "To measure what would have helped, choose a simulated run above: what was recorded cannot be repeated."
)


class AnswerDialog(QDialog):
    """The answer for a job under a run, which is chosen from the finished runs.

    `runs` has at least one; that of id `looked_at` is shown first. `job` is an index into the trace. The
    answer has forty words; the whole one with its method unfolds below it. The text is made in a thread,
    which stops when the dialog is closed or another run is chosen.
    """

    def __init__(
        self,
        executor: Executor,
        runs: Sequence[ComparedRun],
        job: int,
        looked_at: int | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._executor, self._runs, self._job = executor, list(runs), job
        trace = self._runs[0].chart_data.schedule.trace
        self.setWindowTitle(f"Answer for the user: job {trace.shown_id(job)}")
        # The run under which the job is explained, at first the run that was looked at.
        self.run = QComboBox(self)
        self.run.setAccessibleName("Run")
        self.run.addItems([run.result.name for run in self._runs])
        ids = [run.result.run_id for run in self._runs]
        self.run.setCurrentIndex(ids.index(looked_at) if looked_at in ids else 0)
        # The answer, and its method, which is hidden until it is asked for.
        self.text = QPlainTextEdit(self, readOnly=True)
        self.text.setAccessibleName("Answer")
        self.whole = QPlainTextEdit(self, readOnly=True)
        self.whole.setAccessibleName("Method of the answer")
        self.whole.hide()
        self.state = QLabel(_BUSY, self, wordWrap=True)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        self.copy = buttons.addButton("&Copy", QDialogButtonBox.ButtonRole.ActionRole)
        self.method = QPushButton("&Method", self)
        self.method.setCheckable(True)
        self.method.setToolTip("The whole answer: the request, all reasons, and the effect of each change")
        self.method.toggled.connect(self.whole.setVisible)
        buttons.addButton(self.method, QDialogButtonBox.ButtonRole.ActionRole)
        buttons.rejected.connect(self.reject)
        self.copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(self.text.toPlainText()))
        label = QLabel("&Under the run", self)
        label.setBuddy(self.run)
        row = QHBoxLayout()
        row.addWidget(label)
        row.addWidget(self.run, 1)
        column = QVBoxLayout(self)
        column.addLayout(row)
        column.addWidget(self.text, 2)
        column.addWidget(self.whole, 3)
        column.addWidget(self.state)
        column.addWidget(buttons)
        # As wide as an email.
        letter = self.fontMetrics()
        self.resize(80 * letter.averageCharWidth(), 20 * letter.lineSpacing())
        self.run.currentIndexChanged.connect(lambda _: self._ask())
        # Asked last, since the answer may come from a cache at once and needs all parts.
        self._ask()

    def done(self, result: int) -> None:
        """Stop working."""
        self._executor.cancel(self)
        super().done(result)

    def _ask(self) -> None:
        from engine.answer import answer

        compared, job = self._runs[self.run.currentIndex()], self._job
        schedule, verdict = compared.chart_data.schedule, compared.result.verdict
        # The quick part is shown at once; plans of what would help come from a thread.
        self._show(answer(schedule, job, what_if=False, verdict=verdict))
        self.state.show()
        self.state.setText(_BUSY if schedule.policy.simulated else _RECORDED)
        # A recorded schedule has no policy that could plan anything else.
        if schedule.policy.simulated:
            self._executor.submit(
                self,
                lambda control: answer(schedule, job, control=control, verdict=verdict),
                self._end,
                self._fail,
            )

    def _show(self, shown_answer: Answer[LoggedJob]) -> None:
        from engine.answer.brief import brief_answer

        self.text.setPlainText(brief_answer(shown_answer))
        self.whole.setPlainText(shown_answer.text)

    def _end(self, shown_answer: Answer[LoggedJob]) -> None:
        self._show(shown_answer)
        self.state.hide()

    def _fail(self, error: Exception) -> None:
        self.state.setText(f"What would have helped could not be measured: {error}")
