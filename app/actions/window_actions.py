"""Makes the menus of a window from the values that say what they hold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from operator import attrgetter
from typing import assert_never

from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMainWindow, QMenu

from app.actions.command import Command, Entry, MenuChoice, OptionChoice, State, Submenu, Switch
from app.model.models import Models
from app.work.faults import note_action
from views.widgets.menu_entries import refill
from views.work.widget_handlers import while_alive

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
    ("Backspace", "back to the previous zoom"),
    ("Esc", "clear the selection"),
)
"""What mouse and keys do in a chart, for the key sheet."""

_NO_TRACE = "Open a trace first"


def _run(command: Command, *given: bool) -> None:
    note_action(command.run)  # for the report of a fault
    command.run(*given)


def _sequences(keys: QKeySequence.StandardKey | str) -> list[QKeySequence]:
    """All keys of a command: those of a text are separated by `; `, and menus show the first."""
    if isinstance(keys, str):
        return QKeySequence.listFromString(keys)
    return [QKeySequence(keys)]


_Rule = tuple[Callable[[], QAction], Callable[[], str], str, str]
"""An action, the reason why it cannot be used, or nothing, and its tips in the window and the status line."""


class WindowActions:
    """The actions and menus of a window by their ids, enabled where they can be used."""

    def __init__(self, window: QMainWindow, models: Models) -> None:
        self._window, self._models = window, models
        self.actions: dict[str, QAction] = {}
        self._of_trace: list[Callable[[], QAction]] = []  # that can be used only where a trace is open
        self._rules: list[_Rule] = []
        models.workbench.study_changed.connect(self.enable)
        models.view.follow(window, "view panels", self.enable)

    def add_menu(self, menu: Submenu) -> None:
        """Add a menu to the menu bar."""
        before = len(self._rules)
        self._fill(self._window.menuBar().addMenu(menu.text), menu)
        self._apply(self._rules[before:])

    @property
    def of_trace(self) -> list[QAction]:
        """The actions that can be used only where a trace is open."""
        return [action_of() for action_of in self._of_trace]

    def menu(self, id: str) -> QMenu:
        """The menu of that id."""
        menu = self._window.findChild(QMenu, f"menu {id}")
        assert isinstance(menu, QMenu)
        return menu

    def enable(self) -> None:
        """Enable what can be used now, and say in the tips of others why they cannot."""
        self._apply(self._rules)

    def _apply(self, rules: Sequence[_Rule]) -> None:
        for action_of, why_not, tip, status in rules:
            action, why = action_of(), why_not()
            action.setEnabled(not why)
            action.setToolTip(f"{tip}\n{why}" if why else tip)
            action.setStatusTip(why or status)

    def _add(self, menu: QMenu, entry: Entry) -> None:
        """Add an entry at the end of a menu."""
        match entry:
            case None:
                menu.addSeparator()
            case QAction():
                menu.addAction(entry)
            case Submenu():
                self._add_submenu(menu, entry)
            case Command():
                self._add_command(menu, entry)
            case Switch():
                self._add_command(menu, self._command_of(entry))
            case OptionChoice():
                self._add_choice(menu, self._choice_of(entry))
            case MenuChoice():
                self._add_choice(menu, entry)
            case _:
                assert_never(entry)

    def _add_submenu(self, menu: QMenu, entry: Submenu) -> None:
        made = menu.addMenu(entry.text)
        self._fill(made, entry)
        if not entry.program or entry.why_not is not None:
            self._add_rule(lambda: self.menu(entry.id).menuAction(), entry, menu)

    def _fill(self, made: QMenu, entry: Submenu) -> None:
        """Fill a menu, now and whenever it is opened.

        No reference to the menu or its action is kept: PySide may invalidate both wrappers together.
        """
        made.setObjectName(f"menu {entry.id}")
        for inner in entry.entries:
            self._add(made, inner)
        if entry.listed is not None:
            listed, id, fixed = entry.listed, entry.id, len(made.actions())
            made.aboutToShow.connect(lambda: refill(self.menu(id), listed(), fixed))

    def _add_command(self, menu: QMenu, command: Command) -> QAction:
        action = QAction(command.text, self._window)
        # An action may have several shortcuts; its tooltip names the first.
        if command.keys:
            action.setShortcuts(_sequences(command.keys))
        keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
        words = command.tip or command.text.replace("&", "").rstrip("…")
        action.setToolTip(f"{words} ({keys})" if keys else words)
        action.setStatusTip(command.tip)
        menu.addAction(action)
        if command.state is not None:
            now = command.state.now
            action.setCheckable(True)
            action.setChecked(bool(now()))
            # The state may change elsewhere, so the mark follows it, and a click only asks for the change.
            check = while_alive(self._window, lambda *_: action.setChecked(bool(now())))
            command.state.changed.connect(check)
            action.triggered.connect(lambda: _run(command, action.isChecked()))
        else:
            action.triggered.connect(lambda: _run(command))
        # Tool bar, palette and tests use names of commands: two of the same name would hide each other.
        assert command.id not in self.actions, command.id
        self.actions[command.id] = action
        self._add_rule(lambda: action, command, menu)
        return action

    def _add_rule(self, action_of: Callable[[], QAction], entry: Command | Submenu, menu: QMenu) -> None:
        """Remember when an entry of a menu, whose action is `action_of`, can be used."""
        if not entry.program:
            self._of_trace.append(action_of)
        if entry.why_not is not None:
            menu.setToolTipsVisible(True)
        if not entry.program or entry.why_not is not None:
            why_not = partial(self._why_not, entry)
            self._rules.append((action_of, why_not, action_of().toolTip(), action_of().statusTip()))

    def _add_choice(self, menu: QMenu, choice: MenuChoice) -> None:
        group, made = QActionGroup(menu), {}
        for value, text in choice.entries.items():
            # Each value is a command of its own, so that the palette finds it.
            run, name = partial(choice.pick, value), f"{choice.id}={value}"
            action = self._add_command(menu, Command(name, text, run, program=True, why_not=choice.why_not))
            action.setCheckable(True)
            group.addAction(action)
            made[value] = action

        # A value that is not among the entries leaves the mark where it was.
        def check() -> None:
            value = choice.state.now()
            if value in made:
                made[value].setChecked(True)

        check()
        choice.state.changed.connect(while_alive(self._window, lambda *_: check()))

    def _why_not(self, entry: Command | Submenu) -> str:
        if not entry.program and not self._models.workbench.is_open:
            return _NO_TRACE
        return entry.why_not() if entry.why_not is not None else ""

    def _command_of(self, switch: Switch) -> Command:
        return Command(
            switch.path,
            switch.text,
            partial(self._choose, switch.path),
            switch.keys,
            switch.tip,
            self._state_of(switch.path),
            program=switch.program,
            why_not=switch.why_not,
        )

    def _choice_of(self, option: OptionChoice) -> MenuChoice:
        pick, state = partial(self._choose, option.path), self._state_of(option.path)
        return MenuChoice(option.path, option.entries, pick, state, option.why_not)

    def _state_of(self, path: str) -> State:
        view = self._models.view
        return State(now=lambda: attrgetter(path)(view.options), changed=view.changed)

    def _choose(self, path: str, value: object) -> None:
        outer, _, inner = path.partition(".")
        old = getattr(self._models.view.options, outer)
        self._models.view.choose(**{outer: replace(old, **{inner: value}) if inner else value})
