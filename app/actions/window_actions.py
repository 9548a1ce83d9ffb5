"""Everything the window can do, as actions: one place for names, shortcuts, tips and menus."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from operator import attrgetter
from typing import TypeVar

from PySide6.QtCore import SignalInstance
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMainWindow, QMenu

from app.work.faults import note_action
from views.state.view_state import ViewState

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
    ("Double-click", "on a job: zoom to it; on a title: that chart alone; elsewhere: fit all"),
    ("W S, ↑ ↓", "zoom in and out"),
    ("A D, ← →", "pan"),
    ("F", "fit the selection"),
    ("Home", "fit all"),
    ("Backspace", "back to the zoom before"),
    ("Esc", "clear the selection"),
)
"""What mouse and keys do in a chart, for the key sheet."""


def _run(run: Callable[[], object]) -> None:
    note_action(run)  # for the report of a fault
    run()


class Actions:
    """Makes actions and puts them into menus, where palette and key sheet find them."""

    def __init__(self, window: QMainWindow, view: ViewState) -> None:
        self._window, self._view = window, view

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
        """A new action at the end of a menu."""
        action = QAction(text, self._window)
        action.setStatusTip(tip)
        self.put(menu, action, keys)
        shortcut = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
        action.setToolTip((tip or text.replace("&", "").rstrip("…")) + (f" ({shortcut})" if shortcut else ""))
        action.triggered.connect(lambda: _run(run))
        return action

    def put(
        self, menu: QMenu, action: QAction, keys: QKeySequence.StandardKey | str | None = None
    ) -> QAction:
        """Add an action that is made already, with keys."""
        if keys is not None:
            action.setShortcut(QKeySequence(keys))
            action.setToolTip(f"{action.text().replace('&', '')} ({QKeySequence(keys).toString()})")
        menu.addAction(action)
        return action

    def not_compared(self, menu: QMenu, entries: Iterable[QAction], why: str) -> None:
        """Disable actions while two runs are compared, with `why` as their tip."""
        menu.setToolTipsVisible(True)
        own = [(action, action.toolTip(), action.statusTip()) for action in entries]

        def show() -> None:
            compared = self._view.options.view == "difference"
            for action, tip, status in own:
                action.setEnabled(not compared)
                action.setToolTip(why if compared else tip)
                action.setStatusTip(why if compared else status)

        self._view.follow(menu, "view", show)

    def choice(
        self,
        menu: QMenu,
        entries: Mapping[T, str],
        pick: Callable[[T], object],
        now: Callable[[], T],
        changed: SignalInstance | None = None,
    ) -> dict[T, QAction]:
        """Actions of which one is on: value -> label; `now` tells which, anew whenever `changed` is sent."""
        group = QActionGroup(menu)
        made: dict[T, QAction] = {}
        for name, label in entries.items():
            action = self.add(menu, label, lambda name=name: pick(name))  # type: ignore[misc]
            action.setCheckable(True)
            group.addAction(action)
            made[name] = action

        def check() -> None:
            value = now()
            if value in made:
                made[value].setChecked(True)

        check()
        if changed is not None:
            changed.connect(lambda *_: check())
        return made

    def toggle(
        self,
        menu: QMenu,
        text: str,
        run: Callable[[bool], object],
        now: Callable[[], bool],
        changed: SignalInstance | None = None,
        tip: str = "",
        keys: str | None = None,
    ) -> QAction:
        """An action that is on or off; `now` tells which, anew whenever `changed` is sent."""
        action = self.add(menu, text, lambda: run(action.isChecked()), keys, tip)
        action.setCheckable(True)
        action.setChecked(now())
        if changed is not None:
            changed.connect(lambda *_: action.setChecked(now()))
        return action

    def option(self, menu: QMenu, entries: Mapping[T, str], path: str) -> dict[T, QAction]:
        """Actions of which one is on: the values of an option of the view, such as `heatmaps.order`."""
        return self.choice(
            menu,
            entries,
            lambda value: self._choose(path, value),
            lambda: attrgetter(path)(self._view.options),
            self._view.changed,
        )

    def switch(self, menu: QMenu, text: str, path: str, tip: str = "", keys: str | None = None) -> QAction:
        """An action for an option of the view that is on or off, such as `layers.waits`."""
        return self.toggle(
            menu,
            text,
            lambda on: self._choose(path, on),
            lambda: bool(attrgetter(path)(self._view.options)),
            self._view.changed,
            tip,
            keys,
        )

    def _choose(self, path: str, value: object) -> None:
        outer, _, inner = path.partition(".")
        old = getattr(self._view.options, outer)
        self._view.choose(**{outer: replace(old, **{inner: value}) if inner else value})
