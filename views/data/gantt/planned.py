"""Planned starts: where waiting jobs were promised to run, and what became of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.schedule.instant import planned_at
from engine.schedule.schedule import Schedule
from engine.schedule.spread import Spread
from engine.trace import MISSING
from views.data.changes import spell_change, spell_outcomes
from views.data.gantt.data import GanttData
from views.text.counts import plural, spell_count
from views.text.ticks import TimeAxis

Ints = NDArray[np.int64]

MOST_BARS = 100
"""Of more jobs no bars are drawn: they would hide one another."""


@dataclass(frozen=True, eq=False)
class Planned:
    """The plan of a schedule at `time` (s): jobs, indices into the trace, and their starts (s).

    A job may be there several times, its last promise behind those before.
    """

    schedule: Schedule
    time: float
    job: Ints
    start: Ints
    likely: tuple[Ints, Ints] | None = None  # earliest and latest start by like jobs, s; MISSING: not known

    @property
    def bars(self) -> Ints:
        """Which entries have bars: those with an earliest and a latest start, where they are few enough."""
        known = np.flatnonzero(self.likely[0] != MISSING) if self.likely is not None else self.job[:0]
        return known if len(known) <= MOST_BARS else known[:0]

    @property
    def change(self) -> Ints:
        """How much later than planned each job really started, s; negative: earlier."""
        return self.schedule.start[self.job] - self.start

    @property
    def end(self) -> Ints:
        """When each job was to end by its estimate, s."""
        schedule = self.schedule
        estimate = schedule.trace.walltime if schedule.estimate is None else schedule.estimate
        return self.start + np.maximum(estimate[self.job], 1)

    def caption(self) -> str:
        """How many starts were planned, and what became of them."""
        if not len(self.job):
            return "No planned starts at the marked instant"
        told = f"{plural(len(self.job), 'planned start')}: {spell_outcomes(self.change)}"
        return f"{told}. Bars: 80 % of like jobs" if len(self.bars) else told

    def describe(self, job: int, axis: TimeAxis) -> str:
        """What was planned for a job, in a line; empty: nothing was."""
        at = np.flatnonzero(self.job == job)
        if not len(at):
            return ""
        change = spell_change(int(self.change[at[0]]))
        told = f"planned at {axis.spell(self.time)} for {axis.spell(float(self.start[at[0]]))}; came {change}"
        if self.likely is None or self.likely[0][at[0]] == MISSING:
            return told
        early, late = (axis.spell(float(times[at[0]])) for times in self.likely)
        return f"{told}; by like jobs likely between {early} and {late}"

    def jobs_at(self, data: GanttData, time: float, row: float) -> list[int]:
        """The jobs whose outlines hold this point."""
        shown = np.flatnonzero((self.start <= time) & (time < self.end) & (data.entry[self.job] >= 0))
        entries = data.entry[self.job[shown]]
        boxes = data.boxes(entries)
        hit = boxes.entry[(boxes.first <= row) & (row < boxes.first + boxes.count)]
        return [int(data.job[entry]) for entry in entries[np.isin(entries, hit)]]


class Bars(NamedTuple):
    """From the earliest to the latest likely start of each of k jobs that have rows, (k,)."""

    row: NDArray[np.float64]  # in the middle of its tallest box
    early: Ints  # s
    late: Ints  # s


def bars_of(planned: Planned, data: GanttData) -> Bars:
    """The error bars of planned starts: none where nothing is known of like jobs."""
    there = planned.bars[data.entry[planned.job[planned.bars]] >= 0]
    if planned.likely is None or not len(there):
        return Bars(np.empty(0), there, there)
    entry = np.asarray(data.entry[planned.job[there]], np.int64)
    order = np.argsort(entry)
    early, late = (times[there[order]] for times in planned.likely)
    return Bars(data.middles(entry[order]), early, late)


def spell_cut(drawn: int, there: int) -> str:
    """`first 500 of 1 234 drawn`; empty where all are. Plans are in the order of their starts."""
    return f"first {spell_count(drawn)} of {spell_count(there)} drawn" if drawn < there else ""


def planned_of(schedule: Schedule, time: float, spread: Spread | None = None) -> Planned:
    """What is planned at a time for the jobs that wait then; with a `spread` how sure that is."""
    job, start = planned_at(schedule, time)
    return Planned(schedule, time, job, start, None if spread is None else spread.around(job, start, time))


def promised_to(schedule: Schedule, job: int) -> Planned:
    """All starts that a job was promised, one after the other."""
    start = schedule.log.promises.of_job(job)
    return Planned(schedule, float(schedule.submit[job]), np.full(len(start), job), start)
