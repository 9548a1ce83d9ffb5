"""The context menu of charts over time, and the tool bar, which offer the same actions."""

from __future__ import annotations

from functools import partial

from PySide6.QtWidgets import QToolBar, QToolButton

from app.actions.marks import ask_for_mark
from app.actions.panel_menu import panel_entries
from app.actions.spot_menu import SpotMenu, copy_picture
from app.actions.view_menu import INSTANT_TIP, LOOKS, MOVES, OF_SELECTION
from app.actions.window_actions import WindowActions
from views.state.selection import Selection
from views.state.spot import Spot
from views.widgets.menu_entries import MenuEntry, MenuItem


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


def chart_entries(offered: WindowActions, spots: SpotMenu, spot: Spot) -> list[MenuItem]:
    """The entries of the context menu of a chart on the clock, for a spot in it."""
    models, time = spots.models, spot.time

    def inspect() -> None:
        if time is not None:
            models.selection.select_instant(time)

    def mark() -> None:
        ask_for_mark(models, Selection(), time, spots.window)

    # Beside the plot a click has no instant: entries that need an instant are shown, but disabled.
    there = time is not None
    moves, picked = (
        [offered.actions[name] for name in names]
        for names in (MOVES, (*OF_SELECTION, "filter by selection", "measure range"))
    )
    # From the most specific to the most general: the item, the instant, the view, the selection, the chart.
    return [
        *spots.entries(spot),
        MenuEntry("&Inspect this instant", inspect, there, tip=INSTANT_TIP),
        MenuEntry("Mark this &time…", mark, there),
        None,
        *moves,
        None,
        *picked,
        None,
        *(offered.menu(name) for name in (*LOOKS, "export chart")),
        MenuEntry("Copy as a pict&ure", partial(copy_picture, spot.widget)),
        *panel_entries(models, spot),
    ]
