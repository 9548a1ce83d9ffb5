import pytest
from PySide6.QtWidgets import QPushButton, QWidget
from pytestqt.qtbot import QtBot

from views.widgets.flow_layout import FlowLayout

Page = tuple[QWidget, FlowLayout, list[QPushButton]]


@pytest.fixture
def page(qtbot: QtBot) -> Page:
    """Five buttons of 80 x 20 pixels."""
    whole, flow = QWidget(), FlowLayout()
    qtbot.addWidget(whole)
    flow.setContentsMargins(0, 0, 0, 0)
    whole.setLayout(flow)
    buttons = [QPushButton(str(k), whole) for k in range(5)]
    for button in buttons:
        button.setFixedSize(80, 20)
        flow.addWidget(button)
    whole.show()
    return whole, flow, buttons


def corners(page: Page) -> list[tuple[int, int]]:
    return [(button.x(), button.y()) for button in page[2]]


def test_lines_are_as_long_as_there_is_room(page: Page) -> None:
    page[0].resize(500, 100)
    assert corners(page) == [(0, 0), (80, 0), (160, 0), (240, 0), (320, 0)]
    page[0].resize(170, 100)
    assert corners(page) == [(0, 0), (80, 0), (0, 20), (80, 20), (0, 40)]
    page[0].resize(80, 100)
    assert corners(page) == [(0, 0), (0, 20), (0, 40), (0, 60), (0, 80)]


@pytest.mark.parametrize(("width", "height"), [(500, 20), (170, 60), (80, 100)])
def test_its_height_follows_its_width(page: Page, width: int, height: int) -> None:
    assert page[1].hasHeightForWidth()
    assert page[1].heightForWidth(width) == height


def test_what_is_taken_out_leaves_no_hole(page: Page) -> None:
    page[0].resize(500, 100)
    page[1].removeWidget(page[2][1])
    assert page[1].count() == 4
    page[1].activate()
    assert corners(page)[2:] == [(80, 0), (160, 0), (240, 0)]
    assert page[1].itemAt(4) is None
    assert page[1].takeAt(4) is None
