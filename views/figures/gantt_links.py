"""Lines from the selected job in a Gantt figure: to jobs that it overtook or that overtook it, and from its
places in other runs; as the chart in the window draws them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from views.data.gantt.backfills import backfills_of
from views.data.gantt.data import GanttData
from views.data.gantt.links import MovedJob, Point, moves, overtaken
from views.data.gantt.shown_layers import GanttLayers
from views.data.other_run import OtherRun
from views.figures.page_settings import DPI, FAINT, STYLE, TEXT, captioned
from views.figures.page_text import text_inches
from views.figures.sheet import pixels

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SIZE = 6.0
"""Points of the captions inside a plot."""

_WHITE = "#ffffff"


def draw_links(
    axes: Axes, data: GanttData, others: Sequence[OtherRun], job: int, layers: GanttLayers
) -> None:
    """Draw the lines from a job of the trace that `layers` has, and what they say at the top of the plot."""
    _outline(axes, data, job)
    stated = []
    if layers.backfilled:
        arrows, message = overtaken(data, backfills_of(data.schedule), job)
        for arrow in arrows:
            _draw_arrow(axes, arrow.begin, arrow.end, TEXT if arrow.own else FAINT)
        stated.append(message)
    if layers.shift:
        moved, wordings = moves(data, others, job)
        for shift in moved:
            _draw_ghost(axes, shift)
            _draw_arrow(axes, (shift.begin, shift.row), (shift.here, shift.row), shift.colour)
        # The longest wording that fits above the plot.
        stated.append(_fitting(wordings, pixels(axes)[0] / DPI - 0.1))
    if captioned():
        for line, words in enumerate(filter(None, stated)):
            _write(axes, words, line)


def _outline(axes: Axes, data: GanttData, job: int) -> None:
    """Draw a strong line around the boxes of a job, which may be very thin."""
    from matplotlib.patches import Rectangle

    if data.entry[job] < 0:
        return
    box = data.boxes(data.entry[[job]])
    for start, end, top, rows in zip(box.start, box.end, box.first, box.count, strict=True):
        place = Rectangle((start, top), end - start, rows)
        place.set(facecolor="none", edgecolor=TEXT, linewidth=1.0)
        axes.add_artist(place)


def _fitting(wordings: Iterator[str], inches: float) -> str:
    """The first wording that is not too wide, else the last."""
    words = ""
    for words in wordings:
        if text_inches(words) * _SIZE / STYLE["font.size"] <= inches:
            break
    return words


def _draw_ghost(axes: Axes, moved: MovedJob) -> None:
    """Draw dashes around an empty place, over a white line."""
    from matplotlib.patches import Rectangle

    for colour, width, style in ((_WHITE, 1.8, "-"), (moved.colour, 0.8, "--")):
        place = Rectangle((moved.begin, moved.top), moved.end - moved.begin, moved.bottom - moved.top)
        place.set(facecolor="none", edgecolor=colour, linewidth=width, linestyle=style)
        axes.add_artist(place)


def _draw_arrow(axes: Axes, begin: Point, end: Point, colour: str) -> None:
    """Draw an arrow with a white border, cut where the plot ends."""
    from matplotlib.patches import FancyArrowPatch

    for ink, width in ((_WHITE, 2.4), (colour, 0.9)):
        arrow = FancyArrowPatch(begin, end, arrowstyle="->", mutation_scale=6, shrinkA=0, shrinkB=0)
        arrow.set(color=ink, linewidth=width)
        axes.add_artist(arrow)


def _write(axes: Axes, words: str, line: int) -> None:
    """Write a caption on a line, counted from the top of the plot."""
    axes.annotate(
        words,
        (0, 1),
        (2.5, -2.5 - 9 * line),
        xycoords="axes fraction",
        textcoords="offset points",
        va="top",
        fontsize=_SIZE,
        color=TEXT,
        bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 0.8},
    )
