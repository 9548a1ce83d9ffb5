"""What changes by the clock, known ahead: the cap on power, and which hours have cheap energy."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.compiler.kernels import inner_kernel
from engine.compiler.packed_tuples import unchanging
from engine.simulation.machine_state import (
    NEVER,
    MachineState,
    end_ahead,
    fits_ahead,
    look_ahead,
    reserve_ahead,
)
from engine.simulation.queue import Queue
from engine.simulation.running import Running
from engine.simulation.workload import Ints, Workload


class KnownHours(NamedTuple):
    """The cap on power as steps in time, and the prices of energy for jobs that wait for cheap hours.

    From `cap_time[i]` on, s, until the next, jobs may take `cap_room[i]` of the last resource; the first step
    begins before all events. That is power in mW, or processors where each takes as much. Without such a cap
    both are empty. From `price_time[i]` on energy is dear or not; a job
    waits for cheap energy for at most `patience`, s, and without such jobs all three are empty.
    """

    cap_time: Ints  # (m,) s
    cap_room: Ints  # (m,) mW, or processors
    price_time: Ints  # (k,) s
    dear: Ints  # (k,) 1 where energy costs more than jobs wait for
    patience: Ints  # (n,) s; 0 of jobs that do not wait for cheap energy


_NONE = np.zeros(0, np.int64)
NO_HOURS = unchanging(KnownHours(_NONE, _NONE, _NONE, _NONE, _NONE))
"""Of a policy to which all hours are alike."""


@inner_kernel
def waits_for_price(hours: KnownHours, work: Workload, job: int, now: int) -> bool:
    """Whether the job waits now because energy is dear."""
    if len(hours.patience) == 0 or now >= work.submit[job] + hours.patience[job]:
        return False
    row = _row_at(hours.price_time, now)
    return bool(row >= 0 and hours.dear[row] != 0)


@inner_kernel
def next_hour(hours: KnownHours, work: Workload, queue: Queue, now: int) -> int:
    """The next second after `now` in which the clock alone may let a waiting job start, s; NEVER if none.

    That is where the cap rises, where energy becomes cheap or dear (then a job in front may give way), and
    where a job has waited for cheap energy as long as it may.
    """
    time = NEVER
    if queue.bounds[0] == queue.bounds[1]:
        return time
    if len(hours.cap_time) > 0:
        row = _row_at(hours.cap_time, now) + 1
        # A lower cap lets no job start: only rises count.
        while row < len(hours.cap_time) and hours.cap_room[row] <= hours.cap_room[row - 1]:
            row += 1
        if row < len(hours.cap_time):
            time = hours.cap_time[row]
    if len(hours.patience) > 0:
        row = _row_at(hours.price_time, now) + 1
        if row < len(hours.price_time):
            time = min(time, hours.price_time[row])
        for index in range(queue.bounds[0], queue.bounds[1]):
            job = queue.jobs[index]
            until = work.submit[job] + hours.patience[job]
            if until > now:
                time = min(time, until)
    return int(time)


@inner_kernel
def power_missing(
    hours: KnownHours, work: Workload, machine: MachineState, run: Running, job: int, now: int
) -> int:
    """How much power the job lacks, mW, to start now beside the running jobs; 0 or less if nothing.

    The most that it lacks at any time until it would end: the cap may fall before running jobs end.
    """
    last = work.need.shape[1] - 1
    need = work.need[job, last]
    most = work.capacity[len(work.capacity) - 1, last]
    held = most - machine.free_total[last]
    row = _row_at(hours.cap_time, now)
    missing = need + held - hours.cap_room[row]
    end, index = now + work.estimate[job], run.running[0] - 1
    row += 1
    while row < len(hours.cap_time) and hours.cap_time[row] < end:
        # Jobs that are expected to have ended by then have given back their power.
        while index >= 0 and run.line_end[index] <= hours.cap_time[row]:
            held -= work.need[run.line[index], last]
            index -= 1
        missing = max(missing, need + held - hours.cap_room[row])
        row += 1
    return int(missing)


@inner_kernel
def has_power(
    hours: KnownHours, work: Workload, machine: MachineState, run: Running, job: int, now: int, head: int
) -> bool:
    """Whether the cap lets the job run from now to the end of its estimate.

    Beside it count the running jobs until they are expected to end, and the reservation of the job `head` if
    `machine` has one.
    """
    last = work.need.shape[1] - 1
    taken = work.need[job, last] + work.capacity[len(work.capacity) - 1, last] - machine.free_total[last]
    end, begin = now + work.estimate[job], machine.reserved_start[0]
    row, index, time = _row_at(hours.cap_time, now), run.running[0] - 1, now
    # Between two steps of the cap, and but for the begin of the reservation, less and less power is taken: so
    # only these times are looked at.
    while True:
        reserved = 0
        if begin <= time < begin + work.estimate[head]:
            reserved = work.need[head, last]
        # Jobs that are expected to have ended count until the power matters: mostly there is enough.
        if taken + reserved > hours.cap_room[row]:
            while index >= 0 and run.line_end[index] <= time:
                taken -= work.need[run.line[index], last]
                index -= 1
            if taken + reserved > hours.cap_room[row]:
                return False
        following = _next_step(hours, row)
        if time < begin < following:
            following = begin
        if following >= end:
            return True
        time = following
        row += _next_step(hours, row) == time


@inner_kernel
def reserve_with_power(
    hours: KnownHours, work: Workload, machine: MachineState, run: Running, job: int, now: int
) -> int:
    """`reserve` under a cap by the clock: the first time with nodes and power for the job, s."""
    look_ahead(machine)
    index, time = run.running[0] - 1, now
    while time < NEVER:
        # First the resources at that time; then the first time at which there is power, too, at which they
        # are looked at again: a job of different tasks may not fit into more although it fits into less.
        while index >= 0 and run.line_end[index] <= time:
            end_ahead(work, machine, run.line[index])
            index -= 1
        if fits_ahead(work, machine, job):
            powered = _power_from(hours, work, machine, run, job, time)
            if powered == time:
                break
            time = powered
        else:
            time = run.line_end[index] if index >= 0 else NEVER
    reserve_ahead(work, machine, job, time)
    return time


@inner_kernel
def _power_from(
    hours: KnownHours, work: Workload, machine: MachineState, run: Running, job: int, begin: int
) -> int:
    """The first time from `begin` on from which the cap lets the job run for its estimate; NEVER if none.

    Beside the running jobs alone, until they are expected to end.
    """
    last = work.need.shape[1] - 1
    taken = work.need[job, last] + work.capacity[len(work.capacity) - 1, last] - machine.free_total[last]
    row, index, time, start = _row_at(hours.cap_time, begin), run.running[0] - 1, begin, begin
    enough = True
    while True:
        while index >= 0 and run.line_end[index] <= time:
            taken -= work.need[run.line[index], last]
            index -= 1
        if taken > hours.cap_room[row]:
            enough = False
        elif not enough:
            enough, start = True, time
        following = _next_step(hours, row)
        if enough:
            # What is taken only falls: with power now, the next time to look is the next step of the cap.
            if following >= start + work.estimate[job]:
                return start
        elif index >= 0:
            following = min(following, run.line_end[index])
        if following == NEVER:
            return NEVER
        time = following
        row += _next_step(hours, row) == time


@inner_kernel
def _next_step(hours: KnownHours, row: int) -> int:
    """When the next step of the cap begins, s; NEVER behind the last."""
    return int(hours.cap_time[row + 1]) if row + 1 < len(hours.cap_time) else NEVER


@inner_kernel
def _row_at(times: Ints, now: int) -> int:
    """The last row whose time is at or before `now`; -1 where there is none."""
    low, high = 0, len(times)
    while low < high:
        half = (low + high) >> 1
        if times[half] <= now:
            low = half + 1
        else:
            high = half
    return low - 1
