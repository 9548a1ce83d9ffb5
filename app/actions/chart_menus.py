"""What a right click on a chart over time offers, and the tool bar: the same actions, within reach."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPoint
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QToolBar, QToolButton

from app.actions.view_menu import INSTANT_TIP, ViewMenu


def fill_bar(bar: QToolBar, view: ViewMenu) -> None:
    """Fill the tool bar: moving in time, and the menus that change what the charts show."""
    for action in view.moves:
        bar.addAction(action)
    bar.addSeparator()
    for menu in view.looks:
        button = QToolButton(bar, autoRaise=True)
        button.setText(menu.title().replace("&", ""))
        button.setToolTip(button.text())
        button.setMenu(menu)
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        bar.addWidget(button)


def fill_context(
    menu: QMenu,
    inspect: Callable[[float], object],
    view: ViewMenu,
    by_selection: QAction,
    export: QMenu,
) -> Callable[[QPoint, float], None]:
    """Fill the menu; gives what opens it at a position on the screen, for a time in s."""
    instant = menu.addAction("&Inspect this instant")
    instant.setToolTip(INSTANT_TIP)
    instant.triggered.connect(lambda: inspect(instant.data()))
    for actions in (view.moves, [*view.of_selection, by_selection]):
        menu.addSeparator()
        menu.addActions(actions)
    menu.addSeparator()
    for inner in (*view.looks, export):
        menu.addMenu(inner)

    def show(position: QPoint, time: float) -> None:
        instant.setData(time)  # the mouse is elsewhere by the time that this is chosen
        menu.popup(position)

    return show
