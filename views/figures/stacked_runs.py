"""Runs one below the other: their common time axis, the axes of those that are shifted, and marks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from views.data.marks import TimeMark
from views.data.results import Result
from views.figures.page_settings import MARK
from views.figures.page_text import text_width
from views.figures.sheet import add_axes, draw_marks, label_time, pixels, uncut
from views.raster.time_scale import TimeScale
from views.text.ticks import TimeAxis, axis_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Window = tuple[float, float]

NO_OFFSETS: Mapping[int, float] = MappingProxyType({})
"""No run is shifted."""

_SHIFTED = 0.16
"""Inches below axes that have times of their own."""


@dataclass(frozen=True, eq=False)
class StackedRuns:
    """Runs, at least one, one below the other over a window of time in seconds.

    Those with `offsets` (s), by id, are shown later by their offset and have their own time axis.
    """

    results: Sequence[Result]
    window: Window
    offsets: Mapping[int, float]

    @property
    def gap(self) -> float:
        """Inches below each run for an axis of its own, which is there for all runs or for none."""
        return _SHIFTED if any(map(self.offset_of, self.results)) else 0.0

    def offset_of(self, result: Result) -> float:
        """By how much later a run is shown, in seconds."""
        return self.offsets.get(result.run_id, 0.0)

    def window_of(self, result: Result) -> Window:
        """The time of a run that is shown, in its own seconds."""
        later = self.offset_of(result)
        return self.window[0] + later, self.window[1] + later

    def label(
        self,
        figure: Figure,
        charts: Sequence[Sequence[Axes]],
        below: float,
        marks: Sequence[TimeMark],
        width: float | None = None,
    ) -> None:
        """Draw time axes and marks. `charts` are the axes of each run; they end so many inches `below`.

        `width` is that of the axes in inches, the page's where it is None.
        """
        every = [axes for of_run in charts for axes in of_run]
        base = [_add_base(figure, below, width)] if self.offset_of(self.results[-1]) else []
        axis = axis_of(self.results[0].schedule.trace)
        label_time([*every, *base], axis, self.window)
        for of_run, result in zip(charts, self.results, strict=True):
            if self.offset_of(result):
                _label_shifted(of_run, axis, self.window, self.offset_of(result))
        draw_marks(every, marks, self.window)


def whole_window(results: Sequence[Result]) -> Window:
    """From the first submission to the last end of any run, in seconds."""
    first = results[0].schedule.first_submit
    return float(first), float(max(first + 1, *(result.schedule.last_end for result in results)))


def _add_base(figure: Figure, top: float, width: float | None = None) -> Axes:
    """A line for the times that all runs have, below a run that is shifted."""
    axes = add_axes(figure, top, 0.01, width=width)
    axes.set_yticks([])
    for side in ("left", "right", "top"):
        axes.spines[side].set_visible(False)
    return axes


def _label_shifted(axes: Sequence[Axes], axis: TimeAxis, window: tuple[float, float], offset: float) -> None:
    """Label axes below each other that are shifted in time by offsets in seconds, each with its own times."""
    shifted = window[0] + offset, window[1] + offset
    for ax in axes:
        ax.set_xlim(*shifted)
        ax.set_xticks([], minor=True)
        ax.set_xticks([])
    last = axes[-1]
    ticks = axis.axis(TimeScale(*shifted, 0.0, pixels(last)[0]), text_width).ticks
    named = [tick for tick in ticks if tick.label]
    labels = [uncut(tick, TimeScale(*shifted, 0.0, pixels(last)[0])) for tick in named]
    last.set_xticks([tick.time for tick in named], labels, fontsize=6.5, color=MARK)
    last.tick_params(axis="x", pad=1.5, length=2)
    place: Any = {"xycoords": "axes fraction", "textcoords": "offset points"}
    style: Any = {"fontsize": 6.5, "color": MARK, "ha": "right", "va": "top"}
    from views.data.changes import format_offset  # which loads quantities of jobs

    last.annotate(format_offset(offset), (0, 0), (-8, -3.5), **place, **style)
