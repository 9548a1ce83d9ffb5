"""Planned starts: where waiting jobs were promised to run, and what became of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.arrays import Ints
from engine.schedule.instant import planned_at
from engine.schedule.schedule import Schedule
from engine.schedule.track_record import LikeJobs, TrackRecord
from views.data.changes import describe_outcomes, format_change
from views.data.gantt.data import GanttData
from views.text.counts import format_count, plural
from views.text.ticks import TimeAxis


@dataclass(frozen=True, eq=False)
class Planned:
    """The plan of a schedule at `time` (s): jobs, indices into the trace, and their starts (s).

    A job may be there several times, its last planned start after the earlier ones.
    """

    schedule: Schedule
    time: float
    job: Ints
    start: Ints
    so_far: Sequence[LikeJobs | None] = ()  # of each job: the accuracy of first plans of similar jobs

    @property
    def change(self) -> Ints:
        """Actual minus planned start of each job, in s; negative: earlier than planned."""
        return self.schedule.start[self.job] - self.start

    @property
    def end(self) -> Ints:
        """The end of each job by its estimate, s."""
        schedule = self.schedule
        estimate = schedule.trace.walltime if schedule.estimate is None else schedule.estimate
        return self.start + np.maximum(estimate[self.job], 1)

    def caption(self) -> str:
        """The number of planned starts, and how many came earlier, on time or later."""
        if not len(self.job):
            return "No planned starts at the marked instant"
        return f"{plural(len(self.job), 'planned start')}: {describe_outcomes(self.change)}"

    def describe(self, job: int, axis: TimeAxis) -> str:
        """Describe the planned start of a job in a line; empty if there is none."""
        at = np.flatnonzero(self.job == job)
        if not len(at):
            return ""
        change = format_change(int(self.change[at[0]]))
        start = axis.format(float(self.start[at[0]]))
        text = f"planned at {axis.format(self.time)} for {start}; started {change}"
        like = self.so_far[at[0]] if len(self.so_far) else None
        return text if like is None else f"{text}; first plans of similar jobs so far: {like}"

    def jobs_at(self, data: GanttData, time: float, row: float) -> list[int]:
        """The jobs whose outlines hold this point."""
        shown = np.flatnonzero((self.start <= time) & (time < self.end) & (data.entry[self.job] >= 0))
        entries = data.entry[self.job[shown]]
        boxes = data.boxes(entries)
        hit = boxes.entry[(boxes.first <= row) & (row < boxes.first + boxes.count)]
        return [int(data.job[entry]) for entry in entries[np.isin(entries, hit)]]


def describe_cut(drawn: int, there: int) -> str:
    """`first 500 of 1 234 drawn`; empty where all are. Plans are in the order of their starts."""
    return f"first {format_count(drawn)} of {format_count(there)} drawn" if drawn < there else ""


def planned_of(schedule: Schedule, time: float, record: TrackRecord | None = None) -> Planned:
    """The plan at a time for the jobs that wait then; with a `record`, also the accuracy of similar plans."""
    job, start = planned_at(schedule, time)
    return Planned(schedule, time, job, start, () if record is None else record.of(job, time))


def promised_to(schedule: Schedule, job: int) -> Planned:
    """All planned starts of a job, in order of planning."""
    start = schedule.log.promises.of_job(job)
    return Planned(schedule, float(schedule.submit[job]), np.full(len(start), job), start)
