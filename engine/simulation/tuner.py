"""Adaptive tuning: rules that change the balance factor or the window by what a monitor measures.

Source: Tang et al. 2013, Algorithm 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.compiler.kernels import inner_kernel
from engine.machine.outages import Outages
from engine.policy.tuning import MONITORS, OPERATORS, TUNABLES, Threshold, Tuning
from engine.simulation.failures.resuming import seconds_done
from engine.simulation.machine_state import NEVER
from engine.simulation.queue import Queue
from engine.simulation.workload import Ints, Workload

Floats = NDArray[np.float64]

BF, WINDOW = range(2)
_QUEUE_DEPTH, _QUEUE_LENGTH, _UTILIZATION, _SLOWDOWN, _WAIT, _VIOLATED = range(len(MONITORS))
_AT_LEAST, _ABOVE, _AT_MOST, _BELOW, _TARGET = range(len(OPERATORS))
_NOWHERE = -1  # stands for the operator of a second threshold in a rule that has only one
_RULE = range(14)
_TUNABLE, _MONITOR, _ARGUMENT, _STEP, _LOW, _HIGH, _FORTH, _, _, _BACK, _, _, _INTEGRATES, _INTEGRAL = _RULE
_NUMBER, _MEAN = 1, 2  # columns of a threshold behind that of its operator, _FORTH or _BACK
CHECKS, CHANGES, ENDS = range(3)  # entries of `Tuner.used`

_LEAST_RUNTIME = 10
"""Lower bound of runtimes in a bounded slowdown, s."""


class Tuner(NamedTuple):
    """The tunables, the rules of t tunings, and the history that their monitors need.

    Arrays that no monitor of the policy needs are empty. A row of `busy` or `up` holds a time, the
    processor-seconds until then, and the processors from then on.
    """

    first: int  # s, the first submission
    memory: int  # s, the longest time over which any average is taken
    tunables: Floats  # (2,) present values of the balance factor and the window
    initial: Floats  # (2,) values of the policy, from which PI controllers set theirs
    sums: Floats  # (t,) of PI controllers, the sum of the monitor's distances above the target
    rules: Floats  # (t, 14) columns _TUNABLE to _INTEGRAL
    interval: Ints  # (t,) s between checks
    due: Ints  # (t,) s, the next check of each tuning; NEVER without one
    time: Ints  # (room,) s, times of the checks so far
    check_values: Floats  # (room, t, 3) at each check: measured value, threshold, tunable afterwards
    busy: Ints  # (room or 0, 3) processors in use; a row for each second with a start or end of a job
    up: Ints  # (rows or 0, 3) processors on nodes that are not down, for the whole simulation
    waits_since: Ints  # (n or 0,) s, when the job was submitted or a failure last stopped it
    ended: Ints  # (n or 0,) jobs in order of end
    expected_end: Ints  # (n or 0,) EET, s
    used: Ints  # (3,) rows in use: CHECKS of `time`, CHANGES of `busy`, ENDS of `ended`
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
    """The tuner before the first check, which each tuning has one interval after the first submission.

    `bf` and `window` are the initial values of the tunables, `first` is the first submission, s, and
    `expected_end` the EET of each job, (n,) s, or empty.
    """
    if not tunings:
        return _fixed(bf, window)
    jobs = len(work.submit)
    rules = np.array([_rule(tuning) for tuning in tunings], np.float64).reshape(len(tunings), len(_RULE))
    interval = np.array([tuning.interval for tuning in tunings], np.int64)
    # Each monitor has arrays of its own, which are empty unless a tuning reads it.
    watched = {tuning.monitor for tuning in tunings}
    return Tuner(
        first=first,
        memory=max((_looks_back(tuning) for tuning in tunings), default=0),
        tunables=np.array([bf, window], np.float64),
        initial=np.array([bf, window], np.float64),
        sums=np.zeros(len(tunings)),
        rules=rules,
        interval=interval,
        due=first + interval,
        time=np.zeros(0, np.int64),
        check_values=np.zeros((0, len(tunings), 3)),
        # Use changes at most twice a job, at its start and at its end.
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
    """The tuner of a policy without tunings; simulations share it."""
    none, rows = np.zeros(0, np.int64), np.zeros((0, 3), np.int64)
    return Tuner(
        first=0,
        memory=0,
        tunables=np.array([bf, window], np.float64),
        initial=np.array([bf, window], np.float64),
        sums=np.zeros(0),
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
    """The rows of `Tuner.up`, shape (rows, 3)."""
    time, processors = outages.left_of(work.capacity[:, 0], first)
    until = np.concatenate(([0], np.cumsum(processors[:-1] * np.diff(time))))
    return np.stack((time, until, processors), axis=1)


def _looks_back(tuning: Tuning) -> int:
    """The longest time, s, over which the monitor or a threshold of the tuning takes an average."""
    back = 0 if tuning.back is None else tuning.back.mean
    return max(tuning.argument if tuning.monitor == "utilization" else 0, tuning.threshold.mean, back)


def _rule(tuning: Tuning) -> tuple[float, ...]:
    return (
        # Kernels read numbers, so names become their places in the lists of names.
        TUNABLES.index(tuning.tunable),
        MONITORS.index(tuning.monitor),
        tuning.argument,
        tuning.step,
        tuning.low,
        tuning.high,
        *_threshold(tuning.threshold),
        *(_threshold(tuning.back) if tuning.back is not None else (_NOWHERE, 0, 0)),
        tuning.integral is not None,
        tuning.integral or 0.0,
    )


def _threshold(threshold: Threshold) -> tuple[float, ...]:
    return OPERATORS.index(threshold.operator), threshold.number, threshold.mean


@inner_kernel
def next_check(tuner: Tuner) -> int:
    """The time of the next check, s; NEVER where nothing is tuned."""
    time = NEVER
    for t in range(len(tuner.due)):
        time = min(time, tuner.due[t])
    return int(time)


@inner_kernel
def note_change(tuner: Tuner, now: int, processors: int) -> None:
    """Record that `processors` more (if negative, fewer) are in use from `now` on."""
    if len(tuner.due) == 0:
        return
    tuner.changed[0] = now
    if tuner.busy.shape[0] == 0:
        return
    row = tuner.used[CHANGES]
    # Rows hold the area up to their time, so that the use of any span is a difference of two areas.
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
    """Record that a failure stopped the job, which waits from `now` on."""
    if len(tuner.waits_since) > 0:
        tuner.waits_since[job] = now


@inner_kernel
def note_end(tuner: Tuner, job: int) -> None:
    """Record the end of the job."""
    if len(tuner.ended) > 0:
        tuner.ended[tuner.used[ENDS]] = job
        tuner.used[ENDS] += 1


@inner_kernel
def check(tuner: Tuner, work: Workload, queue: Queue, run_end: Ints, start: Ints, now: int) -> bool:
    """Measure all monitors at `now`, and change the tunables whose check is due, each by its rule.

    `run_end` and `start` are the ends and starts of jobs, (n,) s. Returns whether every tunable is at rest:
    by the values measured no rule would change one, due or not.
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
        total = tuner.sums[t]
        # A PI controller starts from the policy's value each time; a target moves by its distance; a
        # threshold forth by the whole step, or back where its other rule says so.
        if tuner.rules[t, _INTEGRATES] != 0:
            total = _sum_after(tuner, t, value - threshold)
            moved = tuner.initial[tunable] + step * (value - threshold) + tuner.rules[t, _INTEGRAL] * total
        else:
            if int(tuner.rules[t, _FORTH]) == _TARGET:
                step *= value - threshold
            elif not _holds(int(tuner.rules[t, _FORTH]), value, threshold):
                moves = back == _NOWHERE or _holds(back, value, _compared_with(tuner, t, _BACK, row, now))
                step = -step if moves else 0.0
            moved = tuner.tunables[tunable] + step
        if tunable == WINDOW:
            moved = np.floor(moved + 0.5)
        moved = max(tuner.rules[t, _LOW], min(tuner.rules[t, _HIGH], moved))
        # Values that nothing would change let the loop skip checks until something happens.
        resting = resting and moved == tuner.tunables[tunable] and total == tuner.sums[t]
        if tuner.due[t] == now:
            tuner.due[t] = now + tuner.interval[t]
            tuner.tunables[tunable] = moved
            tuner.sums[t] = total
        tuner.check_values[row, t, 2] = tuner.tunables[tunable]
    return bool(resting)


@inner_kernel
def _sum_after(tuner: Tuner, t: int, distance: float) -> float:
    """The sum of the distances above the target of PI controller `t`, with that of this check.

    At a bound, a distance whose own term pushes the tunable further is left out: a sum that had grown for
    hours would hold the tunable at the bound for hours after the monitor came back (anti-windup).
    """
    tunable = int(tuner.rules[t, _TUNABLE])
    push = tuner.rules[t, _INTEGRAL] * distance
    at_high = tuner.tunables[tunable] >= tuner.rules[t, _HIGH]
    at_low = tuner.tunables[tunable] <= tuner.rules[t, _LOW]
    if (at_high and push > 0) or (at_low and push < 0):
        return float(tuner.sums[t])
    return float(tuner.sums[t] + distance)


@inner_kernel
def _compared_with(tuner: Tuner, t: int, which: int, row: int, now: int) -> float:
    """The threshold at column `which` (_FORTH or _BACK) of rule `t`: a number, or an average until now."""
    mean = int(tuner.rules[t, which + _MEAN])
    return _mean(tuner, t, mean, row, now) if mean > 0 else tuner.rules[t, which + _NUMBER]


@inner_kernel
def skip_checks(tuner: Tuner, now: int, until: int) -> None:
    """Skip checks that would measure what the last one did, on a machine that stays empty until `until`, s.

    That holds once all averages cover only empty time. The last checks before `until` are not skipped: later
    averages include them.
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
    """The present value of the monitor of tuning `t`, after the submissions and ends of this second."""
    monitor = int(tuner.rules[t, _MONITOR])
    argument = int(tuner.rules[t, _ARGUMENT])
    # The depth is the sum of all waits, in minutes.
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
    """The share of the processors on working nodes that is in use: on average over the last `over` s, or now.

    The average begins at the first submission at the earliest. It is 0 where all nodes are down.
    """
    changes, rows = tuner.used[CHANGES], len(tuner.up)
    over = min(over, now - tuner.first)
    # Over no time at all the average is the value of this moment.
    if over == 0:
        used = tuner.busy[changes - 1, 2] if changes > 0 else 0
        up = tuner.up[_row_at(tuner.up, rows, now), 2]
    else:
        # Sums up to each change are kept: an average over any span is a difference of two of them.
        used = _sum_until(tuner.busy, changes, now) - _sum_until(tuner.busy, changes, now - over)
        up = _sum_until(tuner.up, rows, now) - _sum_until(tuner.up, rows, now - over)
    return used / up if up > 0 else 0.0


@inner_kernel
def _sum_until(steps: Ints, rows: int, time: int) -> int:
    """The processor-seconds until `time`, of the table `busy` or `up` with `rows` rows."""
    row = _row_at(steps, rows, time)
    return int(steps[row, 1] + (time - steps[row, 0]) * steps[row, 2]) if row >= 0 else 0


@inner_kernel
def _row_at(steps: Ints, rows: int, time: int) -> int:
    """The last of the first `rows` rows whose time is at or before `time`; -1 where there is none."""
    # Binary search for the first row that is later; the one in front of it counts.
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
    """The mean bounded slowdown of the `jobs` jobs that ended last; 0 where none has ended."""
    first = max(0, tuner.used[ENDS] - jobs)
    total = 0.0
    for index in range(first, tuner.used[ENDS]):
        job = tuner.ended[index]
        response = run_end[job] - work.submit[job]
        # Of a job that resumed all runs count together.
        runtime = run_end[job] - start[job] + seconds_done(work, job)
        total += max(1.0, response / max(runtime, _LEAST_RUNTIME))
    return total / (tuner.used[ENDS] - first) if tuner.used[ENDS] > first else 0.0


@inner_kernel
def _violated(tuner: Tuner, run_end: Ints, jobs: int) -> float:
    """The share of the `jobs` jobs that ended last that ended after their EET; 0 where none has ended."""
    first = max(0, tuner.used[ENDS] - jobs)
    # A job is late where it ended after the end that was expected of it.
    late = 0
    for index in range(first, tuner.used[ENDS]):
        job = tuner.ended[index]
        late += run_end[job] > tuner.expected_end[job]
    return late / (tuner.used[ENDS] - first) if tuner.used[ENDS] > first else 0.0


@inner_kernel
def _mean(tuner: Tuner, t: int, over: int, row: int, now: int) -> float:
    """The average of the monitor over the last `over` s: of a utilization over time, of others over checks.

    It is summed as differences to the first value, so that the average of a constant is exactly that
    constant.
    """
    if int(tuner.rules[t, _MONITOR]) == _UTILIZATION:
        return _utilization(tuner, over, now)
    # Checks are few, so that those within the span are looked for from the last one back.
    first = row
    while first > 0 and tuner.time[first - 1] > now - over:
        first -= 1
    total = 0.0
    for index in range(first + 1, row + 1):
        total += tuner.check_values[index, t, 0] - tuner.check_values[first, t, 0]
    return float(tuner.check_values[first, t, 0] + total / (row + 1 - first))
