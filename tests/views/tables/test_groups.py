"""Tables of accounts with their users below, and what sorts the worst served first."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

from engine.trace import Names, Trace
from tests.traces import make_names, make_trace
from tests.views.context import ViewContext
from tests.views.results import make_result
from views.state.filter import Filter
from views.tables.content import Sorting, arrange
from views.tables.groups import INDENT
from views.tables.groups_table import GroupsTable, group_content
from views.theme.theme import LIGHT

WAITS = np.array([0, 60, 600, 30, 0, 90])


def of_accounts() -> Trace:
    trace = make_trace(
        submit=[0] * 6,
        runtime=[100] * 6,
        procs=[1, 2, 3, 4, 5, 6],
        user=["ann", "bob", "ann", "carl", "bob", "ann"],
    )
    return replace(trace, group=make_names(["chem", "chem", "phys", "phys", "chem", "phys"]))


@pytest.fixture
def table(context: ViewContext) -> GroupsTable:
    trace = of_accounts()
    made = GroupsTable("account", context, LIGHT)
    context.qtbot.addWidget(made)
    made.resize(900, 400)
    made.show()
    made.set_results(
        trace, [make_result(trace, WAITS, 1, "easy"), make_result(trace, WAITS[::-1], 2, "fcfs")]
    )
    context.settle(made)
    return made


def rows(table: GroupsTable) -> list[str]:
    side = Qt.Orientation.Vertical
    return [table.model.headerData(row, side).replace(INDENT, "> ") for row in range(table.model.rowCount())]


def test_users_stand_below_their_accounts(table: GroupsTable) -> None:
    assert rows(table) == ["chem", "> ann", "> bob", "phys", "> ann", "> carl"]
    assert [table.model.index(row, 0).data() for row in range(6)] == ["3", "1", "2", "3", "2", "1"]
    shares = [float(line[2]) for line in table.lines()[1:]]
    assert shares[0] + shares[3] == pytest.approx(100)
    assert shares[0] == pytest.approx(100 * 8 / 21)
    assert shares[1] == pytest.approx(100 * 1 / 21)


def test_accounts_are_counted_without_the_users_below_them(context: ViewContext, table: GroupsTable) -> None:
    assert table.count.text() == "2 accounts"
    table.search.setText("carl")
    context.settle(table)
    assert rows(table) == ["> carl"]
    assert table.count.text() == "1 of 2 accounts"


def test_sorting_keeps_users_below_their_accounts(context: ViewContext, table: GroupsTable) -> None:
    table.sort_worst_first("wait_mean", 1)
    context.settle(table)
    assert rows(table) == ["phys", "> ann", "> carl", "chem", "> bob", "> ann"]  # 240, 345, 30; 20, 30, 0
    assert table.worst.currentText() == "Worst served first: mean wait"
    table.corner.clicked.emit()
    context.settle(table)
    assert rows(table)[0] == "chem"
    assert table.worst.currentText() == "Accounts by name"


@pytest.mark.parametrize("seed", range(5))
def test_parts_stay_with_the_whole_whatever_sorts(seed: int) -> None:
    rng = np.random.default_rng(seed)
    trace = of_accounts()
    waits = rng.integers(0, 50, 6)
    content = group_content("account", trace, [make_result(trace, waits, 1, "easy")], Filter())
    order = arrange(content, Sorting("wait_mean", 1, descending=bool(seed % 2)))
    wait = next(column for column in content.columns if column.key == "wait_mean").values()
    assert content.parent is not None

    def slow(items: list[int]) -> list[int]:
        return sorted(items, key=lambda item: -wait[item] if seed % 2 else wait[item])

    listed = content.rows.tolist()
    wanted: list[int] = []
    for account in slow([item for item in listed if content.parent[item] == item]):
        users = [item for item in listed if content.parent[item] == account != item]
        wanted += [account, *slow(users)]
    assert order.tolist() == wanted


def test_an_account_selects_its_jobs(context: ViewContext, table: GroupsTable) -> None:
    table.view.selectRow(4)  # ann in phys
    table.picked.emit(table.model.rows[[4]])
    assert context.selection.value.jobs == {2, 5}
    table.picked.emit(table.model.rows[[0]])
    assert context.selection.value.jobs == {0, 1, 4}


def test_the_worst_served_are_sorted_under_the_run_that_is_looked_at(
    context: ViewContext, table: GroupsTable
) -> None:
    context.view.choose(looked_at=2)
    table.worst.setCurrentIndex(table.worst.findData("bounded_slowdown_mean"))
    table.worst.activated.emit(table.worst.currentIndex())
    context.settle(table)
    assert table.order == Sorting("bounded_slowdown_mean", 2, True)
    assert "bounded_slowdown_mean" not in table.hidden
    table.copy()
    head = QGuiApplication.clipboard().text().split("\n")[0].split("\t")
    assert head[:3] == ["Account", "Jobs", "Area, %"]


def test_a_narrow_table_scrolls_to_the_column_that_sorts(context: ViewContext, table: GroupsTable) -> None:
    table.resize(320, 300)
    context.settle(table)
    table.sort_worst_first("bounded_slowdown_mean", 2)
    context.settle(table)
    column = table.order.column_of(table.model.content)
    assert column is not None
    left, width = table.view.columnViewportPosition(column), table.view.columnWidth(column)
    assert table.view.horizontalScrollBar().value() > 0
    assert left >= 0
    assert left + width <= table.view.viewport().width()
    table.resize(290, 300)
    context.settle(table)
    left = table.view.columnViewportPosition(column)
    assert left + width <= table.view.viewport().width()


def test_a_log_without_accounts_says_so(context: ViewContext, table: GroupsTable) -> None:
    trace = replace(of_accounts(), group=Names(np.zeros(6, np.int32), ("-1",)))
    table.set_results(trace, [])
    context.settle(table)
    assert table.empty.isVisible()
    assert table.empty.text() == "The log names no accounts."
