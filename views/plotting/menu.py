"""The entries that the context menu of every plot has, below what its owner offers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu

Drag = Literal["pick", "move", "zoom"]
"""What a drag does."""

DRAGS: Mapping[Drag, str] = {
    "pick": "Drag picks what is in a rectangle",
    "move": "Drag moves",
    "zoom": "Drag zooms to a rectangle",
}
"""As menus name them."""


def add_common(
    menu: QMenu,
    fit: Callable[[], None] | None,
    drags: Mapping[Drag, str],
    drag: Drag,
    let_drag: Callable[[Drag], None],
) -> None:
    """Add to a menu: show all (`fit`; None: all is shown), and what a drag does, of these."""
    menu.addSeparator()
    whole = menu.addAction("View all")
    whole.setEnabled(fit is not None)
    if fit is not None:
        whole.triggered.connect(lambda _: fit())
    group = QActionGroup(menu)
    for one, text in drags.items():
        action = QAction(text, group, checkable=True, checked=drag == one)
        action.triggered.connect(lambda _, one=one: let_drag(one))
        menu.addAction(action)
