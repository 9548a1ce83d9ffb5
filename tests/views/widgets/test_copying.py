from __future__ import annotations

import pytest
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from views.widgets.copying import copy_cells

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
