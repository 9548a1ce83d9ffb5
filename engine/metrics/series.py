"""Use of the machine and its queue over time, as step functions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from engine.arrays import Ints
from engine.metrics.stays import stays_of_jobs
from engine.schedule.compact import narrow
from engine.schedule.schedule import Schedule
from engine.trace import Trace

if TYPE_CHECKING:
    from engine.fairness.violations import Violations

Narrow = NDArray[np.int32] | NDArray[np.int64]

PART = 1 << 20
"""The most jobs whose changes are added up at once."""


@dataclass(frozen=True, eq=False)
class StepSeries:
    """A step function: `value[i]` holds from `time[i]` (s) up to `time[i + 1]`, and it is 0 before and after.

    Both of shape (m,), of 32 bits where the numbers fit; times ascend strictly.
    """

    time: Narrow
    value: Narrow

    @cached_property
    def most(self) -> int:
        """The greatest value; at least 0."""
        return int(self.value.max(initial=0))

    @property
    def wide(self) -> tuple[Ints, Ints]:
        """Times and values as 64 bits."""
        return self.time.astype(np.int64), self.value.astype(np.int64)

    def at(self, time: Ints) -> Ints:
        """The value at each time (s), same shape."""
        index = np.searchsorted(self.time, time, "right") - 1
        if not len(self.time):
            return np.zeros_like(time)
        return np.where(index >= 0, self.value[index], 0).astype(np.int64)


NOTHING = StepSeries(np.empty(0, np.int64), np.empty(0, np.int64))
"""0 at all times."""


@dataclass(frozen=True, eq=False)
class UsageSeries:
    """Use of the machine over time, and the requests of running and waiting jobs."""

    processors: StepSeries  # in use
    ram: StepSeries  # MiB that running jobs asked for
    waiting: StepSeries  # jobs
    requested_processors: StepSeries
    requested_ram: StepSeries  # MiB
    further: StepSeries = NOTHING  # of the resource that `further_resource` names, such as GPUs
    requested_further: StepSeries = NOTHING
    power: StepSeries = NOTHING  # mW, where the power of the machine is known and asked for

    def looked_through(self) -> UsageSeries:
        """This value with its maxima computed, which takes time for millions of jobs and is cached."""
        for series in (self.processors, self.ram, self.waiting, self.further, self.power):
            _ = series.most
        for series in (self.requested_processors, self.requested_ram, self.requested_further):
            _ = series.most
        return self


def usage(schedule: Schedule, jobs: NDArray[np.bool_] | None = None) -> UsageSeries:
    """Processors, RAM and GPUs in use and requested, and jobs waiting, of the jobs that the schedule runs.

    `jobs`, shape (n,), restricts that to some jobs, such as those of a user. Runs that failures stopped count
    as use, too, and their jobs wait again from then on. Jobs that a workload adds count like those that they
    are like.
    """
    trace = schedule.trace
    ran = np.flatnonzero(schedule.ran if jobs is None else schedule.ran & jobs)
    ran, submitted, start, end, procs, _ = stays_of_jobs(schedule, ran)
    every = len(ran) == len(trace) and np.array_equal(ran, np.arange(len(trace)))
    resource = further_resource(trace)
    ram = further = None
    if trace.has_ram:
        ram = np.maximum(trace.ram if every else trace.ram[ran], 0)
    if resource is not None:
        further = trace.asked(resource) if every else trace.asked(resource)[ran]
    del ran  # columns are let go as early as they can be: they are long
    by_end = np.argsort(end, kind="stable")
    ended = end[by_end]
    by_start = np.argsort(start, kind="stable")
    started = start[by_start]
    del start, end
    used, asked = [], []
    for amount in (procs, ram, further):
        if amount is None:
            used.append(NOTHING)
            asked.append(NOTHING)
            continue
        less = amount[by_end]
        asked.append(_balance(submitted, amount, ended, less))
        used.append(_balance(started, amount[by_start], ended, less))
        del less
    del by_start, by_end, ended
    single = np.ones(len(started), np.int64)
    return UsageSeries(
        processors=used[0],
        ram=used[1],
        waiting=_balance(submitted, single, started, single),
        requested_processors=asked[0],
        requested_ram=asked[1],
        further=used[2],
        requested_further=asked[2],
    )


def further_resource(trace: Trace) -> str | None:
    """The resource that jobs request besides processors and RAM: GPUs, otherwise the first; None if there is
    none.
    """
    named = sorted(trace.further_resources, key=lambda name: name != "gpu")
    return next((name for name in named if trace.asked(name).any()), None)


def violated(schedule: Schedule, violations: Violations, jobs: NDArray[np.bool_]) -> StepSeries:
    """The number of `jobs`, shape (n,), that violate their expected end times, as in the heatmap.

    A violated job counts from its latest start that would still have met its EET up to its
    real start (Toth & Klusacek 2014, section 3.3, to the second).
    """
    late = violations.violated & jobs
    last = schedule.start[late]
    first = last - violations.tardiness[late]
    single = np.ones(len(last), np.int64)
    return _balance(np.sort(first), single, np.sort(last), single)


def _balance(come: Ints, more: Ints, leave: Ints, less: Ints) -> StepSeries:
    """The sum of what has come and not left, over time; `come` and `leave` ascend, in seconds.

    Millions of changes are added up a part at a time, so that only the narrow result is long.
    """
    from engine.compiler.kernels import only_read
    from engine.metrics.series_kernels import merge_changes

    if not more.any():  # such as RAM in a log without it
        return NOTHING
    times, values = [], []
    came = left = held = 0
    while came < len(come) or left < len(leave):
        till, gone = _part(come, came, leave, left)
        now, then = slice(came, till), slice(left, gone)
        room = till - came + gone - left
        time, value = np.empty(room, np.int64), np.empty(room, np.int64)
        began, ended = only_read(come[now]), only_read(leave[then])
        rows = merge_changes(began, only_read(more[now]), ended, only_read(less[then]), time, value)
        value[:rows] += held
        times.append(narrow(time[:rows]))
        values.append(narrow(value[:rows]))
        held += int(more[now].sum()) - int(less[then].sum())
        came, left = till, gone
    return StepSeries(joined(times), joined(values))


def _part(come: Ints, came: int, leave: Ints, left: int) -> tuple[int, int]:
    """The ends of a part of both, from `came` and `left` on; all changes of a second are in one part."""
    last = [int(times[at + PART]) for times, at in ((come, came), (leave, left)) if at + PART < len(times)]
    if not last:
        return len(come), len(leave)
    # Strictly before that second, or, if there are so many changes in one second, up to its end.
    for side in ("left", "right"):
        till, gone = (int(np.searchsorted(times, min(last), side)) for times in (come, leave))
        if till + gone > came + left:
            break
    return till, gone


def joined(pieces: list[NDArray[Any]]) -> NDArray[Any]:
    """The pieces in sequence; the list is emptied."""
    whole = pieces[0] if len(pieces) == 1 else np.concatenate(pieces)
    pieces.clear()
    return whole
