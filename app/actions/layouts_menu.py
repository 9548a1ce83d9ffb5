"""Saved layouts: the menu that keeps, restores and deletes them by name."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QInputDialog, QMenu

from app.session.fields import from_json
from app.shell.layout import Dock, Layout, apply_layout, layout_of

if TYPE_CHECKING:
    from app.shell.window import MainWindow

MOST_LAYOUTS = 30
_LONGEST_NAME = 60

FIRST = Layout(docks={"Runs": Dock("left", True, 200), "Selected": Dock("right", True, 305)})
"""As the program shows itself at first."""


def fill_layouts(window: MainWindow, menu: QMenu) -> None:
    """Fill the menu whenever it is opened: layouts are shared by all windows."""
    menu.clear()
    for old in menu.findChildren(QMenu):
        old.deleteLater()
    names = sorted(window.settings.layouts, key=str.casefold)
    there = window.workbench.study is not None
    menu.addAction("As at &first", lambda: apply_layout(window, FIRST)).setEnabled(there)
    for name in names:
        menu.addAction(_label(name), partial(restore_layout, window, name)).setEnabled(there)
    menu.addSeparator()
    menu.addAction("&Save this layout…", lambda: save_layout(window)).setEnabled(there)
    away = menu.addMenu("&Delete")
    away.setEnabled(bool(names))
    for name in names:
        away.addAction(_label(name), partial(delete_layout, window, name))


def save_layout(window: MainWindow) -> None:
    """Ask for a name and keep the layout under it."""
    names = sorted(window.settings.layouts, key=str.casefold)
    name, accepted = QInputDialog.getItem(
        window, "Save this layout", "Name of the layout (one that there is already is replaced)", names
    )
    name = name.strip()[:_LONGEST_NAME]
    if not accepted or not name:
        return
    if name not in window.settings.layouts and len(window.settings.layouts) >= MOST_LAYOUTS:
        window.messages.show_message(f"There are {MOST_LAYOUTS} layouts already; delete one first.")
        return
    window.settings.layouts[name] = asdict(layout_of(window))
    window.messages.show_message(f"Layout {name} is in the View menu.", seconds=4)


def restore_layout(window: MainWindow, name: str) -> None:
    """Bring the window into a saved layout."""
    apply_layout(window, from_json(Layout, window.settings.layouts.get(name)))


def delete_layout(window: MainWindow, name: str) -> None:
    """Forget a saved layout; it can be had back for a while."""
    layout = window.settings.layouts.pop(name, None)

    def put_back() -> None:
        window.settings.layouts[name] = layout

    if layout is not None:
        undo = {"Undo": put_back}
        window.messages.show_message(f"Layout {name} was deleted.", answers=undo, seconds=10)


def _label(name: str) -> str:
    return name.replace("&", "&&")
