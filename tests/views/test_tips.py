from __future__ import annotations

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QMouseEvent, QTextDocumentFragment
from PySide6.QtWidgets import QToolTip, QWidget
from pytestqt.qtbot import QtBot

from views.tips import show_tip


@pytest.mark.parametrize("text", ["user <b>17</b>\nqueue a&b", "one line"])
def test_a_tooltip_shows_names_as_they_are(qtbot: QtBot, text: str) -> None:
    chart = QWidget()
    qtbot.addWidget(chart)
    chart.show()
    none = Qt.MouseButton.NoButton
    place = QPointF(5, 5)
    event = QMouseEvent(
        QMouseEvent.Type.MouseMove, place, chart.mapToGlobal(place), none, none, Qt.KeyboardModifier(0)
    )
    show_tip(event, text, chart)
    assert QTextDocumentFragment.fromHtml(QToolTip.text()).toPlainText() == text
    show_tip(event, "", chart)
    qtbot.waitUntil(lambda: not QToolTip.isVisible())
