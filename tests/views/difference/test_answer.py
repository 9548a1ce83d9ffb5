"""What changed between two runs, in words and in rows of users."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from engine.filter import parse_filter
from engine.schedule.schedule import NOT_RUN
from engine.shown_values import hours
from tests.traces import make_trace
from tests.views.context import ViewContext
from tests.views.difference.pairs import HOUR, moved, pair, run
from views.data.comparison import answer, compare
from views.difference.changes import ChangesTable
from views.state.filter import Filter
from views.theme.theme import LIGHT


def test_the_answer_counts_jobs_and_weighs_users() -> None:
    assert answer(moved()) == (
        "Of 6 jobs 3 start earlier, 1 later, 2 at the same time. "
        "User ann waits 3.0 h less. User bob waits 1.5 h longer."
    )


def test_the_answer_where_nothing_moved_and_where_a_job_is_left_out() -> None:
    same = [0, 0, 0, 0, 0, 0]
    assert answer(pair(same, same)) == "6 jobs start at the same time in both runs."
    single = [0, *[NOT_RUN] * 5]
    assert (
        answer(pair(single, single)) == "1 job starts at the same time in both runs. 5 jobs are not compared."
    )
    assert answer(pair([HOUR, *single[1:]], single)).startswith("Of 1 job 1 starts earlier, none later, ")
    assert answer(pair(same, [NOT_RUN] * 6)) == "None of the matching jobs ran in both runs."
    two = pair(same, [0, 0, 0, HOUR, 10 * HOUR, 0])
    assert answer(two).endswith(" users wait 11 h longer, user cyd alone 10 h.")
    part = pair(same, [0, 0, 0, 0, 10 * HOUR, NOT_RUN])
    assert answer(part) == (
        "Of 5 jobs none starts earlier, 1 later, 4 at the same time. 1 job is not compared. "
        "User cyd waits 10 h longer."
    )


@pytest.mark.parametrize(
    ("seconds", "signed", "text"),
    [
        (0, True, "0 h"),
        (60, True, "+0.1 h"),
        (-5400, True, "−1.5 h"),
        (5400, False, "1.5 h"),
        (4_000_000, True, "+1\u202f111 h"),
    ],
)
def test_hours_as_people_read_them(seconds: int, signed: bool, text: str) -> None:
    assert hours(seconds, signed) == text


@pytest.fixture
def table(qtbot: QtBot, context: ViewContext) -> ChangesTable:
    table = ChangesTable(context, LIGHT)
    qtbot.addWidget(table)
    table.resize(700, 200)
    table.set_comparison(moved())
    with qtbot.waitExposed(table):
        table.show()
    return table


def column(table: ChangesTable, number: int) -> list[str]:
    return [str(table.changes.index(row, number).data()) for row in range(table.changes.rowCount())]


def names(table: ChangesTable) -> list[str]:
    return column(table, 0)


def test_users_stand_by_what_they_won_and_turn_round_by_a_click(qtbot: QtBot, table: ChangesTable) -> None:
    assert names(table) == ["ann", "cyd", "bob"]
    titles = [table.changes.headerData(number, Qt.Orientation.Horizontal) for number in range(7)]
    assert titles == ["User", "Net, h", "Won, h", "Lost, h", "Jobs", "Earlier", "Later"]
    assert [column(table, number) for number in range(1, 7)] == [
        ["+3.0", "0", "−1.5"],
        ["3.0", "0", "0.5"],
        ["0", "0", "2.0"],
        ["2", "2", "2"],
        ["2", "0", "1"],
        ["0", "0", "1"],
    ]
    sort(qtbot, table, 1)
    assert names(table) == ["bob", "cyd", "ann"]
    sort(qtbot, table, 0)
    assert names(table) == ["ann", "bob", "cyd"]


def test_ctrl_c_copies_the_rows_as_they_are_seen(qtbot: QtBot, table: ChangesTable) -> None:
    qtbot.keyClick(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    head, *rows = (line.split("\t") for line in QGuiApplication.clipboard().text().split("\n"))
    assert head == ["User", "Net, h", "Won, h", "Lost, h", "Jobs", "Earlier", "Later"]
    assert rows[0] == ["ann", "+3.0", "3.0", "0", "2", "2", "0"]
    assert len(rows) == 3


def sort(qtbot: QtBot, table: ChangesTable, number: int) -> None:
    heads = table.horizontalHeader()
    middle = heads.sectionViewportPosition(number) + heads.sectionSize(number) // 2
    qtbot.mouseClick(heads.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(middle, heads.height() // 2))


def test_a_bar_says_at_a_glance_who_won(table: ChangesTable) -> None:
    """From the middle to the right what is won, to the left what is lost; none for nothing."""
    image = table.viewport().grab().toImage()

    def warmth(row: int, side: int) -> int:
        cell = table.visualRect(table.changes.index(row, 1))
        colour = image.pixelColor(cell.center().x() + 5 * side, cell.bottom() - 3)
        return colour.red() - colour.blue()

    assert warmth(0, 1) < warmth(0, -1) - 20
    assert warmth(1, 1) == warmth(1, -1)
    assert warmth(2, -1) > warmth(2, 1) + 20


def test_a_click_selects_the_user_and_a_selection_is_shown(
    qtbot: QtBot, context: ViewContext, table: ChangesTable
) -> None:
    selection = context.selection
    number = table.visualRect(table.changes.index(2, 3)).center()
    qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=number)
    assert selection.value.users == {1}
    selection.select_user(2)
    assert [index.row() for index in table.selectionModel().selectedRows()] == [1]
    selection.clear()
    assert not table.selectionModel().hasSelection()


def test_one_reads_on_at_the_same_place_in_other_results(
    qtbot: QtBot, context: ViewContext, table: ChangesTable
) -> None:
    users = [f"u{k}" for k in range(90)]
    trace = make_trace([0] * 90, [HOUR] * 90, user=users)
    first = run(trace, [0] * 90, 1, "fcfs")

    def show(hours: int) -> None:
        table.set_comparison(compare(first, run(trace, np.arange(90) * hours * HOUR, 2, "easy")))

    show(1)
    scroll = table.verticalScrollBar()
    context.selection.select_user(3)
    scroll.setValue(40)
    show(2)
    assert scroll.value() == 40
    sort(qtbot, table, 2)
    assert scroll.value() == 0
    scroll.setValue(40)
    context.selection.select_user(int(table.changes.rows[5]))
    assert table.viewport().rect().contains(table.visualRect(table.changes.index(5, 0)))


def test_users_without_a_matching_job_stand_back(context: ViewContext, table: ChangesTable) -> None:
    def inks() -> list[int]:
        """How dark the darkest pixel of each user's number of jobs is."""
        context.settle(table)
        cells = [table.visualRect(table.changes.index(row, 4)) for row in range(3)]
        pictures = [table.viewport().grab(cell).toImage() for cell in cells]
        spots = [(x, y) for x in range(pictures[0].width()) for y in range(pictures[0].height())]
        return [min(picture.pixelColor(x, y).lightness() for x, y in spots) for picture in pictures]

    before = inks()
    context.filter.set(Filter(parse_filter("user = ann")))
    ann, cyd, bob = inks()
    assert ann == before[0]
    assert min(cyd, bob) > before[1] + 20
    context.filter.clear()
    assert inks() == before


def test_changes_are_reported_by_queue_size_class_hour_and_day(
    qtbot: QtBot, context: ViewContext, table: ChangesTable
) -> None:
    """Two come at 1:00 to queue `a`, a larger one at 5:00 to queue `b`; the last starts later."""
    trace = make_trace(
        [HOUR, HOUR, 5 * HOUR], [HOUR] * 3, [1, 1, 8], queue=["a", "a", "b"], group=["lab", "lab", "-1"]
    )
    first = run(trace, [4 * HOUR, HOUR, 5 * HOUR], 1, "fcfs")
    table.set_comparison(compare(first, run(trace, [HOUR, HOUR, 7 * HOUR], 2, "easy")))
    for by, expected in {
        "queue": ["a", "b"],
        "account": ["lab", "no account"],
        "class": ["1 processor, 1 h to 1 d", "2-8 processors, 1 h to 1 d"],
        "hour": ["01:00", "05:00"],
        "weekday": ["Thursday"],
    }.items():
        table.set_grouping(by)  # type: ignore[arg-type]
        assert names(table) == expected
        assert column(table, 1) == (["+1.0"] if by == "weekday" else ["+3.0", "−2.0"])
    table.set_grouping("hour")
    spot = table.visualRect(table.changes.index(1, 3)).center()
    qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=spot)
    assert context.selection.value.jobs == {2}
    table.set_grouping("queue")
    context.selection.select_queue(0)
    assert [index.row() for index in table.selectionModel().selectedRows()] == [0]
