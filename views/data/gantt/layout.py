"""Row layouts other than the machine's own: users, queues, or lanes of jobs.

Each user, or queue, gets a band of rows as high as the most processors that it uses at once, and its jobs
take the lowest free rows of the band; for lanes each job counts as a single processor. So the assignment of
processors to jobs serves all layouts, on a different machine.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from engine.arrays import Ints
from engine.machine.cluster import Cluster, NodeGroup
from engine.schedule.schedule import NO_RUNS, Schedule
from engine.shown_text import format_name
from engine.trace import Names, Pieces, Trace
from views.data.gantt.rows import RowKind, Rows, rows_of

if TYPE_CHECKING:
    from engine.schedule.processors import Boxes


def lay_out(
    schedule: Schedule, boxes: Boxes, kind: RowKind, folded: Collection[str] = ()
) -> tuple[Rows, Boxes]:
    """The rows of a layout, and the boxes on the processors that they show; `boxes` are the machine's own.

    Groups of nodes are `folded` by their names.
    """
    if kind == "jobs":
        single = np.ones(len(schedule.start), np.int64)
        peak, packed = _assign(schedule, np.zeros(len(single), np.int64), single, 1)
        return Rows(kind, float(peak[0]), np.array([0, peak[0]])), packed
    if kind in ("users", "queues"):
        names = schedule.trace.user if kind == "users" else schedule.trace.queue
        # Users without jobs in this trace would leave empty rows.
        used = np.bincount(names.codes, minlength=len(names.names)) > 0
        shown = [code for code in by_area(schedule.trace, names).tolist() if used[code]]
        band = np.zeros(len(names.names), np.int64)
        band[shown] = np.arange(len(shown))
        # Each band is as high as it is ever used, and jobs are placed within it as on a machine of that size.
        peak, allocated = _assign(schedule, band[names.codes], schedule.procs, len(shown))
        first = np.concatenate(([0], np.cumsum(peak))).astype(np.int64)
        words = tuple(format_name(kind.removesuffix("s"), names.names[code]) for code in shown)
        return Rows(kind, float(len(shown)), first, names=words, codes=tuple(shown)), allocated
    return rows_of(schedule.cluster, kind, folded), boxes


def by_area(trace: Trace, names: Names) -> Ints:
    """The codes of users or queues, those whose jobs ask for most processor-seconds first."""
    area = np.bincount(names.codes, (trace.procs * trace.runtime).astype(np.float64), len(names.names))
    return np.argsort(-area, kind="stable")


def most_at_once(schedule: Schedule, band: Ints, size: Ints, bands: int) -> Ints:
    """The greatest sum of `size` of the running jobs of each band, at least 1; shape (bands,).

    `band` and `size` have an entry a job; at one second ends go before starts. Further runs,
    such as those that a failure stopped, count too.
    """
    further = schedule.further
    ran = np.flatnonzero(schedule.ran)
    job = np.concatenate((ran, further.job))
    # Within a second ends come before starts, so that a job that follows another does not count beside it.
    time = np.concatenate((schedule.end[ran], further.end, schedule.start[ran], further.start))
    of_band = np.tile(band[job], 2)
    change = np.concatenate((-size[job], size[job]))
    starts = np.repeat([0, 1], len(job))
    span = int(time.max(initial=0)) + 1
    # A single sort by band, time, and end before start: a number holds all three keys.
    order = np.argsort(((of_band * span + time) << 1) | starts)
    most = np.ones(bands, np.int64)
    np.maximum.at(most, of_band[order], np.cumsum(change[order]))  # each band sums up to 0
    return most


def _assign(schedule: Schedule, band: Ints, size: Ints, bands: int) -> tuple[Ints, Boxes]:
    """The height of each band, and the boxes of jobs that take `size` processors of their band."""
    from engine.schedule.processors import assign_processors

    most = most_at_once(schedule, band, size, bands)
    # The bands are a machine of as many nodes: what places jobs on nodes places them in rows.
    offset = np.concatenate(([0], np.cumsum(schedule.ran))).astype(np.int64)
    rows = {"node": band[schedule.ran], "cpus": size[schedule.ran]}
    further, one_each = schedule.further, np.arange(len(schedule.further) + 1)
    again = replace(further, pieces=Pieces(one_each, {"node": band[further.job], "cpus": size[further.job]}))
    machine = Cluster(tuple(NodeGroup(1, int(cpus)) for cpus in most))
    pieces = Pieces(offset, rows)
    allocated = replace(schedule, cluster=machine, pieces=pieces, stopped=again, added=NO_RUNS)
    return most, assign_processors(allocated)
