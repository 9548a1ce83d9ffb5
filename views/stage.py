"""What all views of one window share."""

from __future__ import annotations

from dataclasses import dataclass

from views.clock import Clock
from views.filter import FilterModel
from views.renderer import Renderer
from views.selection import SelectionModel
from views.turns import Turns


@dataclass(frozen=True)
class Stage:
    """One clock, one selection, one filter, who makes the pictures, and whose turn it is to be painted.

    Made once by the window.
    """

    clock: Clock
    selection: SelectionModel
    filter: FilterModel
    renderer: Renderer
    turns: Turns
