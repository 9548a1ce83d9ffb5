"""Adaptive tuning: numbers of the policy follow what is measured (Tang et al. 2013, Algorithm 1)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.compiler.kernels import inner_kernel
from engine.machine.outages import Outages
from engine.policy.tuning import MONITORS, OPERATORS, TUNABLES, Threshold, Tuning
from engine.simulation.machine_state import NEVER
from engine.simulation.queue import Queue
from engine.simulation.resuming import seconds_done
from engine.simulation.workload import Ints, Workload

Floats = NDArray[np.float64]

BF, WINDOW = range(2)
_QUEUE_DEPTH, _QUEUE_LENGTH, _UTILIZATION, _SLOWDOWN, _WAIT, _VIOLATED = range(len(MONITORS))
_AT_LEAST, _ABOVE, _AT_MOST, _BELOW, _TARGET = range(len(OPERATORS))
_NOWHERE = -1  # the operator of a second threshold that there is none of
_RULE = range(12)
_TUNABLE, _MONITOR, _ARGUMENT, _STEP, _LOW, _HIGH, _FORTH, _, _, _BACK, _, _ = _RULE
_NUMBER, _MEAN = 1, 2  # behind the operators _FORTH and _BACK
CHECKS, CHANGES, ENDS = range(3)

_LEAST_RUNTIME = 10
"""Seconds below which runtimes count as this in a bounded slowdown."""


class Tuner(NamedTuple):
    """The tunables, what moves each of t tunings, and what was measured.

    `busy` has a row for each second at which jobs started or ended, where a utilization is
    watched: the time, the processor seconds used until then, and the processors in use from
    then on. `up` is the same of the processors on nodes that are not down, known from the first on.
    `said` is what each check measured, compared it with, and made of the tunable.
    """

    first: int  # s, the first submission
    memory: int  # s, as far as any average looks back
    tunables: Floats  # (2,) balance factor and window
    rules: Floats  # (t, 12)
    interval: Ints  # (t,) s
    due: Ints  # (t,) s, the next check of each; NEVER without one
    time: Ints  # (room,) s, of checks
    check_values: Floats  # (room, t, 3)
    busy: Ints  # (room or 0, 3)
    up: Ints  # (rows or 0, 3)
    waits_since: Ints  # (n or 0,) s, when a job came or a failure stopped it, where a queue depth is watched
    ended: Ints  # (n or 0,) jobs in order of end, where they are watched
    expected_end: Ints  # (n or 0,) EET, s, where violated ones are watched
    used: Ints  # (3,) CHECKS, CHANGES of `busy`, ENDS
    changed: Ints  # (1,) s, the last start or end of a job


def make_tuner(
    tunings: Sequence[Tuning],
    bf: float,
    window: int,
    work: Workload,
    outages: Outages,
    first: int,
    expected_end: Ints,
) -> Tuner:
    """Nothing is measured yet; the first checks are one interval after the first submission, `first`."""
    if not tunings:
        return _fixed(bf, window)
    jobs = len(work.submit)
    rules = np.array([_rule(tuning) for tuning in tunings], np.float64).reshape(len(tunings), len(_RULE))
    interval = np.array([tuning.interval for tuning in tunings], np.int64)
    watched = {tuning.monitor for tuning in tunings}
    return Tuner(
        first=first,
        memory=max((_looks_back(tuning) for tuning in tunings), default=0),
        tunables=np.array([bf, window], np.float64),
        rules=rules,
        interval=interval,
        due=first + interval,
        time=np.zeros(0, np.int64),
        check_values=np.zeros((0, len(tunings), 3)),
        busy=np.zeros((2 * jobs + 2 if "utilization" in watched else 0, 3), np.int64),
        up=_up(work, outages, first) if "utilization" in watched else np.zeros((0, 3), np.int64),
        waits_since=np.array(work.submit if watched & {"queue_depth", "wait"} else (), np.int64),
        ended=np.zeros(jobs if watched & {"bounded_slowdown", "violated"} else 0, np.int64),
        expected_end=expected_end if "violated" in watched else np.zeros(0, np.int64),
        used=np.zeros(3, np.int64),
        changed=np.full(1, first, np.int64),
    )


@lru_cache(maxsize=16)
def _fixed(bf: float, window: int) -> Tuner:
    """One that tunes nothing."""
    none, rows = np.zeros(0, np.int64), np.zeros((0, 3), np.int64)
    return Tuner(
        first=0,
        memory=0,
        tunables=np.array([bf, window], np.float64),
        rules=np.zeros((0, len(_RULE))),
        interval=none,
        due=none,
        time=none,
        check_values=np.zeros((0, 0, 3)),
        busy=rows,
        up=rows,
        waits_since=none,
        ended=none,
        expected_end=none,
        used=np.zeros(3, np.int64),
        changed=np.zeros(1, np.int64),
    )


def _up(work: Workload, outages: Outages, first: int) -> Ints:
    """The rows of `Tuner.up`."""
    time, processors = outages.left_of(work.capacity[:, 0], first)
    until = np.concatenate(([0], np.cumsum(processors[:-1] * np.diff(time))))
    return np.stack((time, until, processors), axis=1)


def _looks_back(tuning: Tuning) -> int:
    """As many seconds as the monitor or a threshold averages over."""
    back = 0 if tuning.back is None else tuning.back.mean
    return max(tuning.argument if tuning.monitor == "utilization" else 0, tuning.threshold.mean, back)


def _rule(tuning: Tuning) -> tuple[float, ...]:
    return (
        TUNABLES.index(tuning.tunable),
        MONITORS.index(tuning.monitor),
        tuning.argument,
        tuning.step,
        tuning.low,
        tuning.high,
        *_threshold(tuning.threshold),
        *(_threshold(tuning.back) if tuning.back is not None else (_NOWHERE, 0, 0)),
    )


def _threshold(threshold: Threshold) -> tuple[float, ...]:
    return OPERATORS.index(threshold.operator), threshold.number, threshold.mean


@inner_kernel
def next_check(tuner: Tuner) -> int:
    """The second of the next check; NEVER where nothing is tuned."""
    time = NEVER
    for t in range(len(tuner.due)):
        time = min(time, tuner.due[t])
    return int(time)


@inner_kernel
def note_change(tuner: Tuner, now: int, processors: int) -> None:
    """So many processors more (or, below 0, fewer) are in use from now on."""
    if len(tuner.due) == 0:
        return
    tuner.changed[0] = now
    if tuner.busy.shape[0] == 0:
        return
    row = tuner.used[CHANGES]
    if row == 0 or tuner.busy[row - 1, 0] != now:
        tuner.busy[row, 0] = now
        if row > 0:
            span = now - tuner.busy[row - 1, 0]
            tuner.busy[row, 1] = tuner.busy[row - 1, 1] + span * tuner.busy[row - 1, 2]
            tuner.busy[row, 2] = tuner.busy[row - 1, 2]
        row += 1
        tuner.used[CHANGES] = row
    tuner.busy[row - 1, 2] += processors


@inner_kernel
def note_stop(tuner: Tuner, now: int, job: int) -> None:
    """A failure stopped the job, which waits from now on."""
    if len(tuner.waits_since) > 0:
        tuner.waits_since[job] = now


@inner_kernel
def note_end(tuner: Tuner, job: int) -> None:
    """The job ended."""
    if len(tuner.ended) > 0:
        tuner.ended[tuner.used[ENDS]] = job
        tuner.used[ENDS] += 1


@inner_kernel
def check(tuner: Tuner, work: Workload, queue: Queue, run_end: Ints, start: Ints, now: int) -> bool:
    """Measure, and move the tunables whose check is due, each by its rule.

    Says whether every tunable is at rest: what was measured would move none, due or not.
    """
    resting = True
    row = tuner.used[CHECKS]
    tuner.time[row] = now
    tuner.used[CHECKS] = row + 1
    for t in range(len(tuner.due)):
        value = _measured(tuner, work, queue, run_end, start, t, now)
        tuner.check_values[row, t, 0] = value
        threshold = _compared_with(tuner, t, _FORTH, row, now)
        tuner.check_values[row, t, 1] = threshold
        tunable = int(tuner.rules[t, _TUNABLE])
        step = tuner.rules[t, _STEP]
        back = int(tuner.rules[t, _BACK])
        if int(tuner.rules[t, _FORTH]) == _TARGET:
            step *= value - threshold
        elif not _holds(int(tuner.rules[t, _FORTH]), value, threshold):
            moves = back == _NOWHERE or _holds(back, value, _compared_with(tuner, t, _BACK, row, now))
            step = -step if moves else 0.0
        moved = tuner.tunables[tunable] + step
        if tunable == WINDOW:
            moved = np.floor(moved + 0.5)
        moved = max(tuner.rules[t, _LOW], min(tuner.rules[t, _HIGH], moved))
        resting = resting and moved == tuner.tunables[tunable]
        if tuner.due[t] == now:
            tuner.due[t] = now + tuner.interval[t]
            tuner.tunables[tunable] = moved
        tuner.check_values[row, t, 2] = tuner.tunables[tunable]
    return bool(resting)


@inner_kernel
def _compared_with(tuner: Tuner, t: int, which: int, row: int, now: int) -> float:
    """The threshold whose operator is `which` of the rule: a number, or an average until this check."""
    mean = int(tuner.rules[t, which + _MEAN])
    return _mean(tuner, t, mean, row, now) if mean > 0 else tuner.rules[t, which + _NUMBER]


@inner_kernel
def skip_checks(tuner: Tuner, now: int, until: int) -> None:
    """Leave out checks that would find and do what the last one did, on a machine empty until `until`.

    So they would once all averages look back on nothing but that. Those to which averages look back
    from `until` on are made again.
    """
    if now - tuner.changed[0] < tuner.memory:
        return
    for t in range(len(tuner.due)):
        checks = (until - tuner.memory - tuner.due[t]) // tuner.interval[t]
        tuner.due[t] += max(0, checks) * tuner.interval[t]


@inner_kernel
def _holds(operator: int, value: float, threshold: float) -> bool:
    if operator == _AT_LEAST:
        return value >= threshold
    if operator == _ABOVE:
        return value > threshold
    if operator == _AT_MOST:
        return value <= threshold
    return value < threshold


@inner_kernel
def _measured(
    tuner: Tuner, work: Workload, queue: Queue, run_end: Ints, start: Ints, t: int, now: int
) -> float:
    """The monitor of a tuning at this second, after its submissions and ends."""
    monitor = int(tuner.rules[t, _MONITOR])
    argument = int(tuner.rules[t, _ARGUMENT])
    if monitor == _QUEUE_DEPTH:
        waited = 0
        for index in range(queue.bounds[0], queue.bounds[1]):
            waited += now - tuner.waits_since[queue.jobs[index]]
        return waited / 60
    if monitor == _WAIT:
        waited, waiting = 0, queue.bounds[1] - queue.bounds[0]
        for index in range(queue.bounds[0], queue.bounds[1]):
            waited += now - tuner.waits_since[queue.jobs[index]]
        return waited / waiting if waiting > 0 else 0.0
    if monitor == _QUEUE_LENGTH:
        return float(queue.bounds[1] - queue.bounds[0])
    if monitor == _UTILIZATION:
        return _utilization(tuner, argument, now)
    if monitor == _VIOLATED:
        return _violated(tuner, run_end, argument)
    return _slowdown(tuner, work, run_end, start, argument)


@inner_kernel
def _utilization(tuner: Tuner, over: int, now: int) -> float:
    """The share in use of the processors that are up, now or over so many seconds, as far as they passed.

    0 where all nodes are down.
    """
    changes, rows = tuner.used[CHANGES], len(tuner.up)
    over = min(over, now - tuner.first)
    if over == 0:
        used = tuner.busy[changes - 1, 2] if changes > 0 else 0
        up = tuner.up[_row_at(tuner.up, rows, now), 2]
    else:
        used = _sum_until(tuner.busy, changes, now) - _sum_until(tuner.busy, changes, now - over)
        up = _sum_until(tuner.up, rows, now) - _sum_until(tuner.up, rows, now - over)
    return used / up if up > 0 else 0.0


@inner_kernel
def _sum_until(steps: Ints, rows: int, time: int) -> int:
    """Processor seconds until then, of `busy` or `up`."""
    row = _row_at(steps, rows, time)
    return int(steps[row, 1] + (time - steps[row, 0]) * steps[row, 2]) if row >= 0 else 0


@inner_kernel
def _row_at(steps: Ints, rows: int, time: int) -> int:
    """Of so many rows the last one from no later than then; -1 where there is none."""
    low, high = 0, rows
    while low < high:
        middle = (low + high) >> 1
        if steps[middle, 0] <= time:
            low = middle + 1
        else:
            high = middle
    return low - 1


@inner_kernel
def _slowdown(tuner: Tuner, work: Workload, run_end: Ints, start: Ints, jobs: int) -> float:
    """The mean bounded slowdown of the jobs that ended last; 0 where none has."""
    first = max(0, tuner.used[ENDS] - jobs)
    total = 0.0
    for index in range(first, tuner.used[ENDS]):
        job = tuner.ended[index]
        response = run_end[job] - work.submit[job]
        runtime = run_end[job] - start[job] + seconds_done(work, job)
        total += max(1.0, response / max(runtime, _LEAST_RUNTIME))
    return total / (tuner.used[ENDS] - first) if tuner.used[ENDS] > first else 0.0


@inner_kernel
def _violated(tuner: Tuner, run_end: Ints, jobs: int) -> float:
    """The share of the jobs that ended last that did so behind their EET; 0 where none has ended."""
    first = max(0, tuner.used[ENDS] - jobs)
    late = 0
    for index in range(first, tuner.used[ENDS]):
        job = tuner.ended[index]
        late += run_end[job] > tuner.expected_end[job]
    return late / (tuner.used[ENDS] - first) if tuner.used[ENDS] > first else 0.0


@inner_kernel
def _mean(tuner: Tuner, t: int, over: int, row: int, now: int) -> float:
    """The running average of a monitor: a utilization's over the time, others' over the checks in it.

    Summed as differences to the first, so that the average of what never changes is just that.
    """
    if int(tuner.rules[t, _MONITOR]) == _UTILIZATION:
        return _utilization(tuner, over, now)
    first = row
    while first > 0 and tuner.time[first - 1] > now - over:
        first -= 1
    total = 0.0
    for index in range(first + 1, row + 1):
        total += tuner.check_values[index, t, 0] - tuner.check_values[first, t, 0]
    return float(tuner.check_values[first, t, 0] + total / (row + 1 - first))
