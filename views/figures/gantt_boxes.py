"""What tells the boxes of a few jobs apart in a Gantt figure: outlines, numbers, and lines between rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from views.data.gantt.data import GanttData
from views.figures.page_settings import DPI, GRID, STYLE, TEXT
from views.figures.page_text import text_inches
from views.figures.sheet import pixels
from views.theme.palette import hex_colour, text_on

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Window = tuple[float, float]

_MOST_OUTLINED = 600
"""Boxes in view: more of them would be nothing but outlines."""

_MOST_NUMBERED = 60
"""Jobs in view with numbers: more are looked at as a whole."""

_SIZES = (8.0, 5.5)
"""Points of the number of a job: the first that its box has room for."""

_TALL = 0.08 / 5.5
"""Inches of height that a number needs for each of its points."""

_LEAST_ROW = 0.06
"""Inches of a row from which on lines part it from the next."""


def outline_jobs(axes: Axes, data: GanttData, window: Window, part: tuple[float, float]) -> None:
    """Draw a thin outline around each job if few jobs are visible and each is distinguishable from its
    neighbours.
    """
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import Rectangle

    box = data.boxes(data.between(*window))
    seen = (box.first < part[1]) & (box.first + box.count > part[0])
    # Outlines of many boxes would be all that is seen.
    if not 0 < int(seen.sum()) <= _MOST_OUTLINED:
        return
    sides = (values[seen].tolist() for values in (box.start, box.end, box.first, box.count))
    patches = [
        Rectangle((start, top), end - start, rows) for start, end, top, rows in zip(*sides, strict=True)
    ]
    outlines = PatchCollection(patches, facecolors="none", edgecolors=TEXT)
    outlines.set_linewidth(0.25)
    axes.add_collection(outlines, autolim=False)


def number_jobs(
    axes: Axes, data: GanttData, window: Window, part: Window, colours: NDArray[np.uint32]
) -> None:
    """Write the number of each job into its largest box, if few are in view; `colours` has one for each job.

    A box that is too small for its number has none.
    """
    entries = data.between(*window)
    if not 0 < len(entries) <= _MOST_NUMBERED:
        return
    box = data.boxes(entries)
    left, right = np.maximum(box.start, window[0]), np.minimum(box.end, window[1])
    top, bottom = np.maximum(box.first, part[0]), np.minimum(box.first + box.count, part[1])
    across, down = (size / DPI for size in pixels(axes))
    wide = (right - left) / (window[1] - window[0]) * across
    tall = (bottom - top) / (part[1] - part[0]) * down
    for entry in np.unique(box.entry).tolist():
        boxes = np.flatnonzero((box.entry == entry) & (tall >= _TALL * _SIZES[-1]))
        if not len(boxes):
            continue
        largest = boxes[int(np.argmax(wide[boxes] * tall[boxes]))]
        name = data.schedule.trace.shown_id(int(data.job[entry]))
        size = number_size(name, float(wide[largest]), float(tall[largest]))
        if size is None:
            continue
        spot = (left[largest] + right[largest]) / 2, (top[largest] + bottom[largest]) / 2
        ground = hex_colour(int(colours[entry]))
        style: Any = {"ha": "center", "va": "center", "fontsize": size, "color": text_on(ground)}
        style["bbox"] = {"facecolor": ground, "edgecolor": "none", "pad": 0.4}  # stripes end beside it
        axes.text(*spot, name, clip_on=True, **style)


def number_size(name: str, wide: float, tall: float) -> float | None:
    """The points of a number in a box of these inches; None where it finds no room."""
    fits = (
        size
        for size in _SIZES
        if tall >= _TALL * size and text_inches(name) * size / STYLE["font.size"] + 0.03 <= wide
    )
    return next(fits, None)


def rule_rows(axes: Axes, edges: Sequence[float]) -> None:
    """Draw pale lines along the edges between rows, if these are high enough."""
    if len(edges) and pixels(axes)[1] / DPI / (len(edges) + 1) >= _LEAST_ROW:
        axes.hlines(edges, *axes.get_xlim(), colors=GRID, linewidth=0.4)
