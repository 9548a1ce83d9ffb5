"""Choosing a policy: a preset, a form of its keys, and its spelling; and the machine that it runs on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.model.own_files import OwnFiles
from app.panels.dialogs import HighArea, room_for
from app.panels.policies.machine_field import MachineField
from app.panels.policies.policy_form import PolicyForm
from engine.errors import InputError
from engine.machine.cluster import Cluster
from engine.own.allowed_code import UnnamedCodeError, is_allowed
from engine.own.file import OwnFile
from engine.policy.policy import PRESETS, Policy, parse_policy
from engine.slurm.export.conf_lines import text_to_paste
from engine.trace.variant import KEYS as VARIANT_KEYS
from engine.trace.variant import NO_VARIANT, parse_variant
from views.text.tooltips import tip
from views.widgets.awaited_work import may_name_file
from views.widgets.elided_label import ElidedLabel
from views.work.executor import Executor
from views.work.widget_handlers import while_alive

_LEAST_WIDTH, _MOST_HEIGHT = 620, 740
"""Room for the usual fields; what is larger than the screen is scrolled."""


class PolicyDialog(QDialog):
    """Dialog for a policy; form and spelling show the same policy and follow each other.

    `policy` is the last valid policy, and `changed` carries each new policy during editing. `machine` holds
    the machine of the run, `own` being the log's. Files of code that are spelled are read by `code`.
    """

    changed = Signal(object)
    site_wanted = Signal()  # a site's `slurm.conf` is to be chosen; the dialog is gone then

    def __init__(
        self,
        policy: Policy,
        cluster: Cluster,
        own: Cluster,
        title: str,
        parent: QWidget | None = None,
        code: OwnFiles | None = None,
    ) -> None:
        super().__init__(parent)
        self._code = code
        self._asked: set[str] = set()  # digests of code that was asked about, once each
        self.setWindowTitle(title)
        self.policy = policy
        self._shown: Policy | None = policy  # None while form or spelling say none
        self._wrong = ""
        self.machine = MachineField(cluster, own, self)
        self.machine.edited.connect(self._take_machine)
        self.form = PolicyForm(policy, self)
        self.fields = self.form.fields
        self.form.edited.connect(self._take_form)
        column = QVBoxLayout(self)
        column.addLayout(self._make_head())
        column.addLayout(self._make_machine())
        column.addLayout(self._make_workload())
        self.area = self._make_area()
        column.addWidget(self.area, 1)
        column.addLayout(self._make_foot())
        # The first policy is shown before the dialog is fitted to it.
        self._show(policy)
        self.form.folded.connect(self._fit)
        self._fit()
        self.preset.setFocus()

    def sizeHint(self) -> QSize:
        hint = super().sizeHint()
        wanted = QSize(max(hint.width(), _LEAST_WIDTH), min(hint.height(), _MOST_HEIGHT))
        return wanted.boundedTo(room_for(self))

    def _fit(self) -> None:
        """Be as large as the keys that are unfolded want; by itself it would stay as it is."""
        inside, column = self.form.layout(), self.layout()
        if inside is not None and column is not None:
            inside.activate()
            self.area.updateGeometry()
            column.activate()
        self.resize(self.sizeHint())

    def _make_head(self) -> QVBoxLayout:
        self.preset = QComboBox(self)
        self.preset.setAccessibleName("Preset")
        for name, (_, text) in PRESETS.items():
            self.preset.addItem(name)
            self.preset.setItemData(self.preset.count() - 1, text, Qt.ItemDataRole.ToolTipRole)
        self.preset.currentTextChanged.connect(lambda name: self._choose_preset(name))
        self.about = ElidedLabel("", self)
        self.reset = QPushButton("Reset to the preset", self)
        # Return belongs to the fields: with auto-default Qt would press this button instead.
        self.reset.setAutoDefault(False)
        self.reset.setToolTip("Undo all changes to the preset's keys")
        self.reset.clicked.connect(lambda: self._choose_preset(self.policy.preset))
        self.site = QPushButton("From a slurm.conf…", self)
        self.site.setAutoDefault(False)
        self.site.setToolTip("A site's own policy and machine, from its Slurm configuration")
        self.site.clicked.connect(self._want_site)
        row = QHBoxLayout()
        label = QLabel("&Preset", self)
        label.setBuddy(self.preset)
        row.addWidget(label)
        row.addWidget(self.preset)
        row.addStretch(1)
        row.addWidget(self.reset)
        row.addWidget(self.site)
        column = QVBoxLayout()
        column.addLayout(row)
        column.addWidget(self.about)
        return column

    def _want_site(self) -> None:
        self.reject()
        self.site_wanted.emit()

    def _make_machine(self) -> QHBoxLayout:
        row = QHBoxLayout()
        label = QLabel("&Machine", self)
        label.setBuddy(self.machine.line)
        label.setFixedHeight(self.machine.line.sizeHint().height())
        row.addWidget(label, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self.machine, 1)
        return row

    def _make_workload(self) -> QHBoxLayout:
        self.workload = QLineEdit(self, clearButtonEnabled=True)
        self.workload.setAccessibleName("Workload")
        self.workload.setPlaceholderText("the jobs as logged; walltime_cap=4h, users=-alice, theta=0.9, …")
        lines = [f"{example}: {what}" for example, what in VARIANT_KEYS.values()]
        self.workload.setToolTip(
            tip("\n".join(["What this run alone changes in the jobs, separated by commas:", *lines]))
        )
        self.workload.textEdited.connect(self._take_workload)
        label = QLabel("&Workload", self)
        label.setBuddy(self.workload)
        row = QHBoxLayout()
        row.addWidget(label)
        row.addWidget(self.workload, 1)
        return row

    def _make_area(self) -> HighArea:
        area = HighArea(self)
        area.setWidget(self.form)
        return area

    def _make_foot(self) -> QVBoxLayout:
        self.spelling = QLineEdit(self)
        self.spelling.setAccessibleName("Spelling")
        self.spelling.setToolTip("The policy as the command line takes it; paste another policy here")
        self.spelling.textEdited.connect(self._take_spelling)
        self.spelling.editingFinished.connect(self._tidy_spelling)
        self.problem = QLabel("", self, wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        self.problem.setForegroundRole(QPalette.ColorRole.BrightText)
        self.problem.setFixedHeight(2 * self.fontMetrics().lineSpacing())  # the form stays in place
        self.problem.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel, self
        )
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        label = QLabel("Spelling", self)
        label.setBuddy(self.spelling)
        row = QHBoxLayout()
        row.addWidget(label)
        row.addWidget(self.spelling, 1)
        self.copy = QPushButton("Copy as slurm.conf", self)
        self.copy.setAutoDefault(False)
        self.copy.setToolTip("The policy as lines of a slurm.conf, with comments on what they leave out")
        self.copy.clicked.connect(lambda: QApplication.clipboard().setText(text_to_paste(self.policy)))
        row.addWidget(self.copy)
        column = QVBoxLayout()
        column.addLayout(row)
        column.addWidget(self.problem)
        column.addWidget(self.buttons)
        return column

    def _choose_preset(self, name: str) -> None:
        """Take a preset; what the run changes in its jobs stays."""
        policy = PRESETS[name][0]
        # The log's own schedule has no variant of its jobs.
        if policy.simulated:
            policy = replace(policy, variant=self.policy.variant)
        self._show(policy)
        self._become(policy)

    def _show(self, policy: Policy) -> None:
        """Bring form and spelling in line with the policy."""
        self.form.show_policy(policy)
        self.spelling.setText(policy.spelling)
        self.workload.setText(policy.variant.spelling)
        self._update_text(policy, policy.preset)

    def _take_workload(self, text: str) -> None:
        try:
            # The policy stays while the workload cannot be read; the text says what is wrong.
            policy = replace(self.policy, variant=parse_variant(text))
        except InputError as error:
            self._update_text(None, self.policy.preset, str(error))
            return
        self.form.show_policy(policy)
        self.spelling.setText(policy.spelling)
        self._update_text(policy, policy.preset)
        self._become(policy)

    def _take_form(self) -> None:
        spelling, policy, problem = self.form.read(self._files)
        self.spelling.setText(spelling)
        self._update_text(policy, self.policy.preset, problem)
        if policy is not None:
            self._become(policy)

    def _take_spelling(self, text: str) -> None:
        # A file may lie on slow storage: a thread reads it, and the dialog says so.
        if self._code is not None and may_name_file(text):
            self._update_text(None, self.policy.preset, "Reading…")
            show, refuse = (self._while_spelled(text, hear) for hear in (self._show_spelled, self._refuse))
            self._code.parse(text, show, refuse)
            return
        try:
            self._show_spelled(parse_policy(text))
        except InputError as error:
            self._refuse(error)

    def _while_spelled(self, text: str, hear: Callable[[Any], None]) -> Callable[[Any], None]:
        """`hear` as long as nothing else is spelled: storage may answer late."""
        return while_alive(self, lambda value: hear(value) if self.spelling.text() == text else None)

    @property
    def _files(self) -> Executor | None:
        return None if self._code is None else self._code.files

    def _refuse(self, error: Exception) -> None:
        """Say what is wrong with the spelling; code that is not allowed yet is asked about."""
        self._update_text(None, self.policy.preset, str(error))
        # Asked once for each content: a person who said no is not asked again at the next letter.
        if isinstance(error, UnnamedCodeError) and self._code and error.file.digest not in self._asked:
            self._asked.add(error.file.digest)
            again = while_alive(self, lambda: self._take_allowed(error.file))
            self._code.ask([error.file], "It was named as a policy in this window.", again)

    def _take_allowed(self, file: OwnFile) -> None:
        if is_allowed(file.digest):
            self._take_spelling(self.spelling.text())

    def _show_spelled(self, policy: Policy) -> None:
        """Bring form, machine and workload in line with what was spelled."""
        # A spelling may name a machine; otherwise the machine in the field stays.
        if policy.machine is not None:
            self.machine.show_cluster(policy.machine)
        self.form.show_policy(policy)
        self.workload.setText(policy.variant.spelling)
        self._update_text(policy, policy.preset)
        self._become(policy)

    def _tidy_spelling(self) -> None:
        """Replace what was typed by the canonical form."""
        # Only a spelling that is valid is replaced: a wrong spelling stays to be corrected.
        if not self.problem.text():
            self.spelling.setText(self.policy.spelling)

    def _update_text(self, policy: Policy | None, preset: str, problem: str = "") -> None:
        """Show the preset, and what is wrong where there is no policy: then it cannot be accepted."""
        self.preset.blockSignals(True)
        self.preset.setCurrentText(preset)
        self.preset.blockSignals(False)
        self.about.setText(PRESETS[preset][1])
        # The preset is compared without the variant, which a reset keeps as well.
        plain = policy if policy is None else replace(policy, variant=NO_VARIANT)
        self.reset.setEnabled(plain != PRESETS[preset][0])
        self._shown, self._wrong = policy, problem
        self._take_machine()

    def _take_machine(self) -> None:
        """Without a machine the run cannot be accepted either; the log's own schedule needs none."""
        recorded = self._shown is not None and not self._shown.simulated
        self.machine.setEnabled(not recorded)
        self.workload.setEnabled(not recorded)
        problem = self._wrong or ("" if recorded else self.machine.problem)
        self.problem.setText(problem)
        self.problem.setToolTip(tip(problem) if problem else "")
        fits = recorded or self.machine.cluster is not None
        self.buttons.button(QDialogButtonBox.StandardButton.Ok).setEnabled(self._shown is not None and fits)

    def _become(self, policy: Policy) -> None:
        if policy != self.policy:
            self.policy = policy
            self.changed.emit(policy)
