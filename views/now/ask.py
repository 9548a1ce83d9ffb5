"""The question when a job would start that is submitted now: its fields, and the answer."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from engine.logs.queue.state import QueuedJob
from engine.spelling import format_duration
from views.data.asked_job import AskedJob
from views.data.now_look import NowLook

_MOST = 1_000_000


class AskPanel(QWidget):
    """Fields of a job, and the answer. `ask_wanted`, `map_wanted` carry the job (`AskedJob`).

    `method_wanted` (on) shows or hides the method of the answer.
    """

    ask_wanted = Signal(object)
    map_wanted = Signal(object)
    method_wanted = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        # The request: shape, walltime, and who submits it where.
        self.nodes, self.cpus = self._number("Nodes", 1), self._number("Processors on each node", 1)
        self.ram = self._number("Memory on each node, GiB; 0: any", 0)
        self.gpus = self._number("GPUs on each node", 0)
        self.limit = QLineEdit("1h", self)
        self.limit.setToolTip("Walltime: 90s, 30m, 12h, 2d")
        self.limit.setAccessibleName("Walltime")
        self.user, self.partition = QComboBox(self), QComboBox(self)
        self.user.setEditable(True)
        self.user.setToolTip(
            "It gets the priority of this user's waiting jobs, otherwise the median priority"
        )
        self.user.setAccessibleName("User")
        self.partition.setToolTip("The partition that it is submitted to")
        self.partition.setAccessibleName("Partition")
        # What can be asked about it, and the whole method, which is hidden until it is asked for.
        self.ask = QPushButton("&When would it start?", self)
        self.ask.setToolTip("Plan the queue with this job in it (Enter in a field)")
        self.map = QPushButton("&Map over size and walltime", self)
        self.map.setToolTip("Where the holes are: the planned start for each size and walltime")
        self.method = QPushButton("Method", self)
        self.method.setCheckable(True)
        self.method.setToolTip("The whole answer below: how starts and spans are worked out, and each change")
        self.method.toggled.connect(self._show_whole)
        self.method.toggled.connect(self.method_wanted)
        self.whole = QPlainTextEdit(self, readOnly=True)
        self.whole.setAccessibleName("Method of the answer")
        self.whole.hide()
        self.answer = QLabel("", self, wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        self.answer.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.answer.setAccessibleName("Answer")
        # Return in a field asks, as in a search box: the panel has no default button of a dialog.
        self._lay_out()
        self.ask.clicked.connect(lambda: self.ask_wanted.emit(self.asked))
        self.map.clicked.connect(lambda: self.map_wanted.emit(self.asked))
        self.limit.returnPressed.connect(self.ask.click)
        line = self.user.lineEdit()
        if line is not None:
            line.returnPressed.connect(self.ask.click)

    def _number(self, text: str, least: int) -> QSpinBox:
        box = QSpinBox(self, minimum=least, maximum=_MOST, value=least)
        box.setToolTip(text)
        box.setAccessibleName(text)
        box.setGroupSeparatorShown(True)
        return box

    def _lay_out(self) -> None:
        fields = QGridLayout()
        # Two fields a row; the user has a row of its own, since names are long.
        fields.setHorizontalSpacing(6)
        fields.setVerticalSpacing(3)
        parts = (
            ("&Nodes", self.nodes, "Processors per &node", self.cpus),
            ("M&emory per node, GiB", self.ram, "&GPUs per node", self.gpus),
            ("Wa&lltime", self.limit, "Par&tition", self.partition),
        )
        for row, (left_text, left_field, right_text, right_field) in enumerate(parts):
            for column, (text, field) in enumerate(((left_text, left_field), (right_text, right_field))):
                label = QLabel(text, self)
                label.setBuddy(field)
                fields.addWidget(label, row, 2 * column)
                fields.addWidget(field, row, 2 * column + 1)
        label = QLabel("&User", self)
        label.setBuddy(self.user)
        fields.addWidget(label, len(parts), 0)
        fields.addWidget(self.user, len(parts), 1)
        fields.setColumnStretch(1, 1)
        fields.setColumnStretch(3, 1)
        buttons = QHBoxLayout()
        buttons.addWidget(self.ask)
        buttons.addWidget(self.map)
        buttons.addWidget(self.method)
        buttons.addStretch(1)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(6, 4, 6, 4)
        whole.setSpacing(4)
        whole.addLayout(fields)
        whole.addLayout(buttons)
        whole.addWidget(self.answer)
        whole.addWidget(self.whole, 1)
        whole.addStretch()

    @property
    def asked(self) -> AskedJob:
        """The fields."""
        return AskedJob(
            self.nodes.value(),
            self.cpus.value(),
            self.ram.value(),
            self.gpus.value(),
            self.limit.text().strip(),
            self.user.currentText().strip(),
            str(self.partition.currentData() or ""),
        )

    def show_question(self, asked: AskedJob) -> None:
        """Fill the fields in."""
        for box, value in (
            (self.nodes, asked.nodes),
            (self.cpus, asked.cpus),
            (self.ram, asked.ram),
            (self.gpus, asked.gpus),
        ):
            box.setValue(value)
        self.limit.setText(asked.limit)
        self.user.setEditText(asked.user)
        self.partition.setCurrentIndex(max(self.partition.findData(asked.partition), 0))

    def offer(self, look: NowLook) -> None:
        """Offer the users and partitions of a queue; what is filled in stays."""
        asked = self.asked
        self.user.clear()
        self.user.addItems(look.names("user"))
        self.partition.clear()
        for name in look.answer.queue.partitions or ("",):
            self.partition.addItem(name or "any", name)
        self.show_question(asked)

    def show_text(self, text: str, method: str = "") -> None:
        """Say the answer and its method, or why there is none."""
        self.answer.setText(text)
        self.whole.setPlainText(method)
        self._show_whole()

    def _show_whole(self) -> None:
        self.whole.setVisible(self.method.isChecked() and bool(self.whole.toPlainText()))

    def take(self, job: QueuedJob, limit: int) -> None:
        """Take the size of a job and a walltime, s, over into the fields, and ask."""
        walltime = format_duration(limit)
        self.show_question(replace(self.asked, nodes=job.nodes, cpus=job.cpus // job.nodes, limit=walltime))
        self.ask.click()
