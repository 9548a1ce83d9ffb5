"""The parts of the overview's window that a mouse can grip, and what a drag makes of the window."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from views.state.clock import Window

Part = Literal["start", "end", "inside", "outside"]

REACH = 5.0
"""An edge can be grasped this many pixels away from it."""

NARROWEST = 10.0
"""A window is drawn at least this wide, in pixels, so that it is seen and can be grasped."""


def drawn_edges(left: float, right: float) -> tuple[float, float]:
    """The edges of the window as they are drawn."""
    missing = max(NARROWEST - (right - left), 0.0) / 2
    return left - missing, right + missing


def part_at(x: float, left: float, right: float) -> Part:
    """The part of the window, drawn from `left` to `right`, at `x`."""
    inner = min(REACH, (right - left) / 4)
    if left - REACH <= x <= left + inner:
        return "start"
    if right - inner <= x <= right + REACH:
        return "end"
    return "inside" if left < x < right else "outside"


@dataclass(frozen=True)
class WindowDrag:
    """A drag in progress: the part, the position and time of the press, and the window at that moment."""

    part: Part
    x: float
    time: float
    before: Window

    def window(self, time: float) -> Window:
        """The window that is asked for, with the mouse at `time`; its ends may be the wrong way round."""
        start, end = self.before
        moved = time - self.time
        if self.part == "start":
            return start + moved, end
        if self.part == "end":
            return start, end + moved
        if self.part == "inside":
            return start + moved, end + moved
        return self.time, time
