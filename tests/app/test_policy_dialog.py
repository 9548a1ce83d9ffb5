from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialogButtonBox
from pytestqt.qtbot import QtBot

from app.policy_dialog import PolicyDialog
from engine.policy import KEYS, parse_policy


def make(qtbot: QtBot, spelling: str = "easy") -> PolicyDialog:
    dialog = PolicyDialog(parse_policy(spelling), "Add a run")
    qtbot.addWidget(dialog)
    dialog.show()
    return dialog


def choose(dialog: PolicyDialog, key: str, value: str) -> None:
    field = dialog.fields[key]
    field.setCurrentText(value)
    field.textActivated.emit(value)


def test_there_is_a_field_for_each_key(qtbot: QtBot) -> None:
    assert list(make(qtbot).fields) == [key.name for key in KEYS]


def test_the_spelling_follows_the_form(qtbot: QtBot) -> None:
    dialog = make(qtbot)
    choose(dialog, "order", "saf")
    choose(dialog, "estimate", "actual")
    assert dialog.spelling.text() == "easy:order=saf,estimate=actual"
    assert dialog.policy == parse_policy("easy:order=saf,estimate=actual")


def test_the_form_follows_a_pasted_spelling(qtbot: QtBot) -> None:
    dialog = make(qtbot)
    dialog.spelling.selectAll()
    qtbot.keyClicks(dialog.spelling, "fairshare-easy:half_life=2h")
    assert dialog.preset.currentText() == "fairshare-easy"
    assert dialog.fields["half_life"].currentText() == "2h"
    assert dialog.fields["penalty"].isEnabled()


def test_a_wrong_spelling_says_what_is_right_and_cannot_be_accepted(qtbot: QtBot) -> None:
    dialog = make(qtbot)
    dialog.spelling.selectAll()
    qtbot.keyClicks(dialog.spelling, "esy")
    assert "did you mean 'easy'" in dialog.problem.text()
    assert not dialog.buttons.button(QDialogButtonBox.StandardButton.Ok).isEnabled()


def test_a_preset_fills_the_form(qtbot: QtBot) -> None:
    dialog = make(qtbot)
    dialog.preset.setCurrentText("fcfs")
    dialog.preset.textActivated.emit("fcfs")
    assert dialog.fields["depth"].currentText() == "stop"
    qtbot.mouseClick(dialog.buttons.button(QDialogButtonBox.StandardButton.Ok), Qt.MouseButton.LeftButton)
    assert dialog.result() == 1
    assert dialog.policy == parse_policy("fcfs")


def test_recorded_takes_no_keys(qtbot: QtBot) -> None:
    dialog = make(qtbot, "recorded")
    assert not any(field.isEnabled() for field in dialog.fields.values())
