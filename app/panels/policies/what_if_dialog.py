"""The usual what-ifs of a run, each a run beside it by one click."""

from __future__ import annotations

from itertools import groupby

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.model.workbench import Workbench
from app.panels.dialogs import HighArea
from engine.policy.what_ifs import WhatIf, what_ifs
from engine.study import run_name
from views.text.tooltips import as_tip

_ABOUT = (
    "Each is simulated as a run of its own, beside the others, and compared with them. Ctrl+Z takes it back."
)

_WIDEST = 560
"""Pixels of the questions at most; longer ones, as of users with long names, are shortened in the middle."""

_AROUND = 60
"""Pixels beside the words of a question: the padding and frame of its button, and the vertical scroll bar."""

_NONE = "There is no simulated run to ask about: add one first."


class WhatIfDialog(QDialog):
    """Questions about a run, which is chosen from the simulated runs; a click adds the run that answers it.

    `questions` holds the buttons, with the what-if of each. Those whose run is there already are disabled.
    `scale_wanted`: other values of load and requests are wanted for this run.
    """

    scale_wanted = Signal(object)

    def __init__(self, workbench: Workbench, run_id: int | None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._workbench = workbench
        self.questions: list[tuple[QPushButton, WhatIf]] = []
        self.setWindowTitle("What if…")
        self.run = QComboBox(self)
        self.run.setAccessibleName("Run to ask about")
        # A long name, as of a site, must not widen the dialog.
        self.run.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        for run in workbench.study.runs:
            if run.policy.simulated:
                self.run.addItem(workbench.study.name(run), run.id)
        self.run.setCurrentIndex(max(self.run.findData(run_id), 0 if self.run.count() else -1))
        label = QLabel("&Of the run", self)
        label.setBuddy(self.run)
        head = QHBoxLayout()
        head.addWidget(label)
        head.addWidget(self.run, 1)
        self._area = HighArea(self)
        about = QLabel(_ABOUT if self.run.count() else _NONE, self, wordWrap=True)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        buttons.rejected.connect(self.reject)
        self.other = buttons.addButton("&Load and requests…", QDialogButtonBox.ButtonRole.ActionRole)
        self.other.setToolTip(as_tip("Other factors, caps and quantiles than these questions have"))
        self.other.setAutoDefault(False)
        self.other.setEnabled(self.run.count() > 0)
        self.other.clicked.connect(self._ask_scale)
        column = QVBoxLayout(self)
        column.addLayout(head)
        column.addWidget(self._area, 1)
        column.addWidget(about)
        column.addWidget(buttons)
        undo = QShortcut(QKeySequence(QKeySequence.StandardKey.Undo), self)
        undo.activated.connect(workbench.edits.undo)
        self.run.currentIndexChanged.connect(lambda _: self._list())
        workbench.study_changed.connect(self._refresh)
        self._list()

    def _list(self) -> None:
        """Show the questions about the chosen run, under headings."""
        study = self._workbench.study
        run = study.run(self.run.currentData()) if self.run.count() else None
        # A new inside replaces the old as a whole: the area deletes that with its buttons.
        inside = QWidget(self)
        column = QVBoxLayout(inside)
        column.setSpacing(2)
        column.setContentsMargins(0, 0, 0, 0)
        self.questions = []
        asked = what_ifs(study.trace, run.policy, run.cluster) if run is not None else ()
        for heading, group in groupby(asked, key=lambda asked: asked.group):
            title = QLabel(heading, inside)
            font = title.font()
            font.setBold(True)
            title.setFont(font)
            title.setContentsMargins(0, 6 if self.questions else 0, 0, 0)
            column.addWidget(title)
            for what_if in group:
                column.addWidget(self._button(what_if, inside))
        column.addStretch(1)
        self._area.setWidget(inside)
        # As wide as the longest question and the scroll bar, since the area does not scroll sideways.
        bar = self._area.verticalScrollBar().sizeHint().width()
        self._area.setMinimumWidth(min(inside.sizeHint().width() + bar, _WIDEST))
        self._refresh()

    def _ask_scale(self) -> None:
        """Leave for the dialog of load and requests of the chosen run."""
        run_id = self.run.currentData()
        self.accept()
        self.scale_wanted.emit(run_id)

    def _button(self, what_if: WhatIf, parent: QWidget) -> QPushButton:
        """A button that asks the question, and adds the run that answers it."""
        button = QPushButton(parent)
        button.setAutoDefault(False)
        button.setStyleSheet("text-align: left; padding: 3px 8px")
        button.ensurePolished()  # else the size hint of the dialog would lack the padding of buttons
        # With the tick of an answered question, so that the size hint is that of the longest text.
        _write_question(button, what_if, answered=True)
        usual = self._workbench.study.cluster
        adds = f"Adds the run {run_name(what_if.policy, what_if.cluster, usual, parts=1)}"
        # The tip has the whole question where the button shortens it.
        whole = "" if _fits(button, what_if) else f"If {what_if.question}. "
        button.setToolTip(as_tip(whole + adds))
        button.clicked.connect(lambda: self._workbench.add_run(what_if.policy, what_if.cluster))
        self.questions.append((button, what_if))
        return button

    def _refresh(self) -> None:
        """Disable questions that a run answers already; undoing enables them again."""
        known = {(run.policy, run.cluster) for run in self._workbench.study.runs}
        focused = self.focusWidget()
        for button, what_if in self.questions:
            answered = (what_if.policy, what_if.cluster) in known
            _write_question(button, what_if, answered)
            button.setEnabled(not answered)
        if focused is not None and not focused.isEnabled():
            self.run.setFocus(Qt.FocusReason.OtherFocusReason)


def _question_text(what_if: WhatIf, answered: bool) -> str:
    return f"{'✓ ' if answered else ''}If {what_if.question}"


def _fits(button: QPushButton, what_if: WhatIf) -> bool:
    question = _question_text(what_if, answered=True)
    return button.fontMetrics().horizontalAdvance(question) <= _WIDEST - _AROUND


def _write_question(button: QPushButton, what_if: WhatIf, answered: bool) -> None:
    """Write the question on its button. A long question loses its middle, since its end tells the amount."""
    question = button.fontMetrics().elidedText(
        _question_text(what_if, answered), Qt.TextElideMode.ElideMiddle, _WIDEST - _AROUND
    )
    button.setText(question.replace("&", "&&"))
