"""Copies of the inspector: what other programs get of its tables and sentences."""

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QTextCursor, QWheelEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from views.inspector.html import Html, facts, paragraph, section, table, text, unbroken
from views.inspector.panel import PageBrowser


@pytest.fixture
def browser(qtbot: QtBot) -> PageBrowser:
    browser = PageBrowser()
    qtbot.addWidget(browser)
    rows = [(text("easy"), unbroken("2 h 5 min")), (text(""), text("35"))]
    page = section(text("Under each run")) + table(("Run", "Mean wait"), rows)
    page += facts([("Jobs", text("12"))]) + paragraph(text("Times: UTC"))
    browser.setHtml(f"<body>{Html(page)}</body>")
    return browser


def copied(browser: PageBrowser) -> list[str]:
    return browser.createMimeDataFromSelection().text().split("\n")


def test_a_row_of_a_table_is_a_line(browser: PageBrowser) -> None:
    browser.selectAll()
    lines = [line for line in copied(browser) if line]
    assert lines == [
        "Under each run",
        "Run\tMean wait",
        "easy\t2 h 5 min",
        "\t35",
        "Jobs\t12",
        "Times: UTC",
    ]


def test_a_part_of_a_cell_is_copied_alone(browser: PageBrowser) -> None:
    cursor = browser.document().find("5 min")
    if cursor.isNull():
        cursor = browser.document().find("5\u00a0min")
    browser.setTextCursor(cursor)
    assert copied(browser) == ["5 min"]
    browser.setTextCursor(QTextCursor(browser.document()))
    assert copied(browser) == [""]


def test_the_wheel_does_not_change_the_size_of_the_text(browser: PageBrowser) -> None:
    before = browser.font()
    control, none = Qt.KeyboardModifier.ControlModifier, Qt.MouseButton.NoButton
    at, step, phase = QPointF(5, 5), QPoint(0, -120), Qt.ScrollPhase.NoScrollPhase
    QApplication.sendEvent(
        browser.viewport(), QWheelEvent(at, at, QPoint(), step, none, control, phase, False)
    )
    assert browser.font() == before
