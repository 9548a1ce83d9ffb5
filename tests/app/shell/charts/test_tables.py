"""Tables in the window: rows, columns that are kept, and what a right click offers."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from app.model.settings import load_settings
from app.shell.window import MainWindow
from tests.app.windows import (
    EASY,
    FAIR_FCFS,
    box_of,
    click,
    large_jobs,
    panel,
    settle,
    show_tab,
    site_log,
    trace_of,
)
from views.tables.table import Table


@pytest.fixture
def window(restored_window: MainWindow) -> MainWindow:
    """The window of the file, for tests that change only what is shown."""
    return restored_window


def offered(window: MainWindow) -> dict[str, QAction]:
    """What a right click on the selected rows of users offers."""
    view = window.page.views["users"].view
    view.customContextMenuRequested.emit(QPoint(20, 10))
    (menu,) = (menu for menu in window.findChildren(QMenu) if menu.isVisible())
    menu.hide()
    return {action.text().replace("&", ""): action for action in menu.actions()}


def test_the_tables_of_the_window(qtbot: QtBot, window: MainWindow) -> None:
    trace = trace_of(window)
    for name, rows in (("Users", len(trace.user.names)), ("Queues", 2), ("Jobs", 300)):
        show_tab(qtbot, window, name)
        assert window.page.views[name.lower()].model.rowCount() == rows
    job = large_jobs(window, EASY)[0]
    click(qtbot, panel(window, EASY).gantt, box_of(window, EASY, job).center())
    jobs = window.page.views["jobs"]
    (row,) = (index.row() for index in jobs.view.selectionModel().selectedRows())
    assert jobs.model.rows[row] == job
    assert jobs.view.viewport().rect().intersects(jobs.view.visualRect(jobs.model.index(row, 0)))


def test_enter_in_the_search_picks_what_is_found(qtbot: QtBot, window: MainWindow) -> None:
    show_tab(qtbot, window, "Jobs")
    jobs, trace = window.page.views["jobs"], trace_of(window)
    qtbot.keyClicks(jobs.search, "217")
    qtbot.keyClick(jobs.search, Qt.Key.Key_Return)  # before the rows have been searched
    settle(window)
    assert [int(trace.job_id[job]) for job in window.selection.value.jobs] == [217]
    jobs.search.setFocus()
    jobs.search.selectAll()
    qtbot.keyClicks(jobs.search, "218")
    settle(window)
    qtbot.keyClick(jobs.search, Qt.Key.Key_Return)
    assert [int(trace.job_id[job]) for job in window.selection.value.jobs] == [218]
    assert jobs.view.hasFocus()


def test_tab_leaves_a_table_and_selects_nothing_on_its_way(qtbot: QtBot, window: MainWindow) -> None:
    show_tab(qtbot, window, "Users")
    view = window.page.views["users"].view
    click(qtbot, view.viewport(), view.visualRect(view.model().index(1, 0)).center())
    picked = window.selection.value
    qtbot.keyClick(view, Qt.Key.Key_Tab)
    assert not view.hasFocus()
    assert window.selection.value == picked


def test_a_row_of_the_table_of_runs_is_the_run_that_is_explored(
    qtbot: QtBot, fresh_window: MainWindow
) -> None:
    window = fresh_window
    show_tab(qtbot, window, "Runs")
    runs = window.page.views["runs"]
    (row,) = runs.view.selectionModel().selectedRows()
    assert row.row() == 3
    click(qtbot, runs.view.viewport(), runs.view.visualRect(runs.model.index(1, 0)).center())
    assert window.explore.run_id == FAIR_FCFS
    window.explore.choose(EASY)
    assert [index.row() for index in runs.view.selectionModel().selectedRows()] == [2]
    state = [runs.model.index(row, 1).data() for row in range(4)]
    assert state == ["done"] * 4
    window.workbench.remove_run(EASY)
    settle(window)
    assert runs.model.rowCount() == 3


def test_another_trace_is_not_searched_for_what_was_typed_before(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    for name in ("Jobs", "Runs"):
        table = show_tab(qtbot, window, name)
        assert isinstance(table, Table)
        qtbot.keyClicks(table.search, "12")
        settle(window)
    jobs = window.page.views["jobs"]
    show_tab(qtbot, window, "Jobs")
    assert jobs.model.rowCount() < 50
    jobs.search.clear()
    settle(window)
    jobs.view.verticalScrollBar().setValue(200)
    qtbot.keyClicks(window.page.views["runs"].search, "x")
    window.open_path(site_log(tmp_path, "other.swf", jobs=250))
    settle(window)
    assert jobs.model.rowCount() == 250
    assert jobs.view.verticalScrollBar().value() == 0
    assert {window.page.views[name].search.text() for name in ("runs", "users", "queues", "jobs")} == {""}


def test_hidden_columns_are_remembered(
    qtbot: QtBot, make_window: Callable[..., MainWindow], fresh_window: MainWindow, site: Path
) -> None:
    window = fresh_window
    show_tab(qtbot, window, "Users")
    heads = window.page.views["users"].view.horizontalHeader()
    heads.customContextMenuRequested.emit(QPoint(5, 5))
    (menu,) = (m for m in window.page.views["users"].findChildren(QMenu) if m.isVisible())
    next(action for action in menu.actions() if action.text() == "Weighted tardiness").trigger()
    menu.close()
    window.close()
    at_first = {"backfilled", "bounded_slowdown_mean", "fair_slowdown_mean", "nuwt", "revenue", "value_lost"}
    (hidden,) = load_settings().view.hidden_columns.values()
    used = {"cpu_used", "ram_efficiency", "gpu_efficiency", "walltime_used", "energy"}
    powered = {"run_energy", "energy_cost", "carbon"}
    hidden_now = {*at_first, *used, *powered, "prediction_error_mean", "preempted", "wt"}
    assert set(hidden) == hidden_now | {f"{name} change" for name in (*hidden_now, "veet", "cpu_efficiency")}
    window = make_window(load_settings())
    window.open_path(site)
    settle(window)
    show_tab(qtbot, window, "Users")
    assert not any("Weighted tardiness" in title for title in window.page.views["users"].lines()[0])


def test_a_right_click_filters_and_marks_administrators(qtbot: QtBot, window: MainWindow) -> None:
    show_tab(qtbot, window, "Users")
    users = window.page.views["users"]
    click(qtbot, users.view.viewport(), users.view.visualRect(users.model.index(1, 0)).center())
    name = users.model.headerData(1, Qt.Orientation.Vertical)
    mark = offered(window)["Is an administrator"]
    assert not mark.isChecked()
    mark.trigger()
    assert window.settings.administrators == {trace_of(window).name: [name]}
    assert offered(window)["Is an administrator"].isChecked()
    offered(window)["Filter by the selection"].trigger()
    assert str(window.filter.value.expression) == f"user = {name}"
    offered(window)["Is an administrator"].trigger()
    assert window.settings.administrators == {trace_of(window).name: []}
    window.selection.clear()
    assert "Is an administrator" not in offered(window)
