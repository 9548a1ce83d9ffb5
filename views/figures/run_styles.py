"""What distinguishes runs, and the parts of which their bars are made, without colours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from views.figures.page_settings import is_grey
from views.plot.layers import LaneBars, LaneColumns
from views.plot.plot import Category, Plot
from views.theme.theme import LIGHT


@dataclass(frozen=True)
class RunStyle:
    """The style of a run in grey: the marker and dashes of its lines, the hatch of its bars."""

    marker: str = ""
    hatch: str = ""
    place: float = 0.0  # of the first marker, as a share of the distance between two
    dashes: Any = "-"
    chosen: bool = False  # a reader chose what styles distinguish, so that lines are dashed in colour too

    @property
    def line(self) -> Any:
        """The dashes of a line, as matplotlib has them."""
        return self.dashes if self.chosen or is_grey() else "-"


STYLES = tuple(
    RunStyle(marker, hatch, place, dashes)
    for marker, hatch, place, dashes in (
        ("", "", 0.0, "-"),
        ("o", "////", 0.1, (0, (5, 2))),
        ("s", "\\\\\\\\", 0.35, (0, (1, 1.2))),
        ("^", "....", 0.6, (0, (6, 1.5, 1, 1.5))),
        ("D", "xxxx", 0.85, (0, (3, 1, 1, 1, 1, 1))),
        ("v", "----", 0.2, (0, (9, 3))),
        ("P", "||||", 0.45, (0, (2.5, 2.5))),
        ("X", "++++", 0.7, (0, (4, 1, 4, 3))),
    )
)
"""The first run has its colour alone."""


def styles_of(legend: Sequence[Category]) -> dict[int, RunStyle]:
    """The styles that distinguish the runs of a legend in grey, and those that a reader chose."""
    runs = [category for category in legend if category.run is not None]
    return {
        category.run: replace(
            STYLES[(k if category.style is None else category.style) % len(STYLES)],
            chosen=category.style is not None,
        )
        for k, category in enumerate(runs)
        if category.run is not None
    }


def hatches_of(legend: Sequence[Category], plots: Sequence[Plot]) -> dict[str, str]:
    """The hatches of the parts of which bars of runs are made, by colour: greys alone are too much alike."""
    if not is_grey():
        return {}
    drawn: set[str] = set()
    for plot in plots:
        for layer in [] if plot.words.message else plot.layers(LIGHT):
            if isinstance(layer, LaneBars | LaneColumns):
                drawn.update(layer.colours if isinstance(layer, LaneBars) else [layer.colour])
    parts = [category.colour for category in legend if category.run is None and category.colour in drawn]
    return {colour: STYLES[place % len(STYLES)].hatch for place, colour in enumerate(parts)}
