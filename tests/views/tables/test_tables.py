"""Tables: order, search, columns, selection, copying; and a million rows."""

from typing import TypeVar

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor, QGuiApplication
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from engine.filter import parse_filter
from engine.trace import Trace
from tests.traces import make_trace
from tests.views.context import ViewContext
from tests.views.results import make_result
from views.state.filter import Filter, FilterModel
from views.state.selection import Selection
from views.tables.bars import BarCells
from views.tables.groups_table import GroupsTable
from views.tables.header import run_header
from views.tables.jobs_table import JobsTable
from views.tables.model import BAR_ROLE
from views.tables.table import Table
from views.text.values import duration
from views.theme.theme import LIGHT

USERS = 200
T = TypeVar("T", GroupsTable, JobsTable)


def some_trace() -> Trace:
    """User u0 has the least area, u199 the most; in the order of the log u7 comes first."""
    order = np.roll(np.arange(USERS), -7)
    return make_trace(
        submit=np.arange(USERS) * 10, runtime=100 + order, procs=10, user=[f"u{code}" for code in order]
    )


TRACE = some_trace()
NUMBER = np.array([int(name[1:]) for name in TRACE.user.names])
RESULTS = [  # the wait of a user is the number in the name, and under the second run the other way round
    make_result(TRACE, TRACE.submit + NUMBER, 1, "easy", grace=100),
    make_result(TRACE, TRACE.submit + USERS - NUMBER, 2, "fcfs", grace=100),
]


@pytest.fixture
def filter(context: ViewContext) -> FilterModel:
    return context.filter


@pytest.fixture
def users(context: ViewContext, filter: FilterModel) -> GroupsTable:
    table = GroupsTable("user", context, LIGHT)
    return shown(context, table)


@pytest.fixture
def jobs(context: ViewContext, filter: FilterModel) -> JobsTable:
    table = JobsTable(context, LIGHT)
    return shown(context, table)


def shown(context: ViewContext, table: T) -> T:
    context.qtbot.addWidget(table)
    table.resize(900, 400)
    table.show()
    table.set_results(TRACE, RESULTS)
    context.settle(table)
    return table


def names(table: Table, count: int = 3) -> list[str]:
    rows = range(min(count, table.model.rowCount()))
    return [table.model.headerData(row, Qt.Orientation.Vertical) for row in rows]


def column_of(table: Table, title: str) -> int:
    heads = [table.model.headerData(c, Qt.Orientation.Horizontal) for c in range(table.model.columnCount())]
    return heads.index(title)


def click_heading(context: ViewContext, table: Table, title: str) -> None:
    column, header = column_of(table, title), table.view.horizontalHeader()
    table.view.scrollTo(table.model.index(0, column))
    middle = QPoint(header.sectionViewportPosition(column) + header.sectionSize(column) // 2, 8)
    context.qtbot.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=middle)
    context.settle(table)


def click_row(
    qtbot: QtBot, table: Table, row: int, key: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier
) -> None:
    spot = table.view.visualRect(table.model.index(row, 0)).center()
    qtbot.mouseClick(table.view.viewport(), Qt.MouseButton.LeftButton, key, spot)


def type_text(context: ViewContext, table: Table, text: str) -> None:
    context.qtbot.keyClicks(table.search, text)
    context.settle(table)


def code_of(user: str) -> int:
    return TRACE.user.names.index(user)


def selected(table: Table) -> list[str]:
    rows = sorted(index.row() for index in table.view.selectionModel().selectedRows())
    return [table.model.headerData(row, Qt.Orientation.Vertical) for row in rows]


def test_headings_sort_and_the_third_click_undoes_it(context: ViewContext, users: GroupsTable) -> None:
    assert names(users) == ["u0", "u1", "u2"]
    assert users.count.text() == "200 users"
    click_heading(context, users, "Mean wait, d h min s\nfcfs")
    first = names(users, 1)
    click_heading(context, users, "Mean wait, d h min s\nfcfs")
    assert {*first, *names(users, 1)} == {"u0", "u199"}
    click_heading(context, users, "Mean wait, d h min s\nfcfs")
    assert names(users) == ["u0", "u1", "u2"]


def test_the_order_stays_with_its_run_when_another_goes(context: ViewContext, users: GroupsTable) -> None:
    click_heading(context, users, "Mean wait, d h min s\nfcfs")
    first = names(users)
    users.set_results(TRACE, RESULTS[1:])
    context.settle(users)
    assert names(users) == first
    assert users.view.horizontalHeader().sortIndicatorSection() == column_of(
        users, "Mean wait, d h min s\nfcfs"
    )
    users.set_results(TRACE, RESULTS[:1])
    context.settle(users)
    assert names(users) == ["u0", "u1", "u2"]
    assert users.view.horizontalHeader().sortIndicatorSection() == -1


def test_typing_finds(context: ViewContext, users: GroupsTable) -> None:
    type_text(context, users, "U19")
    assert names(users, 20) == ["u19", *(f"u{n}" for n in range(190, 200))]
    assert users.count.text() == "11 of 200 users"
    assert users.nothing.text() == ""
    type_text(context, users, "x")
    assert users.model.rowCount() == 0
    assert users.nothing.text() == "No user matches “U19x”"
    assert users.nothing.isVisible()
    users.search.clear()
    context.settle(users)
    assert users.count.text() == "200 users"
    assert users.nothing.text() == ""
    context.filter.set(Filter(parse_filter("procs > 99"), hides=True))
    context.settle(users)
    assert users.nothing.text() == "No job matches the filter"


def test_a_click_selects_the_user_everywhere(context: ViewContext, users: GroupsTable) -> None:
    seen: list[Selection] = []
    context.selection.changed.connect(lambda: seen.append(context.selection.value))
    click_row(context.qtbot, users, 2)
    assert seen == [Selection(users=frozenset({code_of("u2")}))]
    click_row(context.qtbot, users, 4, Qt.KeyboardModifier.ControlModifier)
    assert context.selection.value.users == {code_of("u2"), code_of("u4")}
    context.qtbot.keyClick(users.view, Qt.Key.Key_Down)
    assert context.selection.value.users == {code_of("u5")}


def test_a_click_on_the_user_of_the_selected_job_selects_the_user(
    context: ViewContext, users: GroupsTable
) -> None:
    context.selection.select_job(TRACE, code_of("u3"))  # each user has one job, in the order of the codes
    assert selected(users) == ["u3"]
    click_row(context.qtbot, users, 3)
    assert context.selection.value == Selection(users=frozenset({code_of("u3")}))


def test_a_selection_from_elsewhere_is_scrolled_to_and_stays(
    context: ViewContext, users: GroupsTable
) -> None:
    row = names(users, USERS).index("u180")
    context.selection.select_user(code_of("u180"))
    assert selected(users) == ["u180"]
    assert users.view.viewport().rect().contains(users.view.visualRect(users.model.index(row, 0)))
    click_heading(context, users, "Area, %")
    type_text(context, users, "8")
    assert selected(users) == ["u180"]
    type_text(context, users, "zz")  # hidden, and yet selected
    assert context.selection.value.users == {code_of("u180")}
    users.search.clear()
    context.settle(users)
    assert selected(users) == ["u180"]
    context.selection.clear()
    assert selected(users) == []


def test_a_row_of_the_queues_selects_the_queue(context: ViewContext, filter: FilterModel) -> None:
    queues = shown(context, GroupsTable("queue", context, LIGHT))
    assert names(queues) == ["batch"]
    click_row(context.qtbot, queues, 0)
    assert context.selection.value == Selection(queues=frozenset({0}))


def test_a_row_of_the_jobs_selects_the_job_and_one_selected_elsewhere_is_shown(
    context: ViewContext, jobs: JobsTable
) -> None:
    click_row(context.qtbot, jobs, 1)
    assert context.selection.value == Selection(jobs=frozenset({1}), users=frozenset({1}))
    context.selection.select_job(TRACE, 150)
    assert selected(jobs) == ["151"]
    assert jobs.view.viewport().rect().contains(jobs.view.visualRect(jobs.model.index(150, 0)))
    type_text(context, jobs, "77")
    assert names(jobs) == ["77"]


def test_the_run_of_the_jobs_is_chosen_and_kept(context: ViewContext, jobs: JobsTable) -> None:
    column = column_of(jobs, "Wait, d h min s")
    first = jobs.model.index(3, column).data()
    jobs.run.setCurrentIndex(1)
    jobs.run.activated.emit(1)
    context.settle(jobs)
    other = jobs.model.index(3, column).data()
    assert (first, other) == ("10 s", "3 min 10 s")
    jobs.set_results(TRACE, [RESULTS[1]])
    context.settle(jobs)
    assert jobs.run.currentText() == "fcfs"
    assert jobs.model.index(3, column).data() == other


def test_a_filter_dims_rows_and_then_hides_them(
    context: ViewContext, users: GroupsTable, jobs: JobsTable, filter: FilterModel
) -> None:
    def ink(table: Table, row: int) -> int:
        """How dark the darkest pixel of the first cell is."""
        cell = table.view.visualRect(table.model.index(row, 0))
        image = table.view.viewport().grab(cell).toImage()
        spots = ((x, y) for x in range(image.width()) for y in range(image.height()))
        return min(QColor(image.pixel(x, y)).lightness() for x, y in spots)

    before = ink(users, 3)
    filter.set(Filter(parse_filter("user in (u1, u2)")))
    for table in (users, jobs):
        context.settle(table)
        assert table.model.rowCount() == USERS
    assert ink(users, 1) == before
    assert ink(users, 3) > before + 20
    filter.set(Filter(parse_filter("user in (u1, u2)"), hides=True))
    for table in (users, jobs):
        context.settle(table)
        assert table.model.rowCount() == 2
    assert (users.count.text(), jobs.count.text()) == ("2 of 200 users", "2 of 200 jobs")


def test_a_right_click_on_a_heading_hides_and_shows_columns(context: ViewContext, users: GroupsTable) -> None:
    def choose(title: str) -> None:
        header = users.view.horizontalHeader()
        header.customContextMenuRequested.emit(QPoint(5, 5))
        (menu,) = (m for m in users.findChildren(QMenu) if m.isVisible())
        (action,) = (a for a in menu.actions() if a.text() == title)
        action.trigger()
        menu.close()
        context.settle(users)

    received: list[frozenset[str]] = []
    users.columns_changed.connect(lambda: received.append(users.hidden))
    cell = (
        column_of(users, "Weighted tardiness, CPU h\neasy"),
        column_of(users, "Weighted tardiness, CPU h\nfcfs"),
    )
    choose("Weighted tardiness")
    assert all(users.view.isColumnHidden(k) for k in cell)
    assert "wt" in received[0]
    assert not any("Weighted tardiness" in word for word in users.lines()[0])
    users.set_results(TRACE, RESULTS[:1])
    context.settle(users)
    assert users.view.isColumnHidden(column_of(users, "Weighted tardiness, CPU h\neasy"))
    choose("Weighted tardiness")
    assert not users.view.isColumnHidden(column_of(users, "Weighted tardiness, CPU h\neasy"))
    choose("Mean bounded slowdown")  # hidden at first
    assert len(received) == 3


def test_copying_takes_the_selected_rows_as_numbers_or_as_they_are_seen(
    context: ViewContext, users: GroupsTable
) -> None:
    control, shift = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
    users.view.setFocus()
    click_row(context.qtbot, users, 1)
    context.qtbot.keyClick(users.view, Qt.Key.Key_C, control | shift)
    head, line = (text.split("\t") for text in QGuiApplication.clipboard().text().split("\n"))
    assert head[:4] == ["User", "Jobs", "Area, %", "Violated EETs, % (easy)"]
    shown = [users.model.index(1, column).data() for column in range(2)]
    assert line[:3] == ["u1", *shown]
    context.qtbot.keyClick(users.view, Qt.Key.Key_C, control)
    head, line = (text.split("\t") for text in QGuiApplication.clipboard().text().split("\n"))
    assert head[:5] == ["User", "Jobs", "Area, %", "Violated EETs, % (easy)", "Violated EETs, % (fcfs)"]
    assert line[:2] == ["u1", "1"]
    assert float(line[2]) == pytest.approx(100 * 101 / (100 + np.arange(USERS)).sum())
    users.view.clearSelection()
    context.qtbot.keyClick(users.view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert len(QGuiApplication.clipboard().text().split("\n")) == USERS + 1


def test_bars_are_as_long_as_their_values(context: ViewContext, users: GroupsTable) -> None:
    def painted(row: int) -> int:
        cell = users.view.visualRect(users.model.index(row, column_of(users, "Area, %"))).adjusted(
            0, 3, 0, -3
        )
        image = users.view.viewport().grab(cell).toImage()
        low, background = image.height() - 1, image.pixel(0, 1)
        return sum(image.pixel(x, low) != background for x in range(image.width()))

    context.qtbot.mouseMove(users.view.viewport(), QPoint(5, 5))
    width = users.view.columnWidth(column_of(users, "Area, %")) - 6
    assert painted(0) == pytest.approx(width * 100 / 299, abs=2)
    click_heading(context, users, "Area, %")
    click_heading(context, users, "Area, %")
    assert painted(0) == pytest.approx(width, abs=2)


def test_cells_that_are_read_at_once_look_as_those_that_qt_asks_for_by_role(
    context: ViewContext, users: GroupsTable
) -> None:
    context.filter.set(Filter(parse_filter("submit >= 1960")))
    context.settle(users)
    assert {users.model.is_faint(int(item)) for item in users.model.rows[:7]} == {True, False}
    users.view.selectRow(1)
    context.settle(users)
    at_once = users.view.viewport().grab().toImage()
    users.view.setItemDelegate(BarCells(LIGHT, users.view))
    by_role = users.view.viewport().grab().toImage()
    seen = {at_once.pixel(x, y) for y in range(0, 160, 4) for x in range(at_once.width())}
    assert len(seen) > 8  # texts, bars, the selected row
    assert at_once == by_role


def test_bars_of_one_measure_are_compared_between_runs(context: ViewContext, users: GroupsTable) -> None:
    longer = make_result(TRACE, TRACE.submit + 4 * NUMBER, 2, "fcfs", grace=100)
    users.set_results(TRACE, [RESULTS[0], longer])
    context.settle(users)
    easy, fcfs = (column_of(users, f"Mean wait, d h min s\n{name}") for name in ("easy", "fcfs"))
    shares = [users.model.index(199, cell).data(BAR_ROLE) for cell in (easy, fcfs)]
    assert shares == pytest.approx([0.25, 1])


def test_no_trace_and_a_trace_without_runs(context: ViewContext, users: GroupsTable, jobs: JobsTable) -> None:
    for table in (users, jobs):
        table.set_results(TRACE, [])
        context.settle(table)
        assert table.model.rowCount() == USERS
        table.set_results(None, [])
        context.settle(table)
        assert table.empty.isVisible()
    assert not jobs.run.isVisibleTo(jobs)


def test_changes_are_reported_against_the_baseline(context: ViewContext, users: GroupsTable) -> None:
    title = f"Mean wait, change, d h min s\n{run_header(RESULTS[1].name, 16)}"
    for base, sign in ((RESULTS[0], 1), (None, 1)):
        context.view.choose(baseline=base.run_id if base is not None else None)
        context.settle(users)
        column = column_of(users, title)
        assert not users.view.isColumnHidden(column)
        for row in range(users.model.rowCount()):
            item = int(users.model.rows[row])
            own, before = (result.users["wait_mean"][item] for result in (RESULTS[1], RESULTS[0]))
            found = users.model.index(row, column).data()
            if own == before:
                assert found == "0 s"
            else:
                assert found == ("+" if own > before else "") + duration(sign * (own - before))
    context.view.choose(baseline=RESULTS[1].run_id)
    context.settle(users)
    assert column_of(users, title.replace(run_header(RESULTS[1].name, 16), run_header(RESULTS[0].name, 16)))


def test_a_hidden_table_works_nothing_out(context: ViewContext, users: GroupsTable) -> None:
    users.hide()
    users.set_results(TRACE, RESULTS[:1])
    assert not context.executor.busy
    users.show()
    context.settle(users)
    assert users.model.columnCount() == 10
