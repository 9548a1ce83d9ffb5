"""The policy editor, and hands that fill its form."""

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QComboBox, QDialogButtonBox, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from app.panels.policies.number_edit import NumberEdit
from app.panels.policies.policy_dialog import PolicyDialog
from app.panels.policies.policy_field import NUMBER, KeyField
from engine.machine.cluster import Cluster
from engine.policy.policy import parse_policy

LEFT = Qt.MouseButton.LeftButton


def make(qtbot: QtBot, spelling: str = "easy", heard: list[str] | None = None) -> PolicyDialog:
    dialog = PolicyDialog(parse_policy(spelling), Cluster.pool(100), Cluster.pool(100), "Add a run")
    qtbot.addWidget(dialog)
    if heard is not None:
        dialog.changed.connect(lambda policy: heard.append(policy.spelling))
    dialog.form.all_keys.setChecked(True)
    dialog.show()
    dialog.activateWindow()
    qtbot.waitUntil(dialog.isActiveWindow)
    return dialog


def choose(qtbot: QtBot, combo: QComboBox | None, word: str) -> None:
    """Choose by keyboard: from the first entry down."""
    assert combo is not None
    assert combo.isEnabled()
    combo.setFocus()
    qtbot.keyClick(combo, Qt.Key.Key_Home)
    for _ in range(combo.findText(word)):
        qtbot.keyClick(combo, Qt.Key.Key_Down)
    assert combo.currentText() == word


def choose_key(qtbot: QtBot, dialog: PolicyDialog, key: str, word: str) -> None:
    choose(qtbot, dialog.fields[key].choice, word)


def toggle(qtbot: QtBot, field: KeyField) -> None:
    assert field.on is not None
    qtbot.mouseClick(field.on, LEFT, pos=QPoint(8, field.on.height() // 2))


def number_of(field: KeyField, word: str = NUMBER) -> NumberEdit:
    number = field.numbers[word]
    assert number.isVisible()
    return number


def type_over(qtbot: QtBot, box: QWidget, text: str) -> None:
    line = box if isinstance(box, QLineEdit) else box.findChild(QLineEdit)
    assert isinstance(line, QLineEdit)
    line.setFocus()
    line.selectAll()
    qtbot.keyClicks(line, text)


def ok(dialog: PolicyDialog) -> QWidget:
    return dialog.buttons.button(QDialogButtonBox.StandardButton.Ok)
