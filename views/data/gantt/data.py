"""The data of a Gantt chart: jobs in order of their start, each with its boxes on rows."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Hashable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Ints
from engine.machine.outages import NO_OUTAGES
from engine.schedule.schedule import Schedule
from views.data.gantt.layout import lay_out
from views.data.gantt.rows import MACHINE_ROWS, RowKind, Rows
from views.raster.request import ALL_ROWS, RenderRequest
from views.theme.palette import Pixels, pixel

if TYPE_CHECKING:
    from engine.schedule.processors import Boxes
    from views.raster.jobs import Rowed, Strips
    from views.raster.levels import Frames

Numbers = NDArray[np.int32]

BLOCK = 4096
"""Jobs in view are taken by so many, so that a small move does not need others."""


@dataclass(frozen=True, eq=False)
class VisibleBoxes:
    """Boxes within a window: `entry` is the job's index in GanttData, shape (k,) each; rows and seconds."""

    entry: Ints
    start: Ints
    end: Ints
    first: NDArray[np.float64]
    count: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class GanttData:
    """Jobs that were run, shape (n,), ascending by start; job k owns the boxes offset[k]:offset[k + 1].

    `job` is the index into the trace, and `entry` leads back from it (-1: not run); `latest` is the running
    maximum of the ends, so that the jobs of a window are found by two binary searches. Where rows are
    processors the boxes are those of the machine, not copies. A job has an `extra` entry for each run that a
    failure or a preemption cut short, after which it was queued again, and for each `added` job that is like
    it; `entry` refers to its own last run.
    """

    schedule: Schedule
    rows: Rows
    job: Numbers
    entry: Numbers
    start: Ints
    end: Ints
    latest: Ints
    offset: Numbers  # (n + 1,)
    first: Rowed  # (m,) row
    count: Rowed  # (m,) rows
    extra: NDArray[np.bool_]  # (n,)
    added: NDArray[np.bool_]  # (n,)
    _strips: dict[Hashable, Strips] = field(default_factory=dict)

    @cached_property
    def lost(self) -> NDArray[np.bool_]:
        """The runs that did not complete, shape (n,): cut short, or the last run of a cancelled job."""
        cut, cancelled_for = self.extra & ~self.added, self.schedule.cancelled_for
        return cut if cancelled_for is None else cut | (cancelled_for[self.job] >= 0) & ~self.added

    def only(self, shown: NDArray[np.bool_]) -> GanttData:
        """The same rows with some jobs alone; `shown` is a mask over the jobs of the trace."""
        # A job has several boxes: its mark is repeated for each of them, as the offsets tell.
        kept = shown[self.job]
        sizes = np.diff(self.offset)
        of_kept = np.repeat(kept, sizes)
        job, end = self.job[kept], self.end[kept]
        return replace(
            self,
            job=job,
            entry=_entries(job, self.extra[kept], len(self.entry)),
            start=self.start[kept],
            end=end,
            latest=np.maximum.accumulate(end) if len(end) else end,
            offset=np.concatenate(([0], np.cumsum(sizes[kept]))).astype(np.int32),
            first=self.first[of_kept],
            count=self.count[of_kept],
            extra=self.extra[kept],
            added=self.added[kept],
            # The cached strips hold all jobs.
            _strips={},
        )

    @cached_property
    def down(self) -> GanttData:
        """The outages of the machine's nodes as boxes over the same rows; `job` is the index of the outage.

        Empty where rows are not the machine's own.
        """
        outages = self.schedule.outages if self.rows.kind in MACHINE_ROWS else NO_OUTAGES
        # An outage covers all processors of its node: from its first to just before that of the next node.
        index = np.arange(len(outages), dtype=np.int32)
        edge = np.concatenate(([0], np.cumsum(self.schedule.cluster.node_cpus())))
        top, bottom = (self.rows.rows_of(edge[outages.node + below]) for below in (0, 1))
        return replace(
            self,
            job=index,
            entry=index,
            start=np.array(outages.start),
            end=np.array(outages.end),
            latest=np.maximum.accumulate(outages.end) if len(outages) else np.array(outages.end),
            offset=np.arange(len(outages) + 1, dtype=np.int32),
            first=top,
            count=bottom - top,
            extra=np.zeros(len(outages), np.bool_),
            added=np.zeros(len(outages), np.bool_),
            _strips={},
        )

    def paint(self, request: RenderRequest, colours: Pixels, background: str) -> Pixels:
        """The picture that is wanted, shape (height, width); `colours` has a pixel for each job."""
        from views.raster.levels import Drawn

        low, high = self._around(request)
        kept = slice(low, high)
        own = colours if high - low == len(colours) else colours[kept]  # the same array in each frame
        cover = self._strips_of(request, low, high)
        jobs = Drawn(self.start[kept], self.end[kept], self.latest[kept], own, cover)
        return self._frames.paint(jobs, request, pixel(background))

    @cached_property
    def _frames(self) -> Frames:
        from views.raster.levels import Frames

        return Frames()

    def _around(self, request: RenderRequest) -> tuple[int, int]:
        """The entries of all jobs; where a part of the rows is seen, of those in view and some around them.

        What jobs cover of all rows is worked out once a height, and of a part of them for each
        part: for no more jobs than that has to be.
        """
        if request.rows == ALL_ROWS:
            return 0, len(self.job)
        low = bisect_right(self.latest, request.window[0]) // BLOCK * BLOCK
        high = -(-bisect_left(self.start, request.window[1]) // BLOCK) * BLOCK
        return low, max(low, min(high, len(self.job)))

    def _strips_of(self, request: RenderRequest, low: int, high: int) -> Strips:
        """The part of each pixel row that each job covers; the last result is cached."""
        from views.raster.jobs import strips

        # A result is kept: frames use the same jobs until a job enters or leaves the view.
        key = (request.height, request.rows, low, high)
        kept = self._strips.get(key)
        if kept is None:
            top, bottom = (share * self.rows.total for share in request.rows)
            # Boxes and offsets of the jobs in view alone, which then begin at 0.
            box = slice(int(self.offset[low]), int(self.offset[high]))
            offset = self.offset[low : high + 1] - self.offset[low]
            kept = strips(offset, self.first[box], self.count[box], (top, bottom), request.height)
            self._strips.clear()
            self._strips[key] = kept
        return kept

    def between(self, start: float, end: float) -> Ints:
        """Entries of the jobs that run at some time between, shape (k,)."""
        low = bisect_right(self.latest, start)
        high = bisect_left(self.start, end)
        return low + np.flatnonzero(self.end[low:high] > start)

    def waiting(self, start: float, end: float) -> Ints:
        """Entries of the jobs that wait at some time between, shape (k,)."""
        submit = self.schedule.submit[self.job]
        first = bisect_right(self.start, start)
        waits = (submit[first:] < end) & (submit[first:] < self.start[first:])
        return first + np.flatnonzero(waits)

    def boxes(self, entries: NDArray[np.integer[Any]]) -> VisibleBoxes:
        """The boxes of these jobs."""
        box = _owned(self.offset, entries)
        entry = np.repeat(entries, self.offset[entries + 1] - self.offset[entries])
        first, count = self.first[box].astype(np.float64), self.count[box].astype(np.float64)
        return VisibleBoxes(entry, self.start[entry], self.end[entry], first, count)

    def middles(self, entries: Ints) -> NDArray[np.float64]:
        """The row in the middle of the tallest box of each of these jobs, ascending; shape as `entries`."""
        boxes = self.boxes(entries)
        by_height = np.lexsort((-boxes.count, boxes.entry))
        tallest = by_height[np.append(True, np.diff(boxes.entry[by_height]) != 0)[: len(by_height)]]
        return np.asarray(boxes.first[tallest] + boxes.count[tallest] / 2, np.float64)

    def largest_box(self, job: int) -> tuple[float, float]:
        """Upper and lower edge, in rows, of the tallest box of `job`, an index into the trace."""
        entry = int(self.entry[job])
        boxes = slice(int(self.offset[entry]), int(self.offset[entry + 1]))
        tallest = int(self.count[boxes].argmax())
        top = float(self.first[boxes][tallest])
        return top, top + float(self.count[boxes][tallest])

    def job_at(self, start: float, end: float, top: float, bottom: float) -> int | None:
        """The job that covers most of this area of time (s) and rows, as an index into the trace."""
        entry = self.entry_at(start, end, top, bottom)
        return None if entry is None else int(self.job[entry])

    def entry_at(self, start: float, end: float, top: float, bottom: float) -> int | None:
        """The entry of what covers most of this area of time (s) and rows."""
        entries = self.between(start, end)
        boxes = self.boxes(entries)
        wide = np.minimum(boxes.end, end) - np.maximum(boxes.start, start)
        tall = np.minimum(boxes.first + boxes.count, bottom) - np.maximum(boxes.first, top)
        area = wide * np.maximum(tall, 0.0)
        if not len(area) or area.max() <= 0:
            return None
        owner = np.searchsorted(entries, boxes.entry)
        covered = np.bincount(owner, weights=area, minlength=len(entries))
        return int(entries[int(covered.argmax())])


def gantt_data(schedule: Schedule, boxes: Boxes, kind: RowKind, folded: Collection[str] = ()) -> GanttData:
    """Jobs by start (ties by index), with their boxes on rows, where some groups of nodes are `folded`.

    `boxes` say which processors of the machine each job had. Further runs, such as those that
    were cut short, are included, ordered by start.
    """
    rows, boxes = lay_out(schedule, boxes, kind, folded)
    job = boxes.order
    start, end = schedule.start[job], schedule.end[job]
    # Runs that were cut short have boxes of their own but belong to the same job; `extra` marks them, so that
    # the job's entry stays that of its completed run.
    extra = added = np.zeros(len(job), np.bool_)
    if boxes.further is not None:
        boxes, place, extra, start, end = _with_further(schedule, boxes, boxes.further)
        job = np.where(extra, schedule.further.job[np.where(extra, place, 0)], place).astype(np.int32)
        added = extra & (place >= len(schedule.stopped))
    first: Rowed = boxes.first
    count: Rowed = boxes.count
    # Rows of processors are the boxes as they are; all others map the processors to rows, where a box may be
    # a fraction of a row high.
    if not rows.of_processors:
        top, bottom = rows.rows_of(boxes.first), rows.rows_of(boxes.first + boxes.count)
        first, count = top, bottom - top
    return GanttData(
        schedule=schedule,
        rows=rows,
        job=job,
        entry=_entries(job, extra, len(schedule.start)),
        start=start,
        end=end,
        latest=np.maximum.accumulate(end) if len(end) else end,
        offset=boxes.offset,
        first=first,
        count=count,
        extra=extra,
        added=added,
    )


def _with_further(
    schedule: Schedule, own: Boxes, others: Boxes
) -> tuple[Boxes, Numbers, NDArray[np.bool_], Ints, Ints]:
    """Completed and further runs merged by start: their boxes, the job or the place in `Schedule.further` of
    each, which of these it is, starts, ends.
    """
    further = schedule.further
    place = np.concatenate((own.order, others.order))
    start = np.concatenate((schedule.start[own.order], further.start[others.order]))
    end = np.concatenate((schedule.end[own.order], further.end[others.order]))
    # Places count separately for completed and for further runs: this says which of them each is.
    extra = np.repeat([False, True], [len(own.order), len(others.order)])
    offset = np.concatenate((own.offset, own.offset[-1] + others.offset[1:])).astype(np.int32)
    # Stable, so that runs that completed stay before the further runs that start with them.
    by_start = np.argsort(start, kind="stable")
    box = _owned(offset, by_start)
    merged = replace(
        own,
        order=by_start.astype(np.int32),
        offset=np.concatenate(([0], np.cumsum(np.diff(offset)[by_start]))).astype(np.int32),
        first=np.concatenate((own.first, others.first))[box],
        count=np.concatenate((own.count, others.count))[box],
    )
    return merged, place[by_start], extra[by_start], start[by_start], end[by_start]


def _owned(offset: NDArray[np.integer[Any]], entries: NDArray[np.integer[Any]]) -> Ints:
    """The boxes offset[p]:offset[p + 1] of these entries, concatenated."""
    sizes = offset[entries + 1] - offset[entries]
    before = np.cumsum(sizes) - sizes
    return np.repeat(offset[entries] - before, sizes) + np.arange(sizes.sum())


def _entries(job: Numbers, extra: NDArray[np.bool_], jobs: int) -> Numbers:
    """The index in `job` of the completed run of each job; -1 if it has none."""
    entry = np.full(jobs, -1, np.int32)
    entry[job[~extra]] = np.flatnonzero(~extra)
    return entry
