"""A list of all menu actions, for the command palette and the key sheet."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QMenuBar


@dataclass(frozen=True)
class Entry:
    """An action and the menus that contain it, from the menu bar down."""

    action: QAction
    menus: tuple[str, ...]

    @property
    def name(self) -> str:
        """The menu text, without access keys and dots."""
        return plain(self.action.text())

    @property
    def keys(self) -> str:
        """The shortcut as this desktop writes it; empty where there is none."""
        return self.action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)


def entries(bar: QMenuBar) -> list[Entry]:
    """Every action of the menu bar, in the order of the menus, including menus that are filled on opening."""
    return list(_walk(bar, ()))


def plain(text: str) -> str:
    """A label of a menu without `&` and dots."""
    return re.sub(r"&(.)", r"\1", text).removesuffix("…")


def _walk(owner: QMenuBar | QMenu, menus: tuple[str, ...]) -> Iterator[Entry]:
    """`QAction.menu` is left alone: PySide deletes the menu that it gives with the wrapper of the action."""
    inner = owner.findChildren(QMenu, options=Qt.FindChildOption.FindDirectChildrenOnly)
    for action in owner.actions():
        menu = next((candidate for candidate in inner if candidate.menuAction() == action), None)
        if menu is not None:
            menu.aboutToShow.emit()
            yield from _walk(menu, (*menus, plain(menu.title())))
        elif not action.isSeparator() and action.isVisible():
            yield Entry(action, menus)
