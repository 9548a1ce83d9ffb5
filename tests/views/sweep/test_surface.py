"""The page of sweeps and its surface, as they are seen and used."""

import pytest
from PySide6.QtCore import QEvent, QPointF, QRect, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QToolTip
from pytestqt.qtbot import QtBot

from engine.policy.policy import parse_policy
from engine.sweep.grid import Grid, make_grid
from tests.views.context import colour_at, mouse
from views.data.sweep_cells import SweepResults
from views.sweep.page import SweepPage
from views.theme.palette import WAIT, contrast
from views.theme.theme import DARK, LIGHT

GRID = make_grid(parse_policy("metric"), ("bf", "0, 1"), ("window", "1, 2, 3"))
WAITS = [300.0, 100.0, 200.0, 400.0, 500.0, 350.0]


@pytest.fixture
def page(qtbot: QtBot) -> SweepPage:
    page = SweepPage(LIGHT)
    qtbot.addWidget(page)
    page.resize(900, 300)
    page.show()
    page.activateWindow()
    return page


def fill(page: SweepPage, count: int = 6) -> None:
    page.show_progress(0.0)
    summaries = {k: {"wait_mean": WAITS[k], "utilization": k / 10} for k in range(count)}
    page.show_results(SweepResults(GRID, summaries=summaries))


def cell_at(page: SweepPage, row: int, column: int) -> QRect:
    """Where a cell lies in the viewport."""
    return page.surface.visualRect(page.surface.model().index(row, column))


def picture(page: SweepPage) -> QImage:
    return page.surface.viewport().grab().toImage()


def corner(page: SweepPage, row: int, column: int) -> str:
    """The colour near the upper left corner of a cell, within its frame."""
    cell = cell_at(page, row, column)
    return colour_at(picture(page), cell.left() + 8, cell.top() + 8)


def told_at(page: SweepPage, row: int, column: int) -> str:
    return page.surface.tooltip_at(cell_at(page, row, column).center().toPointF())


def test_it_begins_with_the_grid_of_the_paper(page: SweepPage, qtbot: QtBot) -> None:
    with qtbot.waitSignal(page.sweep_wanted) as emitted:
        qtbot.mouseClick(page.go, Qt.MouseButton.LeftButton)
    grid, metric = emitted.args
    assert metric == "wait_mean"
    assert isinstance(grid, Grid)
    assert grid.rows.values == ("0", "0.25", "0.5", "0.75", "1")
    assert grid.columns.values == ("1", "2", "3", "4", "5")


def test_the_field_of_the_policy_has_a_label_that_is_seen(page: SweepPage) -> None:
    label = page.base_label
    assert (label.text(), label.buddy()) == ("Policy:", page.base)
    assert label.isVisible()
    assert not label.geometry().intersects(page.base.geometry())
    assert label.geometry().right() < page.base.geometry().left() < page.keys[0].geometry().left()


def test_keys_and_values_can_be_chosen_and_mistakes_are_reported(page: SweepPage, qtbot: QtBot) -> None:
    page.base.selectAll()
    qtbot.keyClicks(page.base, "easy")
    page.keys[0].setCurrentText("Reserved blocked jobs (depth)")
    page.values[0].selectAll()
    qtbot.keyClicks(page.values[0], "1 20")
    qtbot.mouseClick(page.go, Qt.MouseButton.LeftButton)  # a window needs depth=1
    assert page.message.isVisible()
    assert "windows need depth=1" in page.message.text()
    page.keys[1].setCurrentText("Time between passes (pass_every)")
    page.values[1].selectAll()
    qtbot.keyClicks(page.values[1], "1d, 2d")
    with qtbot.waitSignal(page.sweep_wanted) as emitted:
        qtbot.keyClick(page.values[1], Qt.Key.Key_Return)
    assert [str(policy) for policy in emitted.args[0].policies][-1] == "easy:depth=20,pass_every=2d"
    assert not page.message.isVisible()


def test_cells_come_as_they_are_done(page: SweepPage) -> None:
    fill(page, 4)
    assert page.sweeping
    assert corner(page, 1, 1) == LIGHT.alternate
    assert corner(page, 1, 0) == WAIT[0]  # the worst so far
    assert corner(page, 0, 1) == WAIT[-1]  # the best
    fill(page)
    page.end()
    assert not page.sweeping
    assert corner(page, 1, 1) == WAIT[0]


def test_the_best_cell_is_marked_whichever_way_is_better(page: SweepPage) -> None:
    fill(page)
    assert page.cells.best == 1
    cell, image = cell_at(page, 0, 1), picture(page)
    assert contrast(colour_at(image, cell.left() + 1, cell.center().y()), LIGHT.text) < 1.2
    page.measure.setCurrentText("Utilization")
    assert page.cells.best == 5
    assert corner(page, 1, 2) == WAIT[-1]


def test_the_worst_cell_is_marked_too(page: SweepPage) -> None:
    fill(page)
    cells = page.cells
    assert cells is not None
    assert cells.worst == 4
    assert cells.text(4) == "▽ 8 min 20 s"
    assert cells.text(1) == "★ 1 min 40 s"
    assert "+400 % against the best cell: the worst" in told_at(page, 1, 1)
    image, cell = picture(page), cell_at(page, 1, 1)
    edge = {colour_at(image, cell.left() + 1, y) for y in range(cell.top() + 4, cell.bottom() - 4)}
    assert {LIGHT.text, WAIT[0]} & edge == {LIGHT.text, WAIT[0]}  # dots, and what lies between them
    page.measure.setCurrentText("Utilization")
    assert page.cells is not None
    assert page.cells.worst == 0


def test_where_all_cells_are_the_same_none_is_marked(page: SweepPage) -> None:
    page.show_results(SweepResults(GRID, summaries={k: {"wait_mean": 0.0} for k in range(6)}))
    assert page.cells is not None
    assert page.cells.ends is None
    assert page.cells.best is page.cells.worst is None
    assert corner(page, 0, 0) == WAIT[-1]


def test_a_cell_tells_its_policy_and_its_distance_from_the_best(page: SweepPage, qtbot: QtBot) -> None:
    fill(page, 5)
    found = told_at(page, 0, 2).split("\n")
    assert found[:3] == ["metric:bf=0,window=3", "Mean wait: 3 min 20 s", "+100 % against the best cell"]
    assert "not simulated yet" in told_at(page, 1, 2)
    assert "the best cell" in told_at(page, 0, 1)
    assert page.surface.tooltip_at(QPointF(-1, -1)) == ""
    mouse(
        page.surface.viewport(),
        QEvent.Type.MouseMove,
        cell_at(page, 0, 2).center().toPointF(),
        Qt.MouseButton.NoButton,
    )
    assert "window=3" in QToolTip.text()
    QToolTip.hideText()
    qtbot.waitUntil(lambda: not QToolTip.isVisible())


def test_headings_name_the_values_and_the_line_above_the_keys(page: SweepPage) -> None:
    assert page.empty.isVisible()
    assert not page.surface.isVisible()
    fill(page)
    assert page.surface.isVisible()
    assert not page.empty.isVisible()
    model = page.surface.model()
    assert [model.headerData(k, Qt.Orientation.Horizontal) for k in range(3)] == ["1", "2", "3"]
    assert [model.headerData(k, Qt.Orientation.Vertical) for k in range(2)] == ["0", "1"]
    tip = model.headerData(1, Qt.Orientation.Vertical, Qt.ItemDataRole.ToolTipRole)
    assert tip == "bf=1"
    image = page.heading.grab().toImage()
    assert len({colour_at(image, x, image.height() / 2) for x in range(image.width())}) > 20  # the bar


def test_all_of_a_large_grid_is_seen(page: SweepPage) -> None:
    numbers = ", ".join(str(k / 20) for k in range(20))
    thresholds = "1h,2h,3h,4h,5h,6h,7h,8h,9h,10h"
    grid = make_grid(parse_policy("metric"), ("bf", numbers), ("threshold", thresholds))
    page.show_results(SweepResults(grid))
    QApplication.processEvents()
    last = cell_at(page, 19, 9)
    assert page.surface.viewport().rect().contains(last)
    assert last.height() >= 4


def test_a_click_or_enter_chooses_a_cell(page: SweepPage, qtbot: QtBot) -> None:
    fill(page)
    with qtbot.waitSignal(page.run_wanted) as emitted:
        middle = cell_at(page, 1, 1).center()
        qtbot.mouseClick(page.surface.viewport(), Qt.MouseButton.LeftButton, pos=middle)
    assert str(emitted.args[0]) == "metric:window=2"
    qtbot.keyClick(page.surface, Qt.Key.Key_Right)
    qtbot.keyClick(page.surface, Qt.Key.Key_Up)
    with qtbot.waitSignal(page.run_wanted) as emitted:
        qtbot.keyClick(page.surface, Qt.Key.Key_Return)
    assert str(emitted.args[0]) == "metric:bf=0,window=3"


def test_a_sweep_under_way_can_be_cancelled_and_forgotten(page: SweepPage, qtbot: QtBot) -> None:
    page.show_results(SweepResults(GRID))
    page.show_progress(0.4)
    assert page.progress.value() == 400
    with qtbot.waitSignal(page.cancel_wanted):
        qtbot.mouseClick(page.go, Qt.MouseButton.LeftButton)
    page.end("Cancelled")
    assert page.go.text() == "Sweep"
    page.clear()
    assert page.cells is None
    page.set_theme(DARK)
    assert page.surface.grab().toImage() is not None
