"""What the reader selects in a table: all of it, in tables of any length, and also what is searched away."""

from typing import TypeVar

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication, QPalette

from engine.filter import parse_filter
from engine.trace import Trace
from tests.traces import make_trace
from tests.views.context import NO_KEY, ViewContext
from tests.views.results import make_result
from views.data.results import Result
from views.state.filter import Filter
from views.state.selection import Selection
from views.tables.groups_table import GroupsTable
from views.tables.jobs_table import JobsTable
from views.tables.table import Table
from views.theme.theme import LIGHT

JOBS = 15_000
T = TypeVar("T", GroupsTable, JobsTable)
GROUPS = QPalette.ColorGroup.Active, QPalette.ColorGroup.Inactive
CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


def many_jobs() -> Trace:
    """Of users u0 to u299 by turns, each a second longer than the one before."""
    users = [f"u{k % 300}" for k in range(JOBS)]
    return make_trace(np.arange(JOBS) * 10, np.arange(JOBS) + 60, 1, user=users)


TRACE = many_jobs()


def result_of(trace: Trace, wait: int) -> Result:
    return make_result(trace, trace.submit + wait, 1, "easy")


RESULTS = [result_of(TRACE, 60), result_of(TRACE, 120)]


@pytest.fixture
def jobs(context: ViewContext) -> JobsTable:
    return shown(context, JobsTable(context, LIGHT))


@pytest.fixture
def users(context: ViewContext) -> GroupsTable:
    return shown(context, GroupsTable("user", context, LIGHT))


def shown(context: ViewContext, table: T) -> T:
    context.qtbot.addWidget(table)
    table.resize(700, 400)
    table.show()
    table.set_results(TRACE, RESULTS[:1])
    context.settle(table)
    return table


def click(context: ViewContext, table: Table, row: int, keys: Qt.KeyboardModifier = NO_KEY) -> None:
    """Click on a row, which is scrolled to."""
    table.view.scrollTo(table.model.index(row, 0))
    spot = table.view.visualRect(table.model.index(row, 0)).center()
    context.qtbot.mouseClick(table.view.viewport(), Qt.MouseButton.LeftButton, keys, spot)


def lit(table: Table, row: int) -> bool:
    """Whether a row in view is painted as selected."""
    cell = table.view.visualRect(table.model.index(row, 2))
    assert table.view.viewport().rect().intersects(cell)
    colours = [table.palette().color(group, QPalette.ColorRole.Highlight) for group in GROUPS]
    return table.view.viewport().grab(cell).toImage().pixelColor(2, 2) in colours


def find(context: ViewContext, table: Table, text: str) -> None:
    table.search.clear()
    context.qtbot.keyClicks(table.search, text)
    context.settle(table)


def sort(context: ViewContext, table: Table, column: int) -> None:
    heads = table.view.horizontalHeader()
    position = QPoint(heads.sectionViewportPosition(column) + 20, 8)
    context.qtbot.mouseClick(heads.viewport(), Qt.MouseButton.LeftButton, pos=position)
    context.settle(table)


def test_all_jobs_are_selected_however_many(context: ViewContext, jobs: JobsTable) -> None:
    jobs.view.setFocus()
    context.qtbot.keyClick(jobs.view, Qt.Key.Key_A, CTRL)
    assert context.selection.value.jobs == set(range(JOBS))
    click(context, jobs, 14_321, CTRL)
    assert context.selection.value.jobs == set(range(JOBS)) - {14_321}
    context.settle(jobs)
    assert not lit(jobs, 14_321)
    assert lit(jobs, 14_320)


def test_a_large_selection_from_elsewhere_changes_by_one_row(context: ViewContext, jobs: JobsTable) -> None:
    picked = frozenset(range(1, JOBS, 2))
    context.selection.select_jobs(TRACE, picked)
    click(context, jobs, 9_000, CTRL)
    assert context.selection.value.jobs == picked | {9_000}
    click(context, jobs, 14_001, CTRL)
    assert context.selection.value.jobs == picked - {14_001} | {9_000}
    for row in (13_995, 13_997, 13_999):
        assert lit(jobs, row)
        assert not lit(jobs, row + 1)
    jobs.view.setFocus()
    context.qtbot.keyClick(jobs.view, Qt.Key.Key_C, CTRL)
    assert len(QGuiApplication.clipboard().text().split("\n")) == 1 + JOBS // 2


def test_ctrl_and_shift_leave_selected_what_is_searched_away(
    context: ViewContext, users: GroupsTable
) -> None:
    def names() -> set[str]:
        return {TRACE.user.names[code] for code in context.selection.value.users}

    context.selection.select_users(TRACE.user.names.index(name) for name in ("u5", "u17"))
    find(context, users, "29")
    assert users.model.rowCount() == 13  # u29, u129, u229, and u290 to u299
    click(context, users, 0, CTRL)
    assert names() == {"u5", "u17", "u29"}
    click(context, users, 2, SHIFT)
    assert names() == {"u5", "u17", "u29", "u129", "u229"}
    click(context, users, 1, CTRL)
    assert names() == {"u5", "u17", "u29", "u229"}
    context.filter.set(Filter(parse_filter("user in (u5, u6, u7)"), hides=True))
    find(context, users, "u")
    click(context, users, 1, CTRL)
    assert names() == {"u5", "u6", "u17", "u29", "u229"}
    click(context, users, 2)
    assert names() == {"u7"}


def test_a_click_selects_the_row_alone_even_where_it_is_the_only_one_in_view(
    context: ViewContext, users: GroupsTable
) -> None:
    context.selection.select_users(TRACE.user.names.index(name) for name in ("u5", "u17"))
    find(context, users, "u17")
    click(context, users, 0)
    assert context.selection.value == Selection(users=frozenset({TRACE.user.names.index("u17")}))


def test_one_reads_on_at_the_same_place(context: ViewContext, jobs: JobsTable) -> None:
    scroll = jobs.view.verticalScrollBar()
    context.selection.select_job(TRACE, 3)
    assert lit(jobs, 3)
    scroll.setValue(7_000)
    jobs.set_results(TRACE, RESULTS[1:])
    context.settle(jobs)
    assert scroll.value() == 7_000
    context.filter.set(Filter(parse_filter("user != u4")))
    context.settle(jobs)
    assert scroll.value() == 7_000
    context.filter.set(Filter(parse_filter("runtime > 30"), hides=True))
    context.settle(jobs)
    assert scroll.value() == 7_000
    sort(context, jobs, 3)
    assert scroll.value() == 0
    scroll.setValue(6_000)
    click(context, jobs, 6_002)  # selected here: nothing moves
    assert scroll.value() == 6_000
    context.selection.select_job(TRACE, 12)  # elsewhere
    assert lit(jobs, int(np.flatnonzero(jobs.model.rows == 12)[0]))


def test_what_was_selected_while_nobody_looked_is_brought_into_view(
    context: ViewContext, jobs: JobsTable
) -> None:
    jobs.hide()
    jobs.set_results(TRACE, RESULTS[1:])
    context.selection.select_job(TRACE, 11_111)
    jobs.show()
    context.settle(jobs)
    assert lit(jobs, 11_111)
