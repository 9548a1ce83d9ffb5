"""The table of nodes at an instant, the page of a node, and rows of Gantt charts by groups of nodes."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt, QUrl

from engine.machine.cluster import Cluster, NodeGroup
from engine.schedule.processors import assign_processors
from engine.trace import Pieces
from tests.traces import make_trace
from tests.views.context import Told, ViewContext, after, mouse
from tests.views.results import make_result
from views.data.gantt.data import gantt_data
from views.data.results import Result
from views.tables.nodes_table import NodesTable
from views.theme.theme import LIGHT

HOUR = 3600
CLUSTER = Cluster((NodeGroup(2, 4, 8192, name="big"), NodeGroup(1, 2, 4096, name="small")))


def result() -> Result:
    """To 4 h job 1 of ann has three processors of big 0, job 2 of bob two of big 1; 3 follows at 5 h."""
    trace = make_trace(
        [0, 0, HOUR], [4 * HOUR] * 3, [3, 2, 2], user=["ann", "bob", "ann"], ram=[1024] * 3, cluster=CLUSTER
    )
    made = make_result(trace, [0, 0, 5 * HOUR])
    rows = {"node": [0, 1, 2], "cpus": [3, 2, 2], "ram": [1024] * 3}
    pieces = Pieces(np.arange(4), {name: np.array(column) for name, column in rows.items()})
    return replace(made, schedule=replace(made.schedule, pieces=pieces))


@pytest.fixture
def table(context: ViewContext) -> NodesTable:
    made = result()
    context.clock.reset(0, 10 * HOUR)
    context.selection.select_instant(2.0 * HOUR)
    table = NodesTable(context, LIGHT)
    context.qtbot.addWidget(table)
    table.resize(900, 300)
    table.show()
    table.set_results(made.schedule.trace, [made])
    context.settle(table)
    return table


def rows(table: NodesTable) -> list[list[str]]:
    heads = [table.model.headerData(row, Qt.Orientation.Vertical) for row in range(table.model.rowCount())]
    columns = range(table.model.columnCount())
    return [
        [head, *(table.model.index(row, column).data() for column in columns)]
        for row, head in enumerate(heads)
    ]


def test_nodes_at_the_picked_instant(table: NodesTable, context: ViewContext) -> None:
    assert rows(table) == [
        ["big 0", "big", "up", "1", "4", "7 GiB", "1", "1", "1"],
        ["big 1", "big", "up", "2", "4", "7 GiB", "1", "1", "2"],
        ["small 0", "small", "up", "2", "2", "4 GiB", "0", "0", ""],
    ]
    assert table.when.text() == "at 2:00:00 h"
    context.selection.select_instant(6.0 * HOUR)
    context.settle(table)
    assert [row[3] for row in rows(table)] == ["4", "4", "0"]
    context.selection.clear()  # then what is in the middle of the charts
    context.clock.set_window(0, HOUR)
    context.settle(table)
    assert table.when.text() == "at 0:30:00 h"
    assert [row[3] for row in rows(table)] == ["1", "2", "2"]


def test_a_click_selects_the_node_and_what_runs_there(table: NodesTable, context: ViewContext) -> None:
    spot = table.view.visualRect(table.model.index(1, 0)).center()
    context.qtbot.mouseClick(table.view.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(spot))
    picked = context.selection.value
    assert (picked.nodes, picked.jobs, picked.instant) == ({1}, {1}, 2.0 * HOUR)
    context.selection.select_nodes(frozenset({0}), result().schedule.trace, frozenset())
    assert [index.row() for index in table.view.selectionModel().selectedRows()] == [0]


def test_a_click_on_the_number_of_a_running_job_selects_that_job(
    table: NodesTable, context: ViewContext
) -> None:
    view, model = table.view, table.model
    heads = [model.headerData(k, Qt.Orientation.Horizontal) for k in range(model.columnCount())]
    cell = view.visualRect(model.index(1, heads.index("Running")))
    number = QPoint(cell.left() + 6, cell.center().y())
    mouse(view.viewport(), QEvent.Type.MouseMove, QPointF(number), Qt.MouseButton.NoButton)
    assert view.viewport().cursor().shape() == Qt.CursorShape.PointingHandCursor
    context.qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=number)
    assert (context.selection.value.jobs, context.selection.value.nodes) == ({1}, set())
    beside = QPoint(cell.left() + 60, cell.center().y())  # is the row
    context.qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=beside)
    assert context.selection.value.nodes == {1}


def test_nodes_on_the_page_of_a_job_lead_to_them(context: ViewContext) -> None:
    made = result()
    inspector = Told(context)
    inspector.set_results(made.schedule.trace, [made])
    context.selection.select_job(made.schedule.trace, 1)
    assert after(inspector.lines(), "Ran on") == ["big 1 (2 processors)"]
    assert f'href="node:{made.run_id},1"' in inspector.browser.toHtml()
    inspector.browser.anchorClicked.emit(QUrl(f"node:{made.run_id},1"))
    assert (context.selection.value.nodes, context.selection.value.jobs) == ({1}, {1})
    assert inspector.lines()[0] == "Node big 1"


def test_the_page_of_a_node_says_who_ran_there_and_when(context: ViewContext) -> None:
    made = result()
    inspector = Told(context)
    inspector.set_results(made.schedule.trace, [made])
    context.selection.select_instant(2.0 * HOUR)
    context.selection.select_nodes(frozenset({0}), made.schedule.trace, frozenset({0}))
    words = inspector.lines()
    assert words[0] == "Node big 0"
    assert after(words, "Free") == ["1 of 4 processors, 7 GiB"]
    assert after(words, "Running") == ["1 (ann)"]
    assert after(words, "Jobs run") == ["1 (1 user)"]
    assert after(words, "Busy") == ["33.3 % of its processor time"]  # 12 of 9 hours of four
    assert after(words, "For", 4) == ["1", "ann", "0:00:00 h", "4 h"]
    context.selection.select_job(made.schedule.trace, 0)
    assert not context.selection.value.nodes


def test_rows_of_groups_hold_the_processors_of_their_nodes() -> None:
    schedule = result().schedule
    data = gantt_data(schedule, assign_processors(schedule), "groups")
    assert data.rows.names == ("big", "small")
    tops = {int(data.job[e]): (data.first[k], data.count[k]) for e in range(3) for k in [int(data.offset[e])]}
    assert tops[0] == (0, 3 / 8)
    assert tops[1] == (4 / 8, 2 / 8)
    assert tops[2] == (1, 1)
