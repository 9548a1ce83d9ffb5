"""Layouts: which parts of the window are shown, where, and how the room is divided; plain values."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from views.data.view_options import ViewOptions

Area = Literal["left", "right", "top", "bottom"]


@dataclass(frozen=True)
class Dock:
    """Position of a dock, and its width (at the left and right) or height, in pixels.

    A floating dock has a rectangle on the screen: left, top, width and height; then `area` is where it was
    docked before.
    """

    area: Area = "left"
    shown: bool = True
    size: int = 240
    floating: tuple[int, int, int, int] | None = None


@dataclass(frozen=True)
class LayoutState:
    """Layout of a window as plain values, which settings and sessions hold; every field has a default.

    Not what `saveState` gives: Qt can crash on such bytes where they are damaged, and sessions
    may come from anywhere.
    """

    docks: dict[str, Dock] = field(default_factory=dict)  # by title
    divided: tuple[int, ...] = ()  # heights in pixels: charts over time, box-plots and tables
    options: ViewOptions = field(default_factory=ViewOptions)
