import pytest
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from views.widgets.wrapped_row import WrappedRow
from views.widgets.wrapped_text import WrappedText

Page = tuple[QWidget, WrappedRow, list[QWidget]]


@pytest.fixture
def page(qtbot: QtBot) -> Page:
    """Two buttons of 80 x 20 pixels, a label that takes the rest, and a third button."""
    whole = QWidget()
    qtbot.addWidget(whole)
    row = WrappedRow(whole, gap=10)
    parts: list[QWidget] = [QPushButton(str(k)) for k in range(2)]
    parts += [QLabel("a label whose words are much longer than what it needs"), QPushButton("2")]
    for part in parts:
        part.setFixedHeight(20)
        if isinstance(part, QPushButton):
            part.setFixedWidth(80)
    row.add(*parts[:2])
    row.add(parts[2], stretched=True)
    row.add(parts[3])
    column = QVBoxLayout(whole)
    column.setContentsMargins(0, 0, 0, 0)
    column.addWidget(row)
    column.addStretch(1)
    whole.show()
    return whole, row, parts


def places(page: Page, width: int) -> list[tuple[int, int, int]]:
    page[0].resize(width, 200)
    for _ in range(3):
        QApplication.processEvents()
    return [(part.x(), part.y(), part.width()) for part in page[2]]


def test_what_has_no_room_goes_to_the_next_line_and_a_label_takes_what_is_left(page: Page) -> None:
    assert places(page, 600) == [(0, 0, 80), (90, 0, 80), (180, 0, 330), (520, 0, 80)]
    assert page[1].height() == 20
    assert places(page, 400) == [(0, 0, 80), (90, 0, 80), (180, 0, 220), (0, 30, 80)]
    assert page[1].height() == 50
    assert places(page, 170) == [(0, 0, 80), (90, 0, 80), (0, 30, 170), (0, 60, 80)]
    assert page[1].height() == 80


def test_what_is_hidden_leaves_no_hole(page: Page) -> None:
    page[2][0].hide()
    assert places(page, 600)[1:] == [(0, 0, 80), (90, 0, 420), (520, 0, 80)]
    page[2][0].show()
    assert places(page, 600)[1] == (90, 0, 80)


def test_a_text_wraps_within_a_long_word_and_is_as_high_as_its_lines(qtbot: QtBot) -> None:
    text = WrappedText()
    qtbot.addWidget(text)
    text.setText("easy:" + ",".join(f"key{k}=value" for k in range(20)))
    text.resize(300, 10)
    text.show()
    lines = text.height() / text.fontMetrics().lineSpacing()
    assert lines > 4
    text.resize(1200, 10)
    assert text.height() / text.fontMetrics().lineSpacing() < lines / 2
    assert text.text().endswith("key19=value")
