import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from views.widgets.elided_label import ElidedLabel

WORDS = "jobs that wait longer than two hours"


@pytest.fixture
def label(qtbot: QtBot) -> ElidedLabel:
    label = ElidedLabel(WORDS)
    qtbot.addWidget(label)
    return label


def seen(label: ElidedLabel) -> str:
    return QLabel.text(label)


def test_words_are_cut_where_they_find_no_room_and_come_back(label: ElidedLabel) -> None:
    label.resize(500, 20)
    label.show()
    assert seen(label) == label.text() == WORDS
    label.resize(100, 20)
    assert seen(label).startswith("jobs")
    assert seen(label).endswith("…")
    assert label.text() == WORDS
    label.resize(500, 20)
    assert seen(label) == WORDS


def test_other_words_are_cut_too(label: ElidedLabel) -> None:
    label.resize(100, 20)
    label.show()
    label.setText("users whose jobs wait longer than two hours")
    assert seen(label).startswith("users")
    assert seen(label).endswith("…")
    label.setText("none")
    assert seen(label) == "none"


def test_it_gives_way_to_what_stands_beside_it(label: ElidedLabel) -> None:
    assert 0 < label.minimumSizeHint().width() < 20
