"""Names in natural order, and the queue that a job of the log did not have."""

import numpy as np
from PySide6.QtCore import Qt

from engine.quantities import Jobs
from tests.traces import make_trace
from tests.views.context import Told, ViewContext
from tests.views.results import make_result
from views.data.gantt.colours import classify
from views.data.gantt.layout import lay_out
from views.data.unit_name import unit_name
from views.data.user_order import rows_in_order
from views.gantt.describe import describe_job
from views.state.filter import Filter
from views.tables.groups_table import GroupsTable
from views.tables.jobs_table import job_content
from views.text.names import name_ranks
from views.text.ticks import axis_of
from views.theme.theme import LIGHT


def test_natural_order_of_any_names() -> None:
    names = ("b10", "B9", "a", "10", "9", "", "²")
    by_rank = np.argsort(name_ranks(names))
    assert [names[k] for k in by_rank] == ["", "9", "10", "a", "B9", "b10", "²"]


TRACE = make_trace(submit=[0, 5], runtime=[60, 60], procs=[9, 1], user=["-1", "bob"], queue=["-1", "short"])
RESULT = make_result(TRACE, TRACE.submit)


def test_jobs_without_a_queue_are_called_so_in_every_chart() -> None:
    schedule = RESULT.schedule
    assert classify(Jobs(schedule.trace, schedule), "queue").names == ("no queue", "short")
    assert lay_out(schedule, RESULT.boxes, "queues")[0].names == ("no queue", "short")
    assert [group.name for group in rows_in_order(TRACE, np.ones(2, int), by_queue=True).groups] == [
        "no queue",
        "short",
    ]
    lines = [describe_job(schedule, job, None, None, axis_of(TRACE)).split("\n")[0] for job in (0, 1)]
    assert lines == ["job 1 · user -1 · no queue", "job 2 · user bob · queue short"]
    assert [unit_name(TRACE, "queue", code) for code in (0, 1)] == ["no queue", "queue short"]


def test_jobs_without_a_queue_are_called_so_in_tables_and_found_but_exported_as_the_log_has_them(
    context: ViewContext,
) -> None:
    table = GroupsTable("queue", context, LIGHT)
    context.qtbot.addWidget(table)
    table.resize(900, 200)
    table.show()
    table.set_results(TRACE, [RESULT])
    table.search.setText("no q")
    context.settle(table)
    assert table.model.rowCount() == 1
    assert table.model.headerData(0, Qt.Orientation.Vertical) == "no queue"
    assert [line[0] for line in table.lines()] == ["Queue", "-1"]
    content = job_content(TRACE, RESULT, Filter())
    queue = next(column for column in content.columns if column.key == "queue")
    assert [queue.format(job) for job in (0, 1)] == ["no queue", "short"]
    assert queue.plain(0) == "-1"


def test_the_page_of_jobs_without_a_queue_says_so(context: ViewContext) -> None:
    inspector = Told(context)
    inspector.set_results(TRACE, [RESULT])
    context.selection.select_queue(0)
    assert inspector.lines()[0] == "No queue"
