"""The context menu of charts over time, and the tool bar, which offer the same actions."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QMenu, QToolBar, QToolButton

from app.actions.marks import ask_for_mark
from app.actions.panel_menu import PanelEntries
from app.actions.spot_menu import SpotMenu, copy_picture
from app.actions.view_menu import INSTANT_TIP, LOOKS, MOVES, OF_SELECTION
from app.actions.window_actions import WindowActions
from views.state.selection import Selection
from views.state.spot import Spot


def fill_bar(bar: QToolBar, offered: WindowActions) -> None:
    """Fill the tool bar: moving in time, and the menus that change what the charts show."""
    for name in MOVES:
        bar.addAction(offered.actions[name])
    bar.addSeparator()
    for menu in (offered.menu(name) for name in LOOKS):
        button = QToolButton(bar, autoRaise=True)
        button.setText(menu.title().replace("&", ""))
        button.setToolTip(button.text())
        button.setMenu(menu)
        button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        bar.addWidget(button)


def fill_context(
    menu: QMenu,
    inspect: Callable[[float], object],
    spots: SpotMenu,
    offered: WindowActions,
) -> Callable[[QPoint, Spot], None]:
    """Fill the menu; gives what opens it at a position on the screen, for a spot in a chart."""
    instant = menu.addAction("&Inspect this instant")
    instant.setToolTip(INSTANT_TIP)
    instant.triggered.connect(lambda: inspect(instant.data()))
    mark = menu.addAction("Mark this &time…")
    mark.triggered.connect(lambda: ask_for_mark(spots.models, Selection(), mark.data(), spots.window))
    for names in (MOVES, (*OF_SELECTION, "filter by selection", "measure range")):
        menu.addSeparator()
        menu.addActions([offered.actions[name] for name in names])
    menu.addSeparator()
    for name in (*LOOKS, "export chart"):
        menu.addMenu(offered.menu(name))
    copied = menu.addAction("Copy as a pict&ure")
    copied.triggered.connect(lambda: copy_picture(copied.data()))
    panels = PanelEntries(spots.models, menu)

    def show(position: QPoint, spot: Spot) -> None:
        for action in (instant, mark):
            action.setData(spot.time)  # the mouse is elsewhere by the time that this is chosen
            action.setEnabled(spot.time is not None)
        copied.setData(spot.widget)
        panels.offer(spot)
        spots.offer(menu, spot)
        menu.popup(position)

    return show
