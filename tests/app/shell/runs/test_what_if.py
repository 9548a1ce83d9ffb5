"""The usual what-ifs of a run: each a run by one click, taken back by Ctrl+Z."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QScrollArea

from app.panels.policies import what_if_dialog
from app.panels.policies.what_if_dialog import WhatIfDialog
from app.shell.window import MainWindow
from engine.policy.what_ifs import what_ifs
from tests.app.windows import EASY, LEFT, settle


def test_a_click_adds_a_run_and_undo_takes_it_back(reopened_window: MainWindow) -> None:
    window, before = reopened_window, len(reopened_window.workbench.study.runs)
    window.editor.ask_what_if(EASY)
    (dialog,) = window.findChildren(WhatIfDialog)
    button, what_if = next(
        (button, asked) for button, asked in dialog.questions if asked.policy.variant.scaling.theta == 0.9
    )
    assert button.text() == "If jobs came faster by a tenth"
    QTest.mouseClick(button, LEFT)
    settle(window)
    new = window.workbench.study.runs[-1]
    assert new.policy == what_if.policy
    assert window.workbench.study.name(new) == "easy with theta=0.9"
    assert window.view.options.compared == (EASY, new.id)
    assert not button.isEnabled()
    # It is measured beside the others, on the same jobs.
    results = {run.result.run_id: run.result for run in window.workbench.finished()}
    assert results[new.id].measured.tolist() == results[EASY].measured.tolist()
    QTest.keyClick(dialog, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert len(window.workbench.study.runs) == before
    assert button.isEnabled()
    dialog.close()
    settle(window)


def test_long_names_are_shortened_where_they_would_be_scrolled(
    reopened_window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, name = reopened_window, "x" * 200
    monkeypatch.setattr(
        what_if_dialog,
        "what_ifs",
        lambda *of_run: [
            replace(asked, question=f"user {name} came later (9 % of the work)")
            for asked in what_ifs(*of_run)
        ],
    )
    window.editor.ask_what_if(EASY)
    (dialog,) = (each for each in window.findChildren(WhatIfDialog) if each.isVisible())
    settle(window)
    area = dialog.findChild(QScrollArea)
    assert area.horizontalScrollBar().maximum() == 0
    button, _ = dialog.questions[0]
    assert button.text().startswith("If user xxx")
    assert button.text().endswith("xxx came later (9 % of the work)")
    assert name in button.toolTip()
    dialog.close()
    settle(window)
