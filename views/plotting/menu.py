"""What the one context menu of a plot has for any plot, below what its owner offers."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu


def add_common(
    menu: QMenu, fit: Callable[[], None] | None, drag_zooms: bool, let_drag_zoom: Callable[[bool], None]
) -> None:
    """Add to a menu: show all (`fit`; None: all is shown), and what a drag does."""
    menu.addSeparator()
    whole = menu.addAction("View all")
    whole.setEnabled(fit is not None)
    if fit is not None:
        whole.triggered.connect(lambda _: fit())
    group = QActionGroup(menu)
    for text, zooms in (("Drag moves", False), ("Drag zooms to a rectangle", True)):
        action = QAction(text, group, checkable=True, checked=drag_zooms == zooms)
        action.triggered.connect(lambda _, zooms=zooms: let_drag_zoom(zooms))
        menu.addAction(action)
