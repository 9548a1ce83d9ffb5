"""The table of users: order, filter, selection."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from engine.trace import Trace
from tests.traces import make_trace
from tests.views.results import make_result
from views.names import name_ranks
from views.results import Result
from views.selection import Selection, SelectionModel
from views.style import LIGHT
from views.tables import UsersTable

USERS = 200


def some_trace() -> Trace:
    """User u0 has the least area, u199 the most; in the order of the log u7 comes first."""
    order = np.roll(np.arange(USERS), -7)
    return make_trace(
        submit=np.arange(USERS) * 10, runtime=100 + order, procs=10, user=[f"u{code}" for code in order]
    )


def some_results(trace: Trace) -> list[Result]:
    """The wait of a user is the number in the name, and under the second run the other way round."""
    number = np.array([int(name[1:]) for name in trace.user.names])
    return [
        make_result(trace, trace.submit + number, 1, "easy", grace=100),
        make_result(trace, trace.submit + USERS - number, 2, "fcfs", grace=100),
    ]


@pytest.fixture
def selection() -> SelectionModel:
    return SelectionModel()


@pytest.fixture
def table(qtbot: QtBot, selection: SelectionModel) -> UsersTable:
    widget = UsersTable(selection, LIGHT)
    qtbot.addWidget(widget)
    widget.resize(900, 400)
    widget.show()
    trace = some_trace()
    widget.set_results(trace, some_results(trace))
    return widget


def names(table: UsersTable, count: int = 3) -> list[str]:
    rows = range(min(count, table.model.rowCount()))
    return [table.model.headerData(row, Qt.Orientation.Vertical) for row in rows]


def column_of(table: UsersTable, title: str) -> int:
    heads = [table.model.headerData(c, Qt.Orientation.Horizontal) for c in range(table.model.columnCount())]
    return heads.index(title)


def click_heading(qtbot: QtBot, table: UsersTable, column: int) -> None:
    header = table.view.horizontalHeader()
    table.view.scrollTo(table.model.index(0, column))
    middle = QPoint(header.sectionViewportPosition(column) + header.sectionSize(column) // 2, 8)
    qtbot.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=middle)


def click_row(
    qtbot: QtBot,
    table: UsersTable,
    row: int,
    modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier,
) -> None:
    spot = table.view.visualRect(table.model.index(row, 0)).center()
    qtbot.mouseClick(table.view.viewport(), Qt.MouseButton.LeftButton, modifier, spot)


def code_of(trace_user: str) -> int:
    return some_trace().user.names.index(trace_user)


def test_one_row_a_user_in_natural_order(table: UsersTable) -> None:
    assert table.model.rowCount() == USERS
    assert names(table, 12)[-2:] == ["u10", "u11"]
    assert table.count.text() == "200 users"
    heads = [table.model.headerData(c, Qt.Orientation.Horizontal) for c in range(table.model.columnCount())]
    assert heads[:5] == ["Jobs", "Area", "VEET\neasy", "WT\neasy", "Mean wait\neasy"]


def test_values_of_a_user(table: UsersTable) -> None:
    row = names(table, USERS).index("u150")
    cell = lambda title: table.model.index(row, column_of(table, title))  # noqa: E731
    assert cell("Jobs").data() == "1"
    assert cell("Mean wait\neasy").data() == "2 min 30 s"
    assert cell("WT\neasy").data() == "8 min 20 s"  # 10 processors, 50 s late
    assert cell("VEET\neasy").data() == "100 %"
    assert cell("VEET\nfcfs").data() == "0 %"
    tip = cell("WT\neasy").data(Qt.ItemDataRole.ToolTipRole)
    assert "user u150" in tip
    assert "500 processor-s" in tip


def test_headings_sort_and_the_third_click_is_by_name_again(qtbot: QtBot, table: UsersTable) -> None:
    column = column_of(table, "Mean wait\nfcfs")
    click_heading(qtbot, table, column)
    first = names(table, 1)
    click_heading(qtbot, table, column)
    assert {*first, *names(table, 1)} == {"u0", "u199"}
    click_heading(qtbot, table, column)
    assert names(table) == ["u0", "u1", "u2"]


def test_users_without_a_value_come_last(qtbot: QtBot, table: UsersTable) -> None:
    trace = make_trace([0, 0, 0], [10, 10, 10], user=["a", "b", "c"])
    table.set_results(trace, [make_result(trace, [-1, 5, 3])])
    column = column_of(table, "Mean wait\neasy")
    for order, expected in (
        (Qt.SortOrder.AscendingOrder, ["c", "b", "a"]),
        (Qt.SortOrder.DescendingOrder, ["b", "c", "a"]),
    ):
        table.view.sortByColumn(column, order)
        assert names(table) == expected
    assert table.model.index(2, column).data() == "–"


def test_typing_filters(qtbot: QtBot, table: UsersTable) -> None:
    qtbot.keyClicks(table.filter, "U19")
    assert names(table, 20) == ["u19", *(f"u{n}" for n in range(190, 200))]
    assert table.count.text() == "11 of 200 users"
    qtbot.keyClicks(table.filter, "x")
    assert table.model.rowCount() == 0
    table.filter.clear()
    assert table.count.text() == "200 users"


def test_a_click_selects_the_user_everywhere(
    qtbot: QtBot, table: UsersTable, selection: SelectionModel
) -> None:
    seen: list[Selection] = []
    selection.changed.connect(lambda: seen.append(selection.value))
    click_row(qtbot, table, 2)
    assert seen == [Selection(users=frozenset({code_of("u2")}))]
    click_row(qtbot, table, 4, Qt.KeyboardModifier.ControlModifier)
    assert selection.value.users == {code_of("u2"), code_of("u4")}
    qtbot.keyClick(table.view, Qt.Key.Key_Down)
    assert selection.value.users == {code_of("u5")}


def test_a_click_on_the_user_of_the_selected_job_selects_the_user(
    qtbot: QtBot, table: UsersTable, selection: SelectionModel
) -> None:
    trace = some_trace()
    selection.select_job(trace, code_of("u3"))  # each user has one job, in the order of the codes
    assert [index.row() for index in table.view.selectionModel().selectedRows()] == [3]
    click_row(qtbot, table, 3)
    assert selection.value == Selection(users=frozenset({code_of("u3")}))


def test_a_selection_from_elsewhere_is_scrolled_to(
    qtbot: QtBot, table: UsersTable, selection: SelectionModel
) -> None:
    row = names(table, USERS).index("u180")
    assert not table.view.viewport().rect().contains(table.view.visualRect(table.model.index(row, 0)))
    selection.select_user(code_of("u180"))
    assert [index.row() for index in table.view.selectionModel().selectedRows()] == [row]
    qtbot.waitUntil(
        lambda: table.view.viewport().rect().contains(table.view.visualRect(table.model.index(row, 0)))
    )
    selection.clear()
    assert not table.view.selectionModel().hasSelection()


def test_sorting_filtering_and_new_results_keep_the_selection(
    qtbot: QtBot, table: UsersTable, selection: SelectionModel
) -> None:
    selection.select_user(code_of("u15"))
    before = selection.value
    click_heading(qtbot, table, column_of(table, "Area"))
    qtbot.keyClicks(table.filter, "5")
    trace = some_trace()
    table.set_results(trace, some_results(trace)[:1])
    selected = [index.row() for index in table.view.selectionModel().selectedRows()]
    assert [table.model.rows[row] for row in selected] == [code_of("u15")]
    qtbot.keyClicks(table.filter, "zz")  # hidden, and yet selected
    table.filter.clear()
    assert selection.value == before
    assert len(table.view.selectionModel().selectedRows()) == 1


def test_a_trace_without_runs_and_no_trace(table: UsersTable) -> None:
    trace = some_trace()
    table.set_results(trace, [])
    assert table.model.columnCount() == 2
    assert names(table) == ["u0", "u1", "u2"]
    table.set_results(None, [])
    assert table.empty.isVisible()
    assert table.model.rowCount() == 0


def test_without_expected_ends_only_waits_are_shown(table: UsersTable) -> None:
    trace = some_trace()
    table.set_results(trace, [make_result(trace, trace.submit, grace=None)])
    assert table.model.columnCount() == 3


def test_users_whose_jobs_were_filtered_out_are_not_listed(table: UsersTable) -> None:
    trace = some_trace().take(np.arange(5))
    table.set_results(trace, [])
    assert names(table, 9) == ["u7", "u8", "u9", "u10", "u11"]


def test_natural_order_of_any_names() -> None:
    ranks = name_ranks(["b10", "B9", "a", "10", "9", "", "²"])
    by_rank = np.argsort(ranks)
    assert [("b10", "B9", "a", "10", "9", "", "²")[k] for k in by_rank] == [
        "",
        "a",
        "B9",
        "b10",
        "²",
        "9",
        "10",
    ]
