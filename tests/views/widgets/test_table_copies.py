import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QAbstractItemView, QTableWidget, QTableWidgetItem
from pytestqt.qtbot import QtBot

from views.widgets.table_copies import CopyRows, copy_cells, plain_number

CELLS = [["user\nname", "wait"], ["=1+1\tx", "-5"], ["a\r\nb", "1.5"], ["\u202e@x", "+2"], ["@x", "plain"]]


@pytest.mark.parametrize("exact", [False, True])
def test_a_name_is_one_cell_of_one_line(qtbot: QtBot, exact: bool) -> None:
    copy_cells(CELLS, exact=exact)
    lines = [line.split("\t") for line in QGuiApplication.clipboard().text().split("\n")]
    assert [len(line) for line in lines] == [2] * len(CELLS)
    assert [value for _, value in lines] == ["wait", "-5", "1.5", "+2", "plain"]
    names = [name for name, _ in lines[1:]]
    first, last = ("'=1+1\\tx", "'@x") if exact else ("=1+1\\tx", "@x")
    assert names == [first, "a\\r b" if not exact else "a\\r\\nb", "\\u202e@x", last]


@pytest.mark.parametrize(
    ("cell", "copied"),
    [
        ("353\u202f776", "353776"),
        ("\u22121\u202f240.5", "-1240.5"),
        ("+3", "+3"),
        ("12", "12"),
        ("2 h 13 min", "2 h 13 min"),
        ("1\u202f240 %", "1\u202f240 %"),
        ("\u2212x", "\u2212x"),
        ("\u2013", "\u2013"),
    ],
)
def test_a_number_without_a_unit_is_copied_as_spreadsheets_read_it(cell: str, copied: str) -> None:
    assert plain_number(cell) == copied


@pytest.mark.parametrize(
    ("mode", "selected", "copied"),
    [
        (QAbstractItemView.SelectionMode.ExtendedSelection, None, ["a", "b", "c"]),
        (QAbstractItemView.SelectionMode.ExtendedSelection, 1, ["b"]),
        (QAbstractItemView.SelectionMode.SingleSelection, 1, ["a", "b", "c"]),
    ],
)
def test_the_key_copies_the_selected_row_where_several_can_be_selected(
    qtbot: QtBot, mode: QAbstractItemView.SelectionMode, selected: int | None, copied: list[str]
) -> None:
    table = QTableWidget(3, 1)
    qtbot.addWidget(table)
    table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    table.setSelectionMode(mode)
    table.setHorizontalHeaderLabels(["user"])
    for row, name in enumerate("abc"):
        table.setItem(row, 0, QTableWidgetItem(name))
    CopyRows(table)
    if selected is not None:
        table.selectRow(selected)
    qtbot.keyClick(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text().split("\n") == ["user", *copied]
