"""Choosing a policy: a form made from the policy's own description, and its spelling."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QLabel,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from engine.errors import InputError
from engine.policy import KEYS, PRESETS, Policy, parse_policy, spell_value

_FAIRSHARE_ONLY = {"penalty", "half_life", "accrue"}


class PolicyDialog(QDialog):
    """Form and spelling show the same policy; whichever is changed, the other follows."""

    def __init__(self, policy: Policy, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setMinimumWidth(460)
        self.policy = policy
        self.preset = QComboBox(self)
        for name, (_, text) in PRESETS.items():
            self.preset.addItem(name)
            self.preset.setItemData(self.preset.count() - 1, text, Qt.ItemDataRole.ToolTipRole)
        self.about = QLabel("", self, wordWrap=True)
        self.fields: dict[str, QComboBox] = {}
        form = QFormLayout()
        form.addRow("Preset", self.preset)
        form.addRow("", self.about)
        for key in KEYS:
            field = QComboBox(self)
            field.setToolTip(key.help)
            field.addItems(list(key.choices) or ["none", "1h", "12h", "1d", "3d", "7d", "30d"])
            field.setEditable(not key.choices)  # a duration can be any
            field.textActivated.connect(self._take_form)
            if (line := field.lineEdit()) is not None:
                line.editingFinished.connect(self._take_form)
            self.fields[key.name] = field
            form.addRow(key.name.replace("_", " ").capitalize(), field)
        self.spelling = QLineEdit(self)
        self.spelling.setToolTip("The policy in one line, as the command line takes it")
        self.spelling.textEdited.connect(self._take_spelling)
        form.addRow("Spelling", self.spelling)
        self.problem = QLabel("", self, wordWrap=True)
        self.buttons = QDialogButtonBox(
            QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel, self
        )
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        self.preset.textActivated.connect(lambda name: self._show(PRESETS[name][0]))
        column = QVBoxLayout(self)
        column.addLayout(form)
        column.addWidget(self.problem)
        column.addWidget(self.buttons)
        self._show(policy)

    def _show(self, policy: Policy, spelling: bool = True) -> None:
        """Bring every field in line with the policy."""
        self.policy = policy
        self.preset.setCurrentText(policy.preset)
        self.about.setText(PRESETS[policy.preset][1])
        values = _spelled(policy)
        for name, field in self.fields.items():
            field.setCurrentText(values[name])
            field.setEnabled(
                not policy.recorded and (policy.order == "fairshare" or name not in _FAIRSHARE_ONLY)
            )
        if spelling:
            self.spelling.setText(policy.spelling)
        self._say("")

    def _take_form(self) -> None:
        try:
            changed = {name: field.currentText().strip() for name, field in self.fields.items()}
            base = parse_policy(self.preset.currentText())
            self._show(base if base.recorded else base.with_keys(**changed))
        except InputError as error:
            self._say(str(error))

    def _take_spelling(self, text: str) -> None:
        try:
            self._show(parse_policy(text), spelling=False)
        except InputError as error:
            self._say(str(error))

    def _say(self, problem: str) -> None:
        self.problem.setText(problem)
        self.buttons.button(QDialogButtonBox.StandardButton.Ok).setEnabled(not problem)


def _spelled(policy: Policy) -> dict[str, str]:
    """Each key's value as it is spelled."""
    return {key.name: spell_value(getattr(policy, key.name)) for key in KEYS}
