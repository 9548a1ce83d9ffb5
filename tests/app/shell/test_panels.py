"""Charts of runs that are hidden, pinned to the top and dragged elsewhere, and what undoes that."""

from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from app.panels.charts.run_panel import RunPanel
from app.shell.window import MainWindow
from tests.app.session.sessions import save_as
from tests.app.shell.test_undo import offers, redo, undo
from tests.app.windows import EASY, FAIR_EASY, FAIR_FCFS, FCFS, panel, settle
from tests.views.context import mouse
from views.timechart.chart import TimeChart


@pytest.fixture
def window(reopened_window: MainWindow) -> MainWindow:
    """One for all tests of this file."""
    return reopened_window


def choose(window: MainWindow, chart: TimeChart, text: str) -> None:
    """Choose an entry of the menu that a right click on a chart opens."""
    position = chart.rect().center()
    reason = QContextMenuEvent.Reason.Mouse
    QApplication.sendEvent(chart, QContextMenuEvent(reason, position, chart.mapToGlobal(position)))
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    # The text has to be there exactly once.
    (found,) = (
        action for action in menu.actions() if action.text().replace("&", "") == text and action.isVisible()
    )
    found.trigger()
    menu.close()
    # The menu took the focus from the window.
    window.activateWindow()
    settle(window)


def hidden_charts(window: MainWindow) -> QMenu:
    """The submenu of hidden charts, as it opens."""
    (found,) = (menu for menu in window.findChildren(QMenu) if menu.title() == "&Hidden charts")
    found.aboutToShow.emit()
    return found


def bring_back(window: MainWindow, text: str) -> None:
    """Choose an entry of that submenu."""
    menu = hidden_charts(window)
    (found,) = (action for action in menu.actions() if action.text().replace("&", "") == text)
    found.trigger()
    settle(window)


def order(window: MainWindow) -> list[int]:
    """The runs of the panels that are seen, from the first place to the last."""
    shown = [each_panel for each_panel in window.page.runs.panels.values() if each_panel.isVisible()]
    return [
        shown_item.run_id
        for shown_item in sorted(shown, key=lambda shown_item: (shown_item.y(), shown_item.x()))
    ]


def title(chart: TimeChart) -> QPointF:
    """A position in the title line of a chart, on the name."""
    return QPointF(chart.frame().title.topLeft()) + QPointF(30, 9)


def drag_title(source: RunPanel, target: RunPanel) -> None:
    """Drag the title of the upper chart of a panel to the middle of another one."""
    chart = source.gantt
    end = chart.mapFromGlobal(target.mapToGlobal(QPointF(target.rect().center())))
    mouse(chart, QEvent.Type.MouseButtonPress, title(chart))
    for share in (0.1, 0.5, 1.0):
        mouse(chart, QEvent.Type.MouseMove, title(chart) + (end - title(chart)) * share)
    mouse(chart, QEvent.Type.MouseButtonRelease, end)


def test_any_chart_hides_and_comes_back(qtbot: QtBot, window: MainWindow) -> None:
    window.resize(1400, 1400)
    settle(window)
    run = panel(window, EASY)
    assert not hidden_charts(window).menuAction().isEnabled()
    for kind in ("gantt", "cpu"):
        choose(window, run.kinds[kind], "Hide this chart")
        assert not run.kinds[kind].isVisible()
        assert panel(window, FCFS).kinds[kind].isVisible()
    assert run.heatmap.isVisible()
    assert "easy" in run.heatmap.title  # the run is named over the first chart that is left
    bring_back(window, "easy: Gantt chart")
    assert run.gantt.isVisible()
    assert not run.cpu.isVisible()
    assert offers(window)[0].startswith("Undo the showing of a chart")
    undo(qtbot, window)
    assert not run.gantt.isVisible()
    redo(qtbot, window)
    assert run.gantt.isVisible()
    bring_back(window, "All of them")
    assert run.cpu.isVisible()


def test_b_brings_hidden_charts_back(qtbot: QtBot, window: MainWindow) -> None:
    chart = panel(window, FCFS).heatmap
    choose(window, chart, "Hide this chart")
    assert not chart.isVisible()
    qtbot.keyClick(window, Qt.Key.Key_B)
    settle(window)
    assert chart.isVisible()


def test_a_run_all_of_whose_charts_are_hidden_leaves_its_place(window: MainWindow) -> None:
    hidden = tuple((FCFS, kind) for kind in panel(window, FCFS).kinds)
    look = window.view.options.panels
    for chart in hidden:
        look = look.hide(chart)
    window.view.choose(panels=look)
    settle(window)
    assert order(window) == [FAIR_FCFS, EASY, FAIR_EASY]


def test_a_panel_is_dragged_by_its_title_and_that_is_undone(qtbot: QtBot, window: MainWindow) -> None:
    before, seen = window.clock.window, order(window)
    assert seen == [FCFS, FAIR_FCFS, EASY, FAIR_EASY]
    drag_title(panel(window, FAIR_EASY), panel(window, FCFS))
    settle(window)
    assert order(window) == [FAIR_EASY, FCFS, FAIR_FCFS, EASY]
    assert window.clock.window == before  # it moved no time
    drag_title(panel(window, FAIR_EASY), panel(window, EASY))
    settle(window)
    assert order(window) == [FCFS, FAIR_FCFS, EASY, FAIR_EASY]
    for expected in ([FAIR_EASY, FCFS, FAIR_FCFS, EASY], seen):
        assert "Undo the move of a run's charts" in offers(window)[0]
        undo(qtbot, window)
        assert order(window) == expected
    chart = panel(window, FCFS).gantt
    mouse(chart, QEvent.Type.MouseMove, title(chart) + QPointF(200, 60))  # nothing is held any more
    assert window.clock.window == before


def test_a_pinned_run_is_the_first_and_stays_in_sight(window: MainWindow) -> None:
    choose(window, panel(window, EASY).heatmap, "Pin to the top")
    assert order(window) == [EASY, FCFS, FAIR_FCFS, FAIR_EASY]
    window.view.choose(columns=1)
    window.resize(1280, 420)
    settle(window)
    bar, area = window.page.runs.verticalScrollBar(), window.page.runs.viewport()
    assert bar.maximum() > 0
    bar.setValue(bar.maximum())
    QApplication.processEvents()
    pinned = panel(window, EASY)
    assert pinned.mapTo(area, QPoint()).y() == 0
    assert area.childAt(pinned.mapTo(area, pinned.rect().center())) in pinned.charts
    choose(window, pinned.gantt, "Pin to the top")  # no longer
    assert order(window) == [FCFS, FAIR_FCFS, EASY, FAIR_EASY]


def test_sessions_keep_places_and_hidden_charts(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drag_title(panel(window, EASY), panel(window, FCFS))
    choose(window, panel(window, FCFS).heatmap, "Hide this chart")
    path = tmp_path / "moved.batchscope"
    save_as(qtbot, window, path, monkeypatch)
    window.view.choose(panels=type(window.view.options.panels)())
    window.open_path(path)
    settle(window)
    assert order(window) == [EASY, FCFS, FAIR_FCFS, FAIR_EASY]
    assert not panel(window, FCFS).heatmap.isVisible()
    assert window.view.options.panels.hidden == ((FCFS, "heatmap"),)
