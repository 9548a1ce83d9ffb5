"""Commands: every action of the menus, found by a few letters of its name."""

from __future__ import annotations

from collections.abc import Sequence

from app.actions.fuzzy import fit
from app.actions.menu_tree import Entry
from app.actions.palette import Choice


def commands(typed: str, entries: Sequence[Entry]) -> list[Choice]:
    """The actions that fit what was typed, the best first, as choices of a palette."""
    return [_choice(entry) for entry in found(typed, [one for one in entries if one.action.isEnabled()])]


def _choice(entry: Entry) -> Choice:
    checked = entry.action.isCheckable() and entry.action.isChecked()
    name = f"✓ {entry.name}" if checked else entry.name
    return Choice(name, " › ".join(entry.menus), entry.action.trigger, entry.keys, entry.action.statusTip())


def found(typed: str, entries: Sequence[Entry]) -> list[Entry]:
    """The entries that match the typed text, the best first; entries that match far worse than the best are
    left out.

    Of equal matches, immediate actions come before those that ask for more: a view, then its export.
    """
    ranked = []
    for index, entry in enumerate(entries):
        whole = fit(typed, f"{' '.join(entry.menus)} {entry.name}")
        if whole is not None:
            by_name = fit(typed, entry.name)
            score = whole // 2 if by_name is None else by_name
            ranked.append((-score, entry.action.text().endswith("…"), index, entry))
    if not typed.strip():
        return [entry for *_, entry in ranked]
    ranked.sort(key=lambda one: one[:3])
    return [entry for score, *_, entry in ranked if score <= ranked[0][0] / 2]
