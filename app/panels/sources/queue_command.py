"""The choice of the command that prints the queue as it is."""

from __future__ import annotations

import shlex
from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QLabel, QLineEdit, QVBoxLayout, QWidget

from app.panels.dialogs import HighArea
from app.work.own_command import SECONDS

_ABOUT = (
    "The command runs on this machine with your rights, each time the queue is refreshed, for at most "
    f"{SECONDS} seconds. It is split into words, but no shell runs it: there are no pipes, variables or "
    "wildcards. It cannot ask for a password, so ssh needs a key.\n"
    "The command is kept in your own settings, never in a session or a report."
)


class QueueCommandDialog(QDialog):
    """Asks for a command that prints the queue, such as `ssh login squeue --json`; `take` gets it."""

    def __init__(self, command: str, take: Callable[[str], object], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Queue from a command")
        self._take = take
        self.command = QLineEdit(command, self, placeholderText="ssh login squeue --json")
        self.command.setMinimumWidth(420)
        self.command.setAccessibleName("Command that prints the queue")
        label = QLabel(
            "&Command that prints the queue (squeue, scontrol show job -o, sacct or qstat -f):", self
        )
        label.setWordWrap(True)
        label.setBuddy(self.command)
        about = QLabel(_ABOUT, self, wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        self.problem = QLabel("", self, wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        box = QDialogButtonBox.StandardButton
        buttons = QDialogButtonBox(box.Ok | box.Cancel, self)
        buttons.button(box.Ok).setText("Run")
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        # In a low window the text scrolls, and the buttons below it stay in sight.
        inside = QWidget(self)
        rows = QVBoxLayout(inside)
        rows.setContentsMargins(0, 0, 0, 0)
        for part in (label, self.command, about, self.problem):
            rows.addWidget(part)
        area = HighArea(self)
        area.setWidget(inside)
        column = QVBoxLayout(self)
        column.addWidget(area, 1)
        column.addWidget(buttons)

    def accept(self) -> None:
        """Hand the command over, unless it is empty or a quotation in it does not end."""
        command = self.command.text().strip()
        try:
            words = shlex.split(command)
        except ValueError as error:
            self._refuse(f"{str(error).capitalize()}.")
            return
        if not words:
            self._refuse("Enter a command.")
            return
        super().accept()
        self._take(command)

    def _refuse(self, why: str) -> None:
        self.problem.setText(why)
        self.command.setFocus()
