"""What a Gantt chart draws: jobs in order of their start, each with its boxes on rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.schedule import Schedule
from views.gantt.rows import RowKind, Rows, rows_of

if TYPE_CHECKING:
    from engine.simulation.processors import Boxes
    from views.raster import Strips

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class VisibleBoxes:
    """Boxes within a window: `place` is the job's place in GanttData, shape (k,) each; rows and seconds."""

    place: Ints
    start: Ints
    end: Ints
    first: NDArray[np.float32]
    count: NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class GanttData:
    """Jobs that were run, shape (n,), ascending by start; job k owns the boxes offset[k]:offset[k + 1].

    `job` is the index into the trace, `latest` the running maximum of the ends, so that the
    jobs of a window are found by two binary searches.
    """

    schedule: Schedule
    rows: Rows
    job: Ints
    start: Ints
    end: Ints
    latest: Ints
    offset: Ints  # (n + 1,)
    first: NDArray[np.float32]  # (m,) row
    count: NDArray[np.float32]  # (m,) rows
    _strips: dict[int, Strips] = field(default_factory=dict)

    def strips(self, height: int) -> Strips:
        """What each job covers of each of `height` pixel rows; the last one asked for is kept."""
        from views import raster

        kept = self._strips.get(height)
        if kept is None:
            kept = raster.strips(self.offset, self.first, self.count, self.rows.total, height)
            self._strips.clear()
            self._strips[height] = kept
        return kept

    def between(self, start: float, end: float) -> Ints:
        """Places of the jobs that run at some time between, shape (k,)."""
        low = int(np.searchsorted(self.latest, start, "right"))
        high = int(np.searchsorted(self.start, end, "left"))
        return low + np.flatnonzero(self.end[low:high] > start)

    def boxes(self, places: Ints) -> VisibleBoxes:
        """The boxes of these jobs."""
        sizes = self.offset[places + 1] - self.offset[places]
        before = np.cumsum(sizes) - sizes
        box = np.repeat(self.offset[places] - before, sizes) + np.arange(sizes.sum())
        place = np.repeat(places, sizes)
        return VisibleBoxes(place, self.start[place], self.end[place], self.first[box], self.count[box])

    def job_at(self, start: float, end: float, top: float, bottom: float) -> int | None:
        """The job that covers most of this area of time (s) and rows, as an index into the trace."""
        places = self.between(start, end)
        boxes = self.boxes(places)
        wide = np.minimum(boxes.end, end) - np.maximum(boxes.start, start)
        tall = np.minimum(boxes.first + boxes.count, bottom) - np.maximum(boxes.first, top)
        area = wide * np.maximum(tall, 0.0)
        if not len(area) or area.max() <= 0:
            return None
        owner = np.searchsorted(places, boxes.place)
        covered = np.bincount(owner, weights=area, minlength=len(places))
        return int(self.job[places[int(covered.argmax())]])


def gantt_data(schedule: Schedule, boxes: Boxes, kind: RowKind) -> GanttData:
    """Order jobs by start (ties by index), and put their boxes on rows."""
    rows = rows_of(schedule.cluster, kind)
    ran = np.flatnonzero(schedule.ran)
    job = ran[np.argsort(schedule.start[ran], kind="stable")]
    place = np.zeros(len(schedule.start), np.int64)
    place[job] = np.arange(len(job))
    owner = place[boxes.job]
    order = np.argsort(owner, kind="stable")
    offset = np.concatenate(([0], np.cumsum(np.bincount(owner, minlength=len(job))))).astype(np.int64)
    top = rows.place(boxes.first[order])
    bottom = rows.place(boxes.first[order] + boxes.count[order])
    start, end = np.array(schedule.start[job]), np.array(schedule.end[job])
    return GanttData(
        schedule=schedule,
        rows=rows,
        job=job,
        start=start,
        end=end,
        latest=np.maximum.accumulate(end) if len(end) else end,
        offset=offset,
        first=top.astype(np.float32),
        count=(bottom - top).astype(np.float32),
    )
