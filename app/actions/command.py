"""What menus hold, as values: commands, choices of an option, submenus. `WindowActions` makes them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import SignalInstance
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu


@dataclass(frozen=True, kw_only=True)
class State:
    """What an entry that is on or off shows: `now` says it, anew whenever `changed` is sent."""

    now: Callable[[], Any]
    changed: SignalInstance


@dataclass(frozen=True)
class Command:
    """Something that the window can do: an entry of a menu, the palette, context menus and the list of keys.

    `id` names it where others offer it too. `text` has its access key and ends in `…` where more is asked.
    `run` is called with whether it is on, where it has a `state`. It is enabled where a trace is open, or
    always if it is one of the `program`, unless `why_not` says why it cannot be used.
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
class Choice:
    """Entries of which exactly one is checked, as value -> text; `pick` is called with the chosen value."""

    id: str  # that of an entry is `id=value`
    entries: Mapping[Any, str]
    pick: Callable[[Any], object]
    state: State
    why_not: Callable[[], str] | None = None


@dataclass(frozen=True)
class Option:
    """The values of an option of the view, by its path in `ViewOptions`, as a choice: value -> text."""

    path: str
    entries: Mapping[Any, str]
    why_not: Callable[[], str] | None = None


@dataclass(frozen=True)
class Submenu:
    """A menu by its title: of these entries, or of what `fill` puts into it whenever it is opened.

    It can be opened at any time, or only where a trace is open, unless `why_not` says why it cannot be.
    """

    id: str
    text: str
    entries: Sequence[Entry] = ()
    fill: Callable[[QMenu], object] | None = None
    program: bool = True
    why_not: Callable[[], str] | None = None


Entry = Command | Switch | Choice | Option | Submenu | QAction | None
"""An entry of a menu; a QAction is made by Qt or by a dock, None is a separator."""
