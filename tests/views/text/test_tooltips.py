import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QMouseEvent, QTextDocumentFragment
from PySide6.QtWidgets import QLabel, QToolTip, QWidget
from pytestqt.qtbot import QtBot

from views.text.tooltips import show_tip, tip


@pytest.mark.parametrize("text", ["user <b>17</b>\nqueue a&b", "one line"])
def test_a_tooltip_shows_names_as_they_are(qtbot: QtBot, text: str) -> None:
    chart = QWidget()
    qtbot.addWidget(chart)
    chart.show()
    none = Qt.MouseButton.NoButton
    position = QPointF(5, 5)
    event = QMouseEvent(
        QMouseEvent.Type.MouseMove, position, chart.mapToGlobal(position), none, none, Qt.KeyboardModifier(0)
    )
    show_tip(event, text, chart)
    assert QTextDocumentFragment.fromHtml(QToolTip.text()).toPlainText() == text
    show_tip(event, "", chart)
    qtbot.waitUntil(lambda: not QToolTip.isVisible())


def test_short_lines_are_never_broken(qtbot: QtBot) -> None:
    short, long = "started Tue 26 Mar 2013 00:34:37 after 1 h 14 min", " ".join(["word"] * 40)
    label = QLabel(tip(f"{short}\n{short}\n\n{long}"), wordWrap=True)
    qtbot.addWidget(label)
    assert label.minimumSizeHint().width() >= label.fontMetrics().horizontalAdvance(short)
    assert label.minimumSizeHint().width() < label.fontMetrics().horizontalAdvance(long) / 2
