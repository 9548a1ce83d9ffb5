"""The menus of the program itself: its windows, its keys, and what it is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QMainWindow, QMessageBox, QWidget

from app.actions.command import Command, Submenu
from app.actions.find import Finder
from app.actions.fuzzy import fit
from app.actions.key_sheet import KeySheet
from app.actions.menu_tree import Entry, entries
from app.actions.palette import PaletteEntry, show_palette
from app.actions.window_actions import KEYS_OF_CHARTS
from app.panels.dialogs import show_dialog
from app.panels.guide import GuideDialog, place_beside
from views.text.terms import explained_words, term
from views.theme.theme import Theme
from views.widgets.explanation import explain
from views.widgets.menu_entries import MenuEntry, literal


def commands(typed: str, entries: Sequence[Entry]) -> list[PaletteEntry]:
    """The actions that fit what was typed, the best first, as choices of a palette."""
    return [
        _choice(entry) for entry in found(typed, [entry for entry in entries if entry.action.isEnabled()])
    ]


def _choice(entry: Entry) -> PaletteEntry:
    checked = entry.action.isCheckable() and entry.action.isChecked()
    name = f"✓ {entry.name}" if checked else entry.name
    return PaletteEntry(
        name, " › ".join(entry.menus), entry.action.trigger, entry.keys, entry.action.statusTip()
    )


def found(typed: str, entries: Sequence[Entry]) -> list[Entry]:
    """The entries that match the typed text, the best first; entries that match far worse than the best are
    left out.

    Of equal matches, immediate actions come before those that ask for more: a view, then its export.
    """
    ranked = []
    for index, entry in enumerate(entries):
        whole = fit(typed, f"{' '.join(entry.menus)} {entry.name}")
        if whole is not None:
            # A match in the name counts in full, a match that needs the names of its menus half.
            by_name = fit(typed, entry.name)
            score = whole // 2 if by_name is None else by_name
            ranked.append((-score, entry.action.text().endswith("…"), index, entry))
    if not typed.strip():
        return [entry for *_, entry in ranked]
    ranked.sort(key=lambda ranks: ranks[:3])
    # Matches that are much worse than the best only lengthen the list.
    return [entry for score, *_, entry in ranked if score <= ranked[0][0] / 2]


_HINT = "A word: EET, weighted tardiness, queue depth, psf2"
_PLACE = QPoint(120, 80)
"""Where an explanation opens in the window, in pixels."""

_PARTS = ("PySide6-Essentials", "pyqtgraph", "numba", "numpy", "pandas", "pyarrow", "matplotlib")
"""What the program is built on, whose versions help with a report of a fault."""

_ABOUT = 60  # characters of a definition in the list


def look_up(window: QWidget) -> None:
    """Open the list of all terms; the chosen term is explained."""
    words = explained_words()

    def search(typed: str) -> list[PaletteEntry]:
        wanted = typed.casefold().split()
        fit = {
            key: title
            for key, title in words.items()
            if all(part in f"{title} {key}".casefold() for part in wanted)
        }
        # What begins with the typed letters comes first; the order is else that of the words.
        first = sorted(fit, key=lambda key: not fit[key].casefold().startswith(typed.casefold()))
        return [PaletteEntry(fit[key], _brief(key), partial(_explain, key, window)) for key in first]

    show_palette(search, _HINT, "No such word is explained.", window)


def _explain(key: str, window: QWidget) -> None:
    explain(key, window.mapToGlobal(_PLACE), window)


def _brief(key: str) -> str:
    text = term(key).text
    return text if len(text) <= _ABOUT else f"{text[: _ABOUT - 1]}…"


def window_menu(
    window: QMainWindow, others: Callable[[], Sequence[QMainWindow]], another: Callable[[], object]
) -> Submenu:
    """The menu of windows: a new window, and a list of open windows."""

    def opened() -> list[MenuEntry]:
        return [
            MenuEntry(
                literal(other.windowTitle().replace("[*]", "")),
                partial(_come_forward, other),
                on=other is window,
            )
            for other in others()
        ]

    new = Command("new window", "&New window", another, "Ctrl+Shift+N", program=True)
    return Submenu("window", "&Window", (new, None), opened)


def _come_forward(window: QMainWindow) -> None:
    """Raise a window above all others."""
    window.setWindowState(window.windowState() & ~Qt.WindowState.WindowMinimized)
    window.raise_()
    window.activateWindow()


class Guiding(NamedTuple):
    """The topic of what is pointed at or has the keys (empty: none), and what begins the tour."""

    topic: Callable[[], str]
    tour: Callable[[], object]


def help_menu(window: QMainWindow, theme: Callable[[], Theme], finder: Finder, guide: Guiding) -> Submenu:
    """The menu of help: the guide, the command palette, all keys, and the papers behind the program."""
    entries: tuple[tuple[str, str, Callable[[], object], str, str], ...] = (
        (
            "guide",
            "&Guide and reference",
            lambda: _show_guide(window, guide.topic()),
            "F1",
            "Help on the item under the mouse, otherwise on the whole window; policies, keys, "
            "metrics, formats",
        ),
        (
            "palette",
            "&Command palette…",
            lambda: _show_palette(window, finder),
            "Ctrl+Shift+P",
            "Any command, or anything in the trace, by a few letters",
        ),
        ("keys", "&Keys", lambda: _show_keys(window, theme()), "?", "All keys and what the mouse does"),
        (
            "words",
            "&Explain a word…",
            lambda: look_up(window),
            "Ctrl+?",
            "The meaning of terms in tables and charts, with formula and source",
        ),
        ("tour", "&Tour of the window", guide.tour, "", "Six steps from the runs to the answer"),
        ("about", "&About Batchscope", lambda: _about(window), "", ""),
    )
    return Submenu("help", "&Help", [Command(*entry, program=True) for entry in entries])


def _show_guide(window: QMainWindow, topic: str) -> None:
    guide = GuideDialog(window)
    if topic:
        guide.show_topic(topic)
    guide.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    # What it was asked about stays in sight, as far as the screen has room for both.
    guide.move(place_beside(QCursor.pos(), guide.size(), window.screen().availableGeometry()))
    guide.show()


def _show_palette(window: QMainWindow, finder: Finder) -> None:
    """Search commands first; other objects only from the second letter on, since a single letter has too many
    matches.
    """
    offered = entries(window.menuBar())

    def search(typed: str) -> list[PaletteEntry]:
        return [*commands(typed, offered), *(finder.anything(typed) if len(typed.strip()) > 1 else ())]

    show_palette(
        search, "What to do, or what to find?", "No command matches, and nothing in the trace.", window
    )


def _show_keys(window: QMainWindow, theme: Theme) -> None:
    show_dialog(KeySheet(KEYS_OF_CHARTS, entries(window.menuBar()), theme, window))


def _about(window: QMainWindow) -> None:
    from importlib.metadata import metadata, version
    from platform import python_version

    box = QMessageBox(window)
    box.setWindowTitle("About Batchscope")
    box.setText(
        f"<h3>Batchscope {version('batchscope')}</h3>"
        "<p>Batch-cluster schedules, visible and comparable.</p>"
        "<p>Policies and metrics after Toth &amp; Klusacek 2014, Klusacek, Chlumsky &amp; Rudova 2014, "
        "Goponenko et al. 2022, Tang et al. 2013, and Van den Bossche, Vanmechelen &amp; Broeckhove 2011.</p>"
        f"<p>{metadata('batchscope').json.get('license_expression', 'See LICENSE')}, no warranty.</p>"
        f"<p>Python {python_version()}, " + ", ".join(f"{name} {version(name)}" for name in _PARTS) + "</p>"
    )
    show_dialog(box)
