"""Context menus as values: entries for the thing under the mouse, listed anew whenever a menu opens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMenu


@dataclass(frozen=True)
class Offer:
    """An entry of a context menu.

    `text`: the label, with `&` before its access key. `run`: called when the user picks the entry; None for a
    submenu. `on`: whether the entry is checked, and `run` gets the new state; None if it has no check mark.
    `inner`: the entries of the submenu.
    """

    text: str
    run: Callable[..., object] | None = None
    enabled: bool = True
    on: bool | None = None
    inner: Sequence[Offer | None] = ()


def literal(name: str) -> str:
    """A name as the text of an entry, in which `&` marks no access key."""
    return name.replace("&", "&&")


def fill(menu: QMenu, offers: Sequence[Offer | None]) -> None:
    """Add these entries at the end of a menu; None is a separator."""
    for offer in offers:
        if offer is None:
            menu.addSeparator()
        elif offer.run is None:
            inner = menu.addMenu(offer.text)
            inner.setEnabled(offer.enabled)
            fill(inner, offer.inner)
        else:
            _add(menu, offer, offer.run)


def refill(menu: QMenu, offers: Sequence[Offer | None]) -> None:
    """Replace all entries of a menu, which has been opened before, by these."""
    menu.clear()
    for old in menu.findChildren(QMenu, options=Qt.FindChildOption.FindDirectChildrenOnly):
        old.deleteLater()
    fill(menu, offers)


def _add(menu: QMenu, offer: Offer, run: Callable[..., object]) -> None:
    action = menu.addAction(offer.text)
    action.setEnabled(offer.enabled)
    if offer.on is None:
        action.triggered.connect(lambda: run())
    else:
        action.setCheckable(True)
        action.setChecked(offer.on)
        action.triggered.connect(run)
