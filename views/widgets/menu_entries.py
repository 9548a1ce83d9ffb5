"""Menus as values: lists of entries, made anew whenever a menu opens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction, QActionGroup, QIcon
from PySide6.QtWidgets import QMenu, QWidget

from engine.shown_text import in_a_line


@dataclass(frozen=True)
class MenuEntry:
    """An entry of a menu.

    `text`: the label, with `&` before its access key. `run`: called when the user picks the entry; None for a
    submenu. `on`: whether the entry is checked; None if it has no check mark. `radio`: only one of the radio
    entries of a list is checked. `inner`: the entries of the submenu.
    """

    text: str
    run: Callable[[], object] | None = None
    enabled: bool = True
    on: bool | None = None
    radio: bool = False
    inner: Sequence[MenuItem] = ()
    tip: str = ""
    icon: QIcon | None = None


MenuItem = MenuEntry | QAction | QMenu | None
"""An item of a menu: an entry, an action or menu that other menus contain too, or None for a separator."""


def literal(name: str) -> str:
    """A name as the text of an entry, in which `&` marks no access key."""
    return in_a_line(name).replace("&", "&&")


def note(text: str) -> MenuEntry:
    """A line that cannot be chosen, such as what a list says while it is empty."""
    return MenuEntry(text, lambda: None, enabled=False)


def fill(menu: QMenu, items: Sequence[MenuItem]) -> None:
    """Add these items at the end of a menu."""
    group: QActionGroup | None = None
    for item in items:
        if item is None:
            menu.addSeparator()
        elif isinstance(item, QAction):
            menu.addAction(item)
        elif isinstance(item, QMenu):
            menu.addMenu(item)
        elif item.run is None:
            inner = menu.addMenu(item.text)
            inner.setEnabled(item.enabled)
            fill(inner, item.inner)
        else:
            action = _add(menu, item, item.run)
            if item.radio:
                group = group or QActionGroup(action)  # deleted with the first of its actions
                group.addAction(action)


def refill(menu: QMenu, items: Sequence[MenuItem], fixed: int = 0) -> None:
    """Replace the items of a menu, all but the first `fixed`, by these."""
    old = menu.actions()[fixed:]
    for inner in menu.findChildren(QMenu, options=Qt.FindChildOption.FindDirectChildrenOnly):
        if inner.menuAction() in old:
            inner.deleteLater()
    for action in old:
        menu.removeAction(action)
        if action.parent() == menu:
            action.deleteLater()
    fill(menu, items)


def open_menu(
    title: str, items: Sequence[MenuItem], place: QPoint, parent: QWidget, right_aligned: bool = False
) -> None:
    """Open a context menu below a place on the screen, to its right, or to its left if `right_aligned`.

    The menu deletes itself when it closes.
    """
    menu = QMenu(title, parent)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    fill(menu, items)
    menu.popup(place - QPoint(menu.sizeHint().width(), 0) if right_aligned else place)


def _add(menu: QMenu, entry: MenuEntry, run: Callable[[], object]) -> QAction:
    action = menu.addAction(entry.text)
    action.setEnabled(entry.enabled)
    if entry.icon is not None:
        action.setIcon(entry.icon)
    if entry.tip:
        action.setToolTip(entry.tip)
        menu.setToolTipsVisible(True)
    if entry.on is not None:
        action.setCheckable(True)
        action.setChecked(entry.on)
    action.triggered.connect(lambda: run())
    return action
