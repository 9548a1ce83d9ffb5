"""Right clicks on runs, on rows of metrics, and on rows of a difference."""

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent, QGuiApplication
from PySide6.QtWidgets import QApplication, QMenu, QWidget
from pytestqt.qtbot import QtBot

from app.shell.window import MainWindow
from tests.app.shell.test_context import choose
from tests.app.windows import EASY, FCFS, settle, show_tab
from views.data.marks import TimeMark
from views.difference.changes import ChangesTable
from views.tables.marks_table import MarksTable
from views.tables.metrics_table import MetricsTable
from views.tables.runs_table import RunsTable
from views.tables.table import Table
from views.widgets.explanation import TermNote

COPYING = ["Copy numbers\tCtrl+C", "Copy as shown\tCtrl+Shift+C"]


def right_click(qtbot: QtBot, widget: QWidget, position: QPoint) -> QMenu:
    """The menu that a right click there opens."""
    reason = QContextMenuEvent.Reason.Mouse
    QApplication.sendEvent(widget, QContextMenuEvent(reason, position, widget.mapToGlobal(position)))
    qtbot.waitUntil(lambda: isinstance(QApplication.activePopupWidget(), QMenu))
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    return menu


def texts(menu: QMenu) -> list[str]:
    return [action.text().replace("&", "") for action in menu.actions() if action.text()]


def test_a_run_is_compared_explored_copied_and_removed(qtbot: QtBot, window: MainWindow) -> None:
    row = window.run_list.rows[EASY]
    menu = right_click(qtbot, row.name, QPoint(4, 4))
    assert texts(menu)[:5] == ["Explore with sliders", "Edit…", "Duplicate", "What if…", "Rename…"]
    assert texts(menu)[5:7] == ["Run again", "Compare with"]
    choose(qtbot, menu, "Compare with", "fcfs")
    settle(window)
    assert window.page.views["difference"].run_ids == (FCFS, EASY)
    window.show_view("all")
    table = show_tab(qtbot, window, "Runs")
    assert isinstance(table, RunsTable)
    spot = QPoint(10, table.view.rowViewportPosition(2) + 4)
    choose(qtbot, right_click(qtbot, table.view.viewport(), spot), "Use as baseline")
    assert window.view.options.baseline == EASY
    choose(qtbot, right_click(qtbot, table.view.viewport(), spot), "Copy policy")
    assert QGuiApplication.clipboard().text() == "easy"
    assert texts(right_click(qtbot, table.view.viewport(), spot))[-2:] == COPYING
    choose(qtbot, right_click(qtbot, row.name, QPoint(4, 4)), "Explore with sliders")
    assert window.explore.run_id == EASY
    choose(qtbot, right_click(qtbot, row.name, QPoint(4, 4)), "Remove")
    settle(window)
    assert EASY not in window.run_list.rows


def test_a_metric_is_explained_and_copied(qtbot: QtBot, same_window: MainWindow) -> None:
    table = show_tab(qtbot, same_window, "Metrics")
    assert isinstance(table, MetricsTable)
    cell = table.view.visualRect(table.model.index(1, 1)).center()
    choose(qtbot, right_click(qtbot, table.view.viewport(), cell), "Explain Mean wait")
    note = QApplication.activePopupWidget()
    assert isinstance(note, TermNote)
    qtbot.keyClick(note, Qt.Key.Key_Escape)
    choose(qtbot, right_click(qtbot, table.view.viewport(), cell), "Copy this row")
    line = QGuiApplication.clipboard().text().split("\n")[1].split("\t")
    assert line[:2] == ["wait_mean", "s"]
    assert float(line[2]) >= 0  # as a spreadsheet reads it
    choose(qtbot, right_click(qtbot, table.view.viewport(), cell), "Copy this row as shown")
    heading, line = QGuiApplication.clipboard().text().split("\n")
    assert heading.split("\t")[:2] == ["Metric", "fcfs"]
    assert "easy (baseline)" in heading
    assert line.startswith("Mean wait")
    choose(qtbot, right_click(qtbot, table.view.viewport(), cell), "Compare the others with fairshare-fcfs")
    assert table.baseline == 2
    label = QPoint(10, table.labels.sectionViewportPosition(2) + 4)
    assert texts(right_click(qtbot, table.labels.viewport(), label)) == [
        "Explain Median wait",
        "Copy this row",
        "Copy this row as shown",
    ]
    QApplication.activePopupWidget().close()
    table.compare_with(0)


def test_a_row_is_copied_from_its_menu_as_from_the_heading(qtbot: QtBot, same_window: MainWindow) -> None:
    window = same_window
    window.view.choose(tabs_open=True)
    table = show_tab(qtbot, window, "Users")
    assert isinstance(table, Table)
    qtbot.mouseClick(table.view.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(20, 4))
    settle(window)
    entries = COPYING
    for widget, opens in ((table.heads.viewport(), table.heads), (table.view.viewport(), table.view)):
        menu = right_click(qtbot, widget, QPoint(20, 4))
        assert texts(menu)[-2:] == entries, opens
        next(action for action in menu.actions() if action.text().replace("&", "") == entries[0]).trigger()
        menu.close()
        head, line = (text.split("\t") for text in QGuiApplication.clipboard().text().split("\n"))
        assert len(head) == len(line)
        assert [float(cell) for cell in line[1:3]] == [float(table.lines([0])[1][k]) for k in (1, 2)]
    window.selection.clear()


def test_a_user_or_a_group_of_jobs_is_picked_in_a_difference(qtbot: QtBot, same_window: MainWindow) -> None:
    window = same_window
    window.show_view("difference")
    settle(window)
    table = window.page.views["difference"].groups
    assert isinstance(table, ChangesTable)
    spot = QPoint(10, table.rowViewportPosition(1) + 4)
    user = table.group_at(spot)
    assert user is not None
    name = window.workbench.study.trace.user.names[user]
    menu = right_click(qtbot, table.viewport(), spot)
    choose(qtbot, menu, f"User {name}", "Select")
    assert window.selection.value.users == {user}
    window.view.choose(changes_by="hour")
    settle(window)
    spot = QPoint(10, table.rowViewportPosition(0) + 4)
    choose(qtbot, right_click(qtbot, table.viewport(), spot), "Select its jobs")
    assert window.selection.value.jobs
    window.view.choose(changes_by="user")
    window.show_view("all")
    settle(window)


def test_rows_of_accounts_and_marks_have_the_copy_menu(qtbot: QtBot, same_window: MainWindow) -> None:
    window = same_window
    window.show_view("difference")
    window.view.choose(
        marks=(TimeMark("first", "a note", 50_000.0, 50_000.0), TimeMark("second", "", 6e4, 7e4))
    )
    settle(window)
    changes = window.page.views["difference"].groups
    choose(qtbot, right_click(qtbot, changes.viewport(), QPoint(10, 4)), "Copy rows\tCtrl+C")
    lines = [line.split("\t") for line in QGuiApplication.clipboard().text().split("\n")]
    assert len(lines) == 1 + changes.model().rowCount()
    assert float(lines[1][1].replace(",", "")) >= 0
    window.show_view("all")
    accounts = show_tab(qtbot, window, "Accounts")
    assert isinstance(accounts, Table)
    menu = right_click(qtbot, accounts.view.viewport(), QPoint(10, 4))
    assert texts(menu)[-2:] == COPYING
    menu.close()
    marks = show_tab(qtbot, window, "Marks")
    assert isinstance(marks, MarksTable)
    spot = QPoint(10, marks.rows.rowViewportPosition(0) + 4)
    choose(qtbot, right_click(qtbot, marks.rows.viewport(), spot), "Copy rows\tCtrl+C")
    heads, first, _ = (line.split("\t") for line in QGuiApplication.clipboard().text().split("\n"))
    assert (heads[0], first[0], first[3]) == ("Mark", "first", "a note")
    choose(qtbot, right_click(qtbot, marks.rows.viewport(), spot), "Remove")
    assert [mark.name for mark in window.view.options.marks] == ["second"]
    window.view.choose(marks=())


def test_a_run_is_duplicated_under_a_name_of_its_own(qtbot: QtBot, window: MainWindow) -> None:
    name = window.run_list.rows[EASY].name
    choose(qtbot, right_click(qtbot, name, QPoint(4, 4)), "Duplicate")
    settle(window)
    study = window.workbench.study
    first, last = study.run(EASY), study.runs[-1]
    assert first is not None
    assert (last.policy, last.cluster) == (first.policy, first.cluster)
    assert [study.name(first), study.name(last)] == ["easy", "easy (2)"]
    window.workbench.remove_run(EASY)
    settle(window)
    assert window.run_list.rows[last.id].name.text() == "easy"
