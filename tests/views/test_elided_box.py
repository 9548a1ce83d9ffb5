"""Boxes that are narrower than their words."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QIcon, QPixmap
from pytestqt.qtbot import QtBot

from views.elided_box import ElidedBox

NAME = "fairshare-easy:half_life=241h"


@pytest.mark.parametrize("mode", [Qt.TextElideMode.ElideMiddle, Qt.TextElideMode.ElideRight])
def test_words_that_are_cut_say_so(qtbot: QtBot, mode: Qt.TextElideMode) -> None:
    box = ElidedBox(mode=mode)
    qtbot.addWidget(box)
    box.addItem(QIcon(QPixmap(12, 12)), NAME)
    box.resize(box.sizeHint())
    box.show()
    assert box.shown_text == NAME
    box.resize(150, box.height())
    assert "…" in box.shown_text
    assert box.shown_text.startswith("fair")
    assert box.shown_text.endswith("241h") == (mode == Qt.TextElideMode.ElideMiddle)
    assert box.fontMetrics().horizontalAdvance(box.shown_text) < 150 - 12 - 20
    assert box.currentText() == NAME
