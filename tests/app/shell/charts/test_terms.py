"""Words that are explained where they stand: formula and source open by a click or a key."""

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from app.shell.window import MainWindow
from tests.app.shell.hands import CONTROL, Hands
from tests.app.shell.test_sync import links
from tests.app.windows import FCFS, LEFT, click, large_jobs, panel, settle, show_tab, trace_of
from views.tables.metrics_table import MetricsTable
from views.widgets.explanation import ExplainedLabel, TermNote


def text_of(qtbot: QtBot) -> str:
    """What the note says that is open; it is closed by Esc."""
    note = QApplication.activePopupWidget()
    assert isinstance(note, TermNote)
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
    words = text_of(qtbot)
    assert "P²SF (psf2)" in words
    assert "sum r (F^4 - Q^4)" in words
    assert "Goponenko et al. 2022" in words
    table.view.setCurrentIndex(table.model.index(row, 0))
    qtbot.keyClick(table, Qt.Key.Key_Return)
    assert text_of(qtbot) == words
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
    assert table.folds.text() == f"{len(empty)} metrics not available for this log"
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
    words = text_of(qtbot)
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
        assert key in text_of(qtbot)


def test_the_legend_of_the_heatmaps_says_what_an_expected_end_is(
    qtbot: QtBot, same_window: MainWindow
) -> None:
    line = same_window.page.runs.line
    click(qtbot, line, QPointF(line.width() - 60, line.height() / 2))
    assert "by T = max(0, c - EET)" in text_of(qtbot)
    click(qtbot, line, QPointF(line.width() / 3, line.height() / 2))
    assert QApplication.activePopupWidget() is None
    same_window.view.choose(solo=(FCFS, "heatmap"))
    settle(same_window)
    heatmap = panel(same_window, FCFS).heatmap
    spot = QPointF(heatmap.width() - 60, heatmap.frame().title.center().y())
    if heatmap.frame().title.height() > 10:
        click(qtbot, heatmap, spot)
        assert "by T = max(0, c - EET)" in text_of(qtbot)
    same_window.view.choose(solo=None)
    settle(same_window)


def test_titles_of_plots_are_explained(qtbot: QtBot, same_window: MainWindow) -> None:
    panel_ = show_tab(qtbot, same_window, "Distributions")
    charts = panel_.charts
    tardiness = next(chart for chart in charts if chart.plot.words.title == "Weighted tardiness")
    click(qtbot, tardiness, QPointF(30, 10))
    assert "WT_u = sum of r T over the jobs of u" in text_of(qtbot)
    hours = show_tab(qtbot, same_window, "Hours")
    click(qtbot, hours.charts[0], QPointF(30, 10))
    assert "Q = b - s" in text_of(qtbot)
    scores = show_tab(qtbot, same_window, "Scores")
    click(qtbot, scores.bars, QPointF(30, 10))
    assert "WAIT+" in text_of(qtbot)


def test_columns_are_explained_by_a_key_and_by_a_right_click(qtbot: QtBot, same_window: MainWindow) -> None:
    users = show_tab(qtbot, same_window, "Users")
    heads = users.heads
    titles = [users.model.headerData(k, Qt.Orientation.Horizontal) for k in range(heads.count())]
    column = next(k for k, title in enumerate(titles) if title.startswith("Weighted tardiness"))
    assert heads.term_of(column) == "wt"
    assert heads.term_of(titles.index("Jobs")) is None
    users.view.setCurrentIndex(users.model.index(0, column))
    qtbot.keyClick(users, Qt.Key.Key_F1, Qt.KeyboardModifier.ShiftModifier)
    assert "Toth & Klusacek 2014, formula 3" in text_of(qtbot).replace("&amp;", "&")
    heads.customContextMenuRequested.emit(QPoint(heads.sectionViewportPosition(column) + 5, 5))
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    assert menu.actions()[0].text() == "Explain “Weighted tardiness”"
    menu.setActiveAction(menu.actions()[0])
    qtbot.keyClick(menu, Qt.Key.Key_Return)
    assert "WT_u = sum of r T" in text_of(qtbot)
    order = users.model.rows.tolist()
    assert users.model.rows.tolist() == order  # explaining sorts nothing
    tip = users.model.headerData(column, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole)
    assert "WT_u = sum of r T" in tip


def test_a_word_is_looked_up_by_typing(
    qtbot: QtBot, same_window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    hands = Hands(qtbot, same_window, monkeypatch)
    for typed, means in (
        ("psf2", "sum r (F^4 - Q^4)"),
        ("queue depth", "QD(t)"),
        ("eet", "by T = max(0, c - EET)"),
    ):
        hands.key(Qt.Key.Key_Question, CONTROL)
        hands.words(typed)
        assert means in text_of(qtbot)
        same_window.activateWindow()
        qtbot.waitUntil(same_window.isActiveWindow)
