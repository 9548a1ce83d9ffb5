"""Saved layouts: the menu that keeps, restores and deletes them by name."""

from __future__ import annotations

from dataclasses import asdict, replace
from functools import partial
from typing import Protocol

from PySide6.QtWidgets import QInputDialog, QWidget

from app.model.documents.from_json import from_json
from app.model.layout import Dock, LayoutState
from app.model.models import Models
from views.widgets.menu_entries import MenuEntry, MenuItem, literal

MOST_LAYOUTS = 30
_LONGEST_NAME = 60

FIRST = LayoutState(
    docks={
        "Runs": Dock("top", True, 1),
        "Explore": Dock("left", False, 230),
        "Selected": Dock("right", True, 305),
    }
)
"""As the program shows itself at first."""


class Layouts(Protocol):
    """The part of the window that saves and restores its layout."""

    def layout(self) -> LayoutState:
        """The present layout."""

    def apply(self, layout: LayoutState) -> None:
        """Restore a layout of the window."""


def layout_entries(models: Models, layouts: Layouts, window: QWidget) -> list[MenuItem]:
    """The entries of the menu of layouts, which all windows share."""
    names = sorted(models.settings.layouts, key=str.casefold)
    there = models.workbench.is_open
    away = [MenuEntry(literal(name), partial(_delete, models, name)) for name in names]
    return [
        MenuEntry("&Default layout", partial(_apply, models, layouts, FIRST), there),
        *(MenuEntry(literal(name), partial(_restore, models, layouts, name), there) for name in names),
        None,
        MenuEntry("&Save this layout…", partial(save_layout, models, layouts, window), there),
        MenuEntry("&Delete", enabled=bool(names), inner=away),
    ]


def save_layout(models: Models, layouts: Layouts, window: QWidget) -> None:
    """Ask for a name and keep the layout under it."""
    kept = models.settings.layouts
    names = sorted(kept, key=str.casefold)
    name, accepted = QInputDialog.getItem(
        window,
        "Save this layout",
        "Name of the layout (an existing layout of that name is replaced)",
        names,
    )
    name = name.strip()[:_LONGEST_NAME]
    if not accepted or not name:
        return
    # A layout that is replaced takes no further place.
    if name not in kept and len(kept) >= MOST_LAYOUTS:
        models.messages.show_message(f"There are {MOST_LAYOUTS} layouts already; delete one first.")
        return
    models.settings.layouts = {**kept, name: asdict(layouts.layout())}
    models.messages.show_message(f"Layout {name} is in the View menu.", seconds=4)


def _restore(models: Models, layouts: Layouts, name: str) -> None:
    """Restore a saved layout; the compared runs of the study are kept."""
    _apply(models, layouts, from_json(LayoutState, models.settings.layouts.get(name)))


def _apply(models: Models, layouts: Layouts, layout: LayoutState) -> None:
    layouts.apply(replace(layout, options=layout.options.with_study_of(models.view.options)))


def _delete(models: Models, name: str) -> None:
    """Forget a saved layout; it can be had back for a while."""
    layout = models.settings.layouts.get(name)
    models.settings.layouts = {key: kept for key, kept in models.settings.layouts.items() if key != name}

    def put_back() -> None:
        models.settings.layouts = {**models.settings.layouts, name: layout}

    if layout is not None:
        undo = {"Undo": put_back}
        models.messages.show_message(f"Layout {name} was deleted.", answers=undo, seconds=10)
