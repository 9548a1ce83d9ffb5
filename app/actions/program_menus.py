"""The menus of the program itself: its windows, its keys, and what it is."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMainWindow, QMessageBox

from app.actions.commands import commands
from app.actions.find import Finder
from app.actions.key_sheet import KeySheet
from app.actions.menu_tree import entries
from app.actions.palette import Choice, show_palette
from app.actions.window_actions import KEYS_OF_CHARTS, Actions
from app.actions.words import look_up
from app.panels.dialogs import show_dialog
from app.panels.guide import GuideDialog
from views.theme.theme import Theme


def window_menu(
    window: QMainWindow,
    others: Callable[[], list[QMainWindow]],
    another: Callable[[], object],
    actions: Actions,
) -> None:
    """Add the menu of windows: one more, and a list of those that are open."""
    menu = actions.menu("&Window")
    actions.add(menu, "&New window", another, "Ctrl+Shift+N")
    fixed = [*menu.actions(), menu.addSeparator()]

    def fill() -> None:
        for action in menu.actions():
            if action not in fixed:
                menu.removeAction(action)
                action.deleteLater()
        for other in others():
            action = menu.addAction(other.windowTitle().replace("[*]", "").replace("&", "&&"))
            action.setCheckable(True)
            action.setChecked(other is window)
            action.triggered.connect(lambda _=False, other=other: _come_forward(other))

    menu.aboutToShow.connect(fill)


def _come_forward(window: QMainWindow) -> None:
    """Raise a window above all others."""
    window.setWindowState(window.windowState() & ~Qt.WindowState.WindowMinimized)
    window.raise_()
    window.activateWindow()


def help_menu(window: QMainWindow, theme: Callable[[], Theme], finder: Finder, actions: Actions) -> None:
    """Add the menu of help: the guide, the command palette, all keys, and the papers behind the program."""
    menu = actions.menu("&Help")
    actions.add(menu, "&Guide", lambda: _show_guide(window), "F1", "A walk through the window, step by step")
    actions.add(
        menu,
        "&Command palette…",
        lambda: _show_palette(window, finder),
        "Ctrl+Shift+P",
        "Any command, or anything in the trace, by a few letters",
    )
    actions.add(menu, "&Keys", lambda: _show_keys(window, theme()), "?", "All keys and what the mouse does")
    tip = "What the words of tables and charts mean: formula and source"
    actions.add(menu, "&Explain a word…", lambda: look_up(window), "Ctrl+?", tip)
    actions.add(menu, "&About Batchscope", lambda: _about(window))


def _show_guide(window: QMainWindow) -> None:
    guide = GuideDialog(window)
    guide.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    guide.show()


def _show_palette(window: QMainWindow, finder: Finder) -> None:
    """Commands first; of one letter too many things are found to be told."""
    offered = entries(window.menuBar())

    def search(typed: str) -> list[Choice]:
        return [*commands(typed, offered), *(finder.anything(typed) if len(typed.strip()) > 1 else ())]

    show_palette(search, "What to do, or what to find?", "No command fits, and nothing in the trace.", window)


def _show_keys(window: QMainWindow, theme: Theme) -> None:
    show_dialog(KeySheet(KEYS_OF_CHARTS, entries(window.menuBar()), theme, window))


def _about(window: QMainWindow) -> None:
    from importlib.metadata import version

    box = QMessageBox(window)
    box.setWindowTitle("About Batchscope")
    box.setText(
        f"<h3>Batchscope {version('batchscope')}</h3>"
        "<p>Batch-cluster schedules, visible and comparable.</p>"
        "<p>Policies and metrics after Toth &amp; Klusacek 2014, Klusacek, Chlumsky &amp; Rudova 2014, "
        "Goponenko et al. 2022, Tang et al. 2013, and Van den Bossche, Vanmechelen &amp; Broeckhove 2011.</p>"
    )
    show_dialog(box)
