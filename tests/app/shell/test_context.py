from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.shell.window import MainWindow


def test_a_right_click_on_a_chart_offers_what_fits(qtbot: QtBot, window: MainWindow) -> None:
    chart = window.page.runs.panels[2].gantt
    position = QPoint(chart.width() // 2, chart.height() // 2)
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, position, chart.mapToGlobal(position))
    QApplication.sendEvent(chart, event)
    context = window.menus.context
    qtbot.waitUntil(context.isVisible)
    offered = [action.text().replace("&", "") for action in context.actions()]
    assert {"Fit all", "Zoom back", "Gantt colours", "Export chart", "Filter by the selection"} <= set(
        offered
    )
    words = [text for text in offered if text]
    assert len(set(words)) == len(words) < 17  # each thing once, and few enough to be read
    window.clock.zoom(0.5)
    context.setActiveAction(next(action for action in context.actions() if action.text() == "&Fit all"))
    qtbot.keyClick(context, Qt.Key.Key_Return)
    assert window.clock.window == window.clock.bounds
    qtbot.waitUntil(lambda: not context.isVisible())


def test_users_of_the_heatmaps_can_stand_in_another_order(qtbot: QtBot, window: MainWindow) -> None:
    heatmap = window.page.runs.panels[1].heatmap
    before = heatmap.grab().toImage()
    menu = next(a for a in window.menus.context.actions() if a.text() == "&Heatmaps").menu()
    next(action for action in menu.actions() if action.text() == "By name").trigger()
    window.wait_until_drawn(20)
    assert heatmap.grab().toImage() != before
    assert window.settings.view.heatmaps.order == "name"
