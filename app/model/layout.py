"""Layouts: which parts of the window are shown, where, and how the room is divided; plain values."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from views.data.view_options import ViewOptions

Area = Literal["left", "right", "top", "bottom"]


@dataclass(frozen=True)
class Dock:
    """Where a dock is, and how wide (at the left and right) or high it is, in pixels.

    One that floats has a place on the screen: left, top, width and height; then `area` is where it
    was before.
    """

    area: Area = "left"
    shown: bool = True
    size: int = 240
    floating: tuple[int, int, int, int] | None = None


@dataclass(frozen=True)
class Layout:
    """Plain values, so that settings and sessions can hold it; every field has a default.

    Not what `saveState` gives: Qt can crash on such bytes where they are damaged, and sessions
    may come from anywhere.
    """

    docks: dict[str, Dock] = field(default_factory=dict)  # by title
    divided: tuple[int, ...] = ()  # heights in pixels: charts over time, box-plots and tables
    options: ViewOptions = field(default_factory=ViewOptions)
