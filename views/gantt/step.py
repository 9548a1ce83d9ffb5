"""Steps from job to job: along a row, among the jobs of a user, or among the jobs that delayed a job."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from engine.schedule.explain import explain
from engine.schedule.schedule import Decision, Schedule
from views.data.gantt.data import GanttData
from views.data.gantt.steps import StepKind
from views.gantt.gantt_selection import chosen_jobs
from views.state.clock import Window
from views.state.selection import Selection


class Stepper:
    """Remembers the job whose delay is being followed, so that each step continues from there."""

    def __init__(self) -> None:
        self._followed: tuple[Schedule | None, int] = None, -1

    def step(self, data: GanttData, kind: StepKind, job: int, forward: bool) -> int | None:
        """The job after `job`, or before it; None: there is none. Jobs are indices into the trace."""
        if kind == "row":
            return along_row(data, job, forward)
        if kind == "user":
            codes = data.schedule.trace.user.codes
            return _beside(data.job[codes[data.job] == codes[job]].tolist(), job, forward)
        chain = self._chain(data.schedule)
        if job not in chain:
            self._followed = data.schedule, job
            chain = self._chain(data.schedule)
        return _beside(chain, job, forward)

    def next(
        self,
        data: GanttData,
        kind: StepKind,
        forward: bool,
        selection: Selection,
        window: Window,
    ) -> int | None:
        """The job after the first of the selected jobs, or before it; None: there is none.

        Where none is selected it is the first in the window, of the selected users and queues if any are.
        """
        chosen = chosen_jobs(data, selection)
        if len(chosen):
            return self.step(data, kind, int(chosen[0]), forward)
        return first_job(data, window, replace(selection, jobs=frozenset()).mask(data.schedule.trace))

    def _chain(self, schedule: Schedule) -> list[int]:
        of_schedule, job = self._followed
        return [job, *delaying(schedule, job)] if of_schedule is schedule else []


def first_job(data: GanttData, window: Window, picked: NDArray[np.bool_] | None) -> int | None:
    """The first job within a window, else the first at all; of the `picked` jobs of the trace, if any are."""
    for entries in (data.between(*window), np.arange(len(data.job))):
        jobs = data.job[entries]
        kept = jobs if picked is None else jobs[picked[jobs]]
        if len(kept):
            return int(kept[0])
    return None


def along_row(data: GanttData, job: int, forward: bool) -> int | None:
    """The nearest job after, or before, on the row in the middle of the job's tallest box."""
    row = sum(data.largest_box(job)) / 2
    box = np.flatnonzero((data.first <= row) & (row < data.first + data.count))
    entry = np.searchsorted(data.offset, box, "right") - 1
    own = int(data.entry[job])
    if forward:
        later = entry[(data.start[entry] >= data.end[own]) & (entry != own)]
        return int(data.job[later[data.start[later].argmin()]]) if len(later) else None
    earlier = entry[(data.end[entry] <= data.start[own]) & (entry != own)]
    return int(data.job[earlier[data.end[earlier].argmax()]]) if len(earlier) else None


def delaying(schedule: Schedule, job: int) -> list[int]:
    """The jobs that delayed this job, in order of their start; none if it did not wait.

    These are the jobs that the decision log names: jobs backfilled ahead of it, or with a reservation that it
    would have delayed. If the log names none, they are the jobs whose end allowed it to start.
    """
    if schedule.wait[job] <= 0:
        return []
    explanation = explain(schedule, job)
    reservations = (
        interval.value for interval in explanation.intervals if interval.kind == Decision.RESERVATION
    )
    reserved = {other for other in reservations if other >= 0}  # else those of jobs that are not named
    named = {*explanation.overtaken, *reserved} - {job}
    if not named:
        named = set(np.flatnonzero(schedule.ran & (schedule.end == schedule.start[job])).tolist())
    return sorted(named, key=lambda other: (int(schedule.start[other]), other))


def _beside(jobs: list[int], job: int, forward: bool) -> int | None:
    """The job after, or before, in a list that holds it."""
    entry = jobs.index(job) + (1 if forward else -1)
    return jobs[entry] if 0 <= entry < len(jobs) else None
