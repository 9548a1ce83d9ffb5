"""Backfilled jobs: stripes over them, the jobs that they overtook, and a description."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Ints
from engine.schedule.backfills import NOBODY, passed_first, times_passed
from engine.schedule.schedule import Schedule
from views.data.gantt.data import GanttData
from views.raster.request import RenderRequest
from views.text.counts import plural
from views.theme.palette import FIRST, Pixels, pixel

_APART, _WIDE = 8, 2
"""Distance and width of stripes in pixels."""

_STRONG, _FAINT = 144, 40
"""Parts of a stripe's colour, of 256, over jobs and over those that are drawn back; the rest is their own."""


@dataclass(frozen=True, eq=False)
class Backfills:
    """The backfilled jobs of a schedule: the `first` waiting job that each job overtook, shape (n,), NOBODY
    if it started in its turn; and the number of overtaken jobs, `many`, shape (n,).
    """

    schedule: Schedule
    first: Ints
    many: Ints

    def past(self, job: int) -> Ints:
        """The jobs that were backfilled ahead of this job, ascending."""
        schedule = self.schedule
        return np.unique(schedule.log.past_job(job, int(schedule.start[job]), schedule.turn).job)

    def describe(self, job: int) -> list[str]:
        """Lines that describe the effect of backfilling on a job; none if there is no effect."""
        first, more = int(self.first[job]), int(self.many[job]) - 1
        lines = []
        if first != NOBODY:
            others = f" and {more} more that waited" if more else ""
            lines.append(f"backfilled past job {self.schedule.trace.shown_id(first)}{others}")
        behind = len(self.past(job)) if self.schedule.wait[job] > 0 else 0
        return [*lines, f"{plural(behind, 'job')} went past it"] if behind else lines


def backfills_of(schedule: Schedule) -> Backfills:
    """The backfilled jobs of a schedule; none for a schedule without a decision log."""
    backfills = Backfills(schedule, passed_first(schedule), times_passed(schedule))
    backfills.past(0)  # what looks up rows of the log is made here, away from the GUI thread
    return backfills


def stripe(
    pixels: Pixels,
    request: RenderRequest,
    data: GanttData,
    colours: Pixels,
    chosen: NDArray[np.bool_],
    colour: str,
) -> None:
    """Draw stripes over the `chosen` jobs of the trace, shape (n,), in the pixels that show one of these
    jobs.

    `pixels`, shape (height, width), is changed; it was painted with `colours`, one for each job in the
    order of `data`.
    """
    # The marks are painted like the jobs themselves, with their strength as colour: a pixel gets the stripe
    # of the job that it shows.
    strength = np.where(colours & np.uint32(FIRST), np.uint32(_STRONG), np.uint32(_FAINT))
    marks = np.where(chosen[data.job], strength, np.uint32(0)) | colours & np.uint32(0xFF000000)
    cover = data.paint(request, marks, "#000000") & np.uint32(0xFF)
    # Diagonals by row and column of the picture, so that stripes of neighbouring jobs go on.
    apart, wide = (round(size * request.ratio) for size in (_APART, _WIDE))
    down, across = np.ogrid[: pixels.shape[0], : pixels.shape[1]]
    where = np.flatnonzero((cover > 0) & ((across - down) % apart < wide))
    flat = pixels.reshape(-1)
    flat[where] = _mixed(flat[where], pixel(colour), cover.reshape(-1)[where])


def _mixed(own: Pixels, other: int, parts: Pixels) -> Pixels:
    """Opaque pixels with so many parts, of 256, of another colour in them."""
    result = np.full_like(own, 0xFF000000)
    for shift in (16, 8, 0):
        part, added = own >> np.uint32(shift) & np.uint32(0xFF), np.uint32(other >> shift & 0xFF)
        result |= (part * (256 - parts) + added * parts) >> np.uint32(8) << np.uint32(shift)
    return result
