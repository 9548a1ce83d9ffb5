"""Everything the window can do, as actions: one place for names, shortcuts, tips and menus."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMainWindow, QMenu

T = TypeVar("T")

KEYS_OF_CHARTS = (
    ("Wheel", "zoom time at the pointer"),
    ("Drag", "pan"),
    ("Shift+drag", "select a time range"),
    ("Ctrl+drag", "zoom to a range, in a Gantt chart to a rectangle"),
    ("Alt+wheel, wheel beside the rows", "zoom the rows of Gantt charts"),
    ("PgUp PgDn, Alt+↑ Alt+↓", "scroll and zoom the rows"),
    ("Click on the time axis", "inspect that instant"),
    ("Click on a Gantt legend", "filter by a colour, with Ctrl by more; double-click: hide the rest"),
    ("Overview bar", "drag its window to move it, an edge to resize it, beside it for a new one"),
    ("Double-click", "on a job: zoom to it; elsewhere: fit all"),
    ("W S, ↑ ↓", "zoom in and out"),
    ("A D, ← →", "pan"),
    ("F", "fit the selection"),
    ("Home", "fit all"),
    ("Backspace, Alt+←", "back to the zoom before"),
    ("Esc", "clear the selection"),
)
"""What mouse and keys do in a chart, for the key sheet."""


class Actions:
    """Makes actions and puts them into menus, where palette and key sheet find them."""

    def __init__(self, window: QMainWindow) -> None:
        self._window = window
        self._unlike: list[tuple[QAction, str, str, str]] = []  # why not; its own tips

    def menu(self, title: str) -> QMenu:
        """A menu of the menu bar."""
        return self._window.menuBar().addMenu(title)

    def add(
        self,
        menu: QMenu,
        text: str,
        run: Callable[[], object],
        keys: QKeySequence.StandardKey | str | None = None,
        tip: str = "",
    ) -> QAction:
        """An action that runs something."""
        action = QAction(text, self._window)
        if keys is not None:
            action.setShortcut(QKeySequence(keys))
        action.setStatusTip(tip)
        shortcut = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
        action.setToolTip((tip or text.replace("&", "").rstrip("…")) + (f" ({shortcut})" if shortcut else ""))
        action.triggered.connect(lambda: run())
        menu.addAction(action)
        return action

    def not_compared(self, menu: QMenu, entries: Iterable[QAction], why: str) -> None:
        """These mean nothing while two runs are compared: then they are off, and say `why`."""
        menu.setToolTipsVisible(True)
        self._unlike += [(action, why, action.toolTip(), action.statusTip()) for action in entries]

    def compare(self, compared: bool) -> None:
        """Whether two runs are compared now."""
        for action, why, tip, status in self._unlike:
            action.setEnabled(not compared)
            action.setToolTip(why if compared else tip)
            action.setStatusTip(why if compared else status)

    def choice(
        self,
        menu: QMenu,
        entries: Mapping[T, str],
        chosen: T,
        pick: Callable[[T], object],
        now: Callable[[], T] | None = None,
    ) -> dict[T, QAction]:
        """Actions of which one is on: value -> label; `now` tells which, where others change it too."""
        group = QActionGroup(self._window)
        made: dict[T, QAction] = {}
        for name, label in entries.items():
            action = self.add(menu, label, lambda name=name: pick(name))  # type: ignore[misc]
            action.setCheckable(True)
            action.setChecked(name == chosen)
            group.addAction(action)
            made[name] = action

        def check(value: T) -> None:
            if value in made:
                made[value].setChecked(True)

        if now is not None:
            menu.aboutToShow.connect(lambda: check(now()))
        return made

    def toggle(
        self,
        menu: QMenu,
        text: str,
        on: bool,
        run: Callable[[bool], object],
        tip: str = "",
        now: Callable[[], bool] | None = None,
    ) -> QAction:
        """An action that is on or off; `now` tells which, where others change it too."""
        action = self.add(menu, text, lambda: run(action.isChecked()), tip=tip)
        action.setCheckable(True)
        action.setChecked(on)
        if now is not None:
            menu.aboutToShow.connect(lambda: action.setChecked(now()))
        return action
