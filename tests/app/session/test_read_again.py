"""The log that is open is read with other options only after a question."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QMessageBox

from app.shell.window import MainWindow
from engine.reading.options import Reading
from tests.app.windows import settle

BUTTON = QMessageBox.StandardButton


def test_an_open_log_is_read_with_other_options_only_if_that_is_wanted(
    window: MainWindow, site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    answers = [BUTTON.Cancel, BUTTON.Ok]

    def answer(_: object, title: str, text: str, *__: object) -> BUTTON:
        asked.append(title)
        return answers.pop(0)

    monkeypatch.setattr(QMessageBox, "question", answer)
    few = Reading(jobs="0:100")
    assert not window.opener.open_as(site, few)
    assert len(window.workbench.study.trace) == 300
    assert window.opener.open_as(site, few)
    settle(window)
    assert len(window.workbench.study.trace) == 100
    assert window.opener.open_as(site, few)  # as it is read already: nothing is lost
    settle(window)
    assert asked == ["Read again", "Read again"]
