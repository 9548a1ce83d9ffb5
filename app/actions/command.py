"""Menu entries as values: commands, choices of an option, submenus. `WindowActions` makes Qt actions of
them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import SignalInstance
from PySide6.QtGui import QAction, QKeySequence

from views.widgets.menu_entries import MenuItem


@dataclass(frozen=True, kw_only=True)
class State:
    """The state of a checkable entry: `now` returns it, and it is read again whenever `changed` is sent."""

    now: Callable[[], Any]
    changed: SignalInstance


@dataclass(frozen=True)
class Command:
    """An action of the window: an entry of a menu, the palette, context menus and the list of keys.

    `id` is its name in other menus. `text` has its access key and ends in `…` if it asks for more. If it has
    a `state`, `run` is called with the new checked state. It is enabled while a trace is open, or always if
    it belongs to the `program`, unless `why_not` returns a reason against it.
    """

    id: str
    text: str
    run: Callable[..., object]
    keys: QKeySequence.StandardKey | str = ""
    tip: str = ""
    state: State | None = None
    program: bool = False
    why_not: Callable[[], str] | None = None


@dataclass(frozen=True)
class Switch:
    """An option of the view that is on or off, by its path in `ViewOptions`, such as `layers.waits`.

    It is enabled as a `Command` is.
    """

    path: str
    text: str
    tip: str = ""
    keys: str = ""
    program: bool = True
    why_not: Callable[[], str] | None = None


@dataclass(frozen=True)
class MenuChoice:
    """Menu entries that act as a group of radio buttons: exactly one entry is checked.

    `entries`: the text of the entry for each value. `pick`: called with the value that the user chooses.
    """

    id: str  # the id of a choice's entry is `id=value`
    entries: Mapping[Any, str]
    pick: Callable[[Any], object]
    state: State
    why_not: Callable[[], str] | None = None


@dataclass(frozen=True)
class OptionChoice:
    """The values of an option of the view, by its path in `ViewOptions`, as a choice: value -> text."""

    path: str
    entries: Mapping[Any, str]
    why_not: Callable[[], str] | None = None


@dataclass(frozen=True)
class Submenu:
    """A menu with its title: these entries, then those that `listed` returns whenever the menu is opened.

    It can be opened at any time, or only while a trace is open, unless `why_not` returns a reason against it.
    """

    id: str
    text: str
    entries: Sequence[Entry] = ()
    listed: Callable[[], Sequence[MenuItem]] | None = None
    program: bool = True
    why_not: Callable[[], str] | None = None


Entry = Command | Switch | MenuChoice | OptionChoice | Submenu | QAction | None
"""An entry of a menu; a QAction is made by Qt or by a dock, None is a separator."""
