"""All words that are explained, to be looked up by typing."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QWidget

from app.actions.palette import Choice, show_palette
from views.text.terms import explained_words, term
from views.widgets.explanation import explain

_HINT = "A word: EET, weighted tardiness, queue depth, psf2"
_PLACE = QPoint(120, 80)
"""Where an explanation opens in the window, in pixels."""

_ABOUT = 60  # characters of a definition in the list


def look_up(window: QWidget) -> None:
    """Open the list of all words; the one that is chosen is explained."""
    words = explained_words()

    def search(typed: str) -> list[Choice]:
        wanted = typed.casefold().split()
        fit = {
            key: title
            for key, title in words.items()
            if all(one in f"{title} {key}".casefold() for one in wanted)
        }
        first = sorted(fit, key=lambda key: not fit[key].casefold().startswith(typed.casefold()))
        return [Choice(fit[key], _brief(key), partial(_explain, key, window)) for key in first]

    show_palette(search, _HINT, "No such word is explained.", window)


def _explain(key: str, window: QWidget) -> None:
    explain(key, window.mapToGlobal(_PLACE), window)


def _brief(key: str) -> str:
    text = term(key).formula or term(key).text
    return text if len(text) <= _ABOUT else f"{text[: _ABOUT - 1]}…"
