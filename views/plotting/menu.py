"""The entries that the context menu of every plot has, below what its owner offers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Literal

from views.widgets.menu_entries import MenuEntry, MenuItem, note

Drag = Literal["pick", "move", "zoom"]
"""What a drag does."""

DRAGS: Mapping[Drag, str] = {
    "pick": "Drag picks what is in a rectangle",
    "move": "Drag moves",
    "zoom": "Drag zooms to a rectangle",
}
"""As menus name them."""


def common_entries(
    fit: Callable[[], None] | None,
    drags: Mapping[Drag, str],
    drag: Drag,
    let_drag: Callable[[Drag], None],
) -> list[MenuItem]:
    """Show all (`fit`; None: all is shown), and what a drag does, of these."""
    kinds = [
        MenuEntry(text, partial(let_drag, literal), on=drag == literal, radio=True)
        for literal, text in drags.items()
    ]
    whole = note("View all") if fit is None else MenuEntry("View all", fit)
    return [None, whole, *kinds]
