"""The table of runs: what it says of each, its order and columns, and which run is chosen."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QPixmap

from tests.traces import make_trace
from tests.views.context import ViewContext
from tests.views.results import make_result
from views.tables.runs_table import RunEntry, RunsTable
from views.theme.palette import run_colour
from views.theme.theme import LIGHT

TRACE = make_trace([0, 10, 20], [100, 50, 50], [60, 30, 90])
EASY, FCFS = (
    make_result(TRACE, start, k, name)
    for k, start, name in ((1, [0, 10, 100], "easy"), (2, [0, 90, 200], "fcfs"))
)
ENTRIES = [
    RunEntry(1, "easy", "100c", "done", 0.5, EASY),
    RunEntry(2, "fcfs", "100c", "done", 0.25, FCFS),
    RunEntry(5, "just", "64c", "simulating"),
]


@pytest.fixture
def table(context: ViewContext) -> RunsTable:
    table = RunsTable(context.executor, LIGHT)
    context.qtbot.addWidget(table)
    table.resize(1100, 300)
    table.show()
    table.set_entries(ENTRIES)
    context.settle(table)
    return table


def lines(table: RunsTable) -> list[list[str]]:
    """What is seen: a name, then the visible cells."""
    model, view = table.model, table.view
    columns = [c for c in range(model.columnCount()) if not view.isColumnHidden(c)]
    return [
        [model.headerData(row, Qt.Orientation.Vertical), *(model.index(row, c).data() for c in columns)]
        for row in range(model.rowCount())
    ]


def column_of(table: RunsTable, title: str) -> int:
    titles = [table.model.headerData(c, Qt.Orientation.Horizontal) for c in range(table.model.columnCount())]
    return titles.index(title)


def test_each_run_is_reported_whether_it_is_done_or_not(table: RunsTable) -> None:
    easy, fcfs, just = lines(table)
    assert easy[:5] == ["easy", "100c", "done", "0.5 s", "27 s"]
    assert fcfs[4] == "1 min 27 s"
    assert just[:4] == ["just", "64c", "simulating", "–"]
    assert set(just[4:]) == {"–"}
    mark = table.model.headerData(0, Qt.Orientation.Vertical, Qt.ItemDataRole.DecorationRole)
    assert isinstance(mark, QPixmap)
    assert mark.toImage().pixelColor(4, 4).name() == run_colour(1)


def test_a_click_chooses_the_run_and_a_choice_lights_up_its_row(
    context: ViewContext, table: RunsTable
) -> None:
    picked: list[int] = []
    table.run_picked.connect(picked.append)
    view = table.view
    context.qtbot.mouseClick(
        view.viewport(), Qt.MouseButton.LeftButton, pos=view.visualRect(table.model.index(1, 0)).center()
    )
    assert set(picked) == {2}
    picked.clear()
    table.show_run(5)
    assert [index.row() for index in view.selectionModel().selectedRows()] == [2]
    table.set_entries(ENTRIES[1:])
    context.settle(table)
    assert [index.row() for index in view.selectionModel().selectedRows()] == [1]
    assert picked == []


def test_runs_are_sorted_by_any_metric_and_found_by_name(context: ViewContext, table: RunsTable) -> None:
    heads = table.view.horizontalHeader()
    heads.setSortIndicator(column_of(table, "Mean wait, d h min s"), Qt.SortOrder.DescendingOrder)
    context.settle(table)
    assert [line[0] for line in lines(table)] == ["fcfs", "easy", "just"]
    table.search.setText("64c")
    context.settle(table)
    assert [line[0] for line in lines(table)] == ["just"]


def test_all_metrics_are_offered_as_columns(context: ViewContext, table: RunsTable) -> None:
    makespan = column_of(table, "Makespan, d h min s")
    assert table.view.isColumnHidden(makespan)
    table.hide_columns(table.hidden - {"makespan"})
    context.settle(table)
    assert not table.view.isColumnHidden(makespan)
    assert table.model.index(0, makespan).data() == "2 min 30 s"


def test_parts_of_a_whole_are_read_in_percent_and_exported_as_fractions(table: RunsTable) -> None:
    used = column_of(table, "Utilization, %")
    cell = table.model.index(1, used)
    assert cell.data() == "48.00 %"
    assert "Utilization: 48 %" in cell.data(Qt.ItemDataRole.ToolTipRole)
    assert table.model.export([1], [used]) == [["Run", "Utilization"], ["fcfs", "0.48"]]


def test_without_a_study_there_are_no_runs(context: ViewContext, table: RunsTable) -> None:
    table.set_entries([])
    assert table.empty.isVisible()


def test_a_row_is_of_the_run_that_it_shows_until_others_are_worked_out(
    context: ViewContext, table: RunsTable
) -> None:
    picked: list[int] = []
    table.run_picked.connect(picked.append)
    table.set_entries(ENTRIES[:2])  # the rows shown still are those of three runs
    last = table.view.visualRect(table.model.index(2, 0)).center()
    assert [table.run_at(row) for row in range(4)] == [1, 2, 5, None]
    context.qtbot.mouseClick(table.view.viewport(), Qt.MouseButton.LeftButton, pos=last)
    assert set(picked) == {5}
    context.settle(table)
    assert [table.run_at(row) for row in range(3)] == [1, 2, None]
