from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.window import MainWindow


def test_a_right_click_on_a_chart_offers_what_fits(qtbot: QtBot, window: MainWindow) -> None:
    chart = window.page.panels[2].gantt
    place = QPoint(chart.width() // 2, chart.height() // 2)
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, place, chart.mapToGlobal(place))
    QApplication.sendEvent(chart, event)
    context = window.menus.context
    qtbot.waitUntil(context.isVisible)
    offered = [action.text().replace("&", "") for action in context.actions()]
    assert {"Fit all", "Zoom back", "Gantt colours", "Export chart"} <= set(offered)
    window.clock.zoom(0.5)
    context.setActiveAction(next(action for action in context.actions() if action.text() == "&Fit all"))
    qtbot.keyClick(context, Qt.Key.Key_Return)
    assert window.clock.window == window.clock.bounds
    qtbot.waitUntil(lambda: not context.isVisible())
