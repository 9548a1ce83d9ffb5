"""Boxes that are narrower than their words."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QIcon, QPixmap
from pytestqt.qtbot import QtBot

from views.widgets.choosers import Choosers
from views.widgets.elided_box import ElidedBox

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


def test_boxes_of_choices_are_as_wide_as_what_is_chosen(qtbot: QtBot) -> None:
    choosers = Choosers({"what": "What", "over": "Of what"})
    qtbot.addWidget(choosers)
    choosers.set_entries("what", {1: "Wait", 2: "Mean of something that is very long to say"})
    choosers.set_entries("over", {1: "users"})
    choosers.resize(600, 40)
    choosers.show()
    box = choosers.boxes["what"]
    widths = []
    for value in (1, 2, 1):
        choosers.show_choice("what", value)
        qtbot.waitUntil(lambda: box.width() == box.sizeHint().width())
        assert box.shown_text == box.currentText()
        widths.append(box.width())
    assert widths[0] == widths[2] < widths[1]
