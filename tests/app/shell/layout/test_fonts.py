"""Another font while the window is open: what hangs on the height of letters follows without a resize."""

from collections.abc import Iterator

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QFontMetrics
from PySide6.QtWidgets import QApplication, QTableView
from pytestqt.qtbot import QtBot

from app.shell.start_page import StartPage
from app.shell.window import MainWindow
from tests.app.windows import EASY, panel, seen, settle
from views.timechart.axis import axis_height, line_height
from views.timechart.axis_chart import AxisChart


@pytest.fixture
def large() -> Iterator[QFont]:
    """A font of 14 points; that of the program is put back."""
    app, before = QApplication.instance(), QApplication.font()
    assert isinstance(app, QApplication)
    font = QFont(before)
    font.setPointSize(14)
    yield font
    app.setFont(before)


def axes(window: MainWindow) -> list[AxisChart]:
    """The axes below the columns of charts."""
    return [axis for axis in window.page.runs.axes if axis.isVisible()]


def test_axes_below_the_charts_follow_a_font_where_nothing_else_moves(
    window: MainWindow, large: QFont
) -> None:
    runs, before = window.page.runs, [axis.height() for axis in axes(window)]
    size, bottom = runs.size(), axes(window)[0].geometry().bottom()
    for font in (large, QApplication.font()):
        runs.setFont(font)
        settle(window)
        assert runs.size() == size
        for axis in axes(window):
            assert axis.height() == round(axis_height(font)) + 1
            assert axis.geometry().bottom() == bottom
            assert runs.viewport().geometry().bottom() < axis.geometry().top()
    assert [axis.height() for axis in axes(window)] == before


def test_the_axis_of_an_aligned_run_follows_a_font(window: MainWindow, large: QFont) -> None:
    window.view.choose(offsets=((EASY, 86_400.0),))
    settle(window)
    chart = panel(window, EASY)
    before = chart.offset_axis.height(), chart.minimumHeight()
    heights = []
    for font in (large, QApplication.font()):
        QApplication.setFont(font)
        settle(window)
        heights.append(chart.offset_axis.height())
        assert heights[-1] == round(axis_height(font)) + 1
        assert chart.offset_axis.rect().contains(chart.offset_axis.frame().axis.toAlignedRect())
    assert heights[0] > heights[1]
    assert (chart.offset_axis.height(), chart.minimumHeight()) == before


def test_the_overview_follows_a_font(window: MainWindow, large: QFont) -> None:
    bar = window.page.overview
    before, height = seen(bar), bar.height()
    for font in (large, QApplication.font()):
        QApplication.setFont(font)
        settle(window)
        assert bar.frame().axis.height() >= line_height(font.toString())
        assert bar.rect().contains(bar.frame().axis.toAlignedRect())
        assert bar.frame().plot.left() == panel(window, EASY).gantt.frame().plot.left()
        if font is large:
            assert bar.height() > height
    assert np.array_equal(seen(bar), before)


def test_buttons_of_the_start_page_follow_a_font(qtbot: QtBot, large: QFont) -> None:
    page = StartPage()
    qtbot.addWidget(page)
    page.resize(900, 700)
    page.show()
    QApplication.processEvents()
    buttons = [page.example, page.open, page.studies, page.queue]
    before = [button.height() for button in buttons]
    QApplication.setFont(large)
    qtbot.waitUntil(lambda: page.example.height() > before[0])
    QApplication.processEvents()
    for button, height in zip(buttons, before, strict=True):
        assert button.height() > height
        assert button.height() >= button.heightForWidth(button.width())
    assert page.open.heightForWidth(300) > page.open.heightForWidth(600)


def widths(table: QTableView) -> list[int]:
    """The widths of the columns in sight, each with room for its heading."""
    header, model = table.horizontalHeader(), table.model()
    metrics, found = QFontMetrics(header.font()), []
    for column in range(header.count()):
        if not header.isSectionHidden(column):
            text = str(model.headerData(column, Qt.Orientation.Horizontal, Qt.ItemDataRole.DisplayRole))
            needed = max(metrics.horizontalAdvance(line) for line in text.split("\n"))
            found.append(header.sectionSize(column))
            assert found[-1] >= needed, text
    assert table.verticalHeader().isHidden() or table.rowHeight(0) >= metrics.height()
    return found


def test_columns_and_rows_of_tables_follow_a_font(window: MainWindow, large: QFont) -> None:
    for view in ("users", "jobs", "table", "runs", "difference"):
        window.show_view(view)
        settle(window)
        tables = [table for table in window.page.findChildren(QTableView) if table.isVisible()]
        assert tables, view
        usual, before = QApplication.font(), [widths(table) for table in tables]
        QApplication.setFont(large)
        settle(window)
        larger = [widths(table) for table in tables]
        assert all(sum(wide) > sum(narrow) for narrow, wide in zip(before, larger, strict=True)), view
        QApplication.setFont(usual)
        settle(window)
        for table in tables:
            widths(table)
