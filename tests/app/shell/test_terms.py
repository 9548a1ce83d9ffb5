"""Words that are explained where they stand: formula and source open by a click or a key."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.shell.window import MainWindow
from tests.app.shell.test_sync import links
from tests.app.windows import FCFS, LEFT, click, large_jobs, settle, show_tab, trace_of
from views.tables.metrics_table import MetricsTable
from views.widgets.explanation import ExplainedLabel, Explanation


def told(qtbot: QtBot) -> str:
    """What the note says that is open; it is closed by Esc."""
    note = QApplication.activePopupWidget()
    assert isinstance(note, Explanation)
    words = note.words.text()
    qtbot.keyClick(note, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: QApplication.activePopupWidget() is None)
    return words


def row_of(table: MetricsTable, name: str) -> int:
    rows = range(table.model.rowCount())
    return next(row for row in rows if getattr(table.model.metric(row), "name", "") == name)


def test_a_metric_is_explained_by_a_click_on_its_name_and_by_enter(
    qtbot: QtBot, same_window: MainWindow
) -> None:
    table = show_tab(qtbot, same_window, "Metrics")
    assert isinstance(table, MetricsTable)
    row = row_of(table, "psf2")
    table.view.scrollTo(table.model.index(row, 0))
    settle(same_window)
    header = table.labels.viewport()
    y = table.labels.sectionViewportPosition(row) + 8
    qtbot.mouseClick(header, LEFT, pos=QPoint(20, y))
    words = told(qtbot)
    assert "P²SF (psf2)" in words
    assert "sum r (F^4 - Q^4)" in words
    assert "Goponenko et al. 2022" in words
    table.view.setCurrentIndex(table.model.index(row, 0))
    qtbot.keyClick(table, Qt.Key.Key_Return)
    assert told(qtbot) == words
    title = row - 1 if table.model.metric(row - 1) is None else 0
    assert table.model.metric(title) is None
    table.labels.explain(title)
    assert QApplication.activePopupWidget() is None


def test_metrics_begin_with_waits_and_empty_rows_fold(qtbot: QtBot, same_window: MainWindow) -> None:
    table = show_tab(qtbot, same_window, "Metrics")
    assert isinstance(table, MetricsTable)
    model, view = table.model, table.view
    assert model.headerData(0, Qt.Orientation.Vertical) == "Wait"
    empty = [row for row in range(model.rowCount()) if model.is_empty(row)]
    assert empty
    assert all(view.isRowHidden(row) for row in empty)
    full = [row for row in range(model.rowCount()) if model.metric(row) and row not in empty]
    assert not any(view.isRowHidden(row) for row in full)
    assert table.folds.text() == f"{len(empty)} rows without a value"
    click(qtbot, table.folds)
    assert not any(view.isRowHidden(row) for row in empty)
    click(qtbot, table.folds)
    assert all(view.isRowHidden(row) for row in empty)


def test_words_of_the_inspector_are_explained(qtbot: QtBot, same_window: MainWindow) -> None:
    same_window.selection.select_job(trace_of(same_window), large_jobs(same_window, FCFS)[0])
    settle(same_window)
    browser = same_window.inspector.browser
    before = browser.toPlainText()
    position, link = next(links(browser, "term:tardiness"))
    click(qtbot, browser.viewport(), QPointF(position))
    words = told(qtbot)
    assert link == "term:tardiness"
    assert "T = max(0, c - EET)" in words
    assert "Toth" in words
    assert browser.toPlainText() == before  # the page stays
    assert "CPU h" not in browser.toPlainText()
    same_window.selection.select_user(0)
    settle(same_window)
    assert " CPU h, " in browser.toPlainText().replace("\u00a0", " ")


def test_the_gain_and_the_queue_depth_are_explained(qtbot: QtBot, same_window: MainWindow) -> None:
    for tab, key in (("Scores", "UNFAIR+"), ("Timeline", "QD(t) = sum of (t - s)")):
        page = show_tab(qtbot, same_window, tab)
        (label,) = page.findChildren(ExplainedLabel)
        click(qtbot, label)
        assert key in told(qtbot)
