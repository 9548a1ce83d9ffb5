"""The profile of free amounts over time: a step function with a value for each resource; compiled.

A busy machine has hundreds of steps ahead of it, and each end of a job replans hundreds of jobs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from engine.audit.table import Ints
from engine.compiler.kernels import inner_kernel

_BEGINNING = -(1 << 62)


class FreeProfile(NamedTuple):
    """Steps of free amounts, each from its time until the next one's; the last step never ends."""

    times: Ints  # (room,) begins of the steps, ascending, in any unit
    free: Ints  # (room, resources) free amounts
    steps: Ints  # (1,) number of steps


def make_profile(capacity: Sequence[int], slots: int) -> FreeProfile:
    """The profile of an empty machine, with room for `slots` spans of time that are held at once."""
    room = 2 * slots + 4  # each span has a begin and an end, and so has one that is being changed
    times, free = np.full(room, _BEGINNING, np.int64), np.zeros((room, len(capacity)), np.int64)
    free[0] = capacity
    return FreeProfile(times, free, np.ones(1, np.int64))


@inner_kernel
def clear(profile: FreeProfile, free: Ints) -> None:
    """Reset the profile: `free`, shape (1, resources), is free at all times."""
    profile.times[0] = _BEGINNING
    for k in range(profile.free.shape[1]):
        profile.free[0, k] = free[0, k]
    profile.steps[0] = 1


@inner_kernel
def give_back(profile: FreeProfile, time: int, need: Ints, job: int) -> None:
    """Free what the job needs from `time` on, which may not be before the last step."""
    last = profile.steps[0] - 1
    if time != profile.times[last]:
        _copy(profile, last, last + 1)
        last += 1
        profile.times[last] = time
        profile.steps[0] = last + 1
    for k in range(profile.free.shape[1]):
        profile.free[last, k] += need[job, k]


@inner_kernel
def change(profile: FreeProfile, begin: int, end: int, need: Ints, job: int, sign: int) -> None:
    """Take (`sign` -1) or free (1) what a job needs from `begin` up to, not including, `end`.

    `need` has shape (n, resources). Time before the first step is over and is not changed.
    """
    begin = max(begin, profile.times[0])
    if end <= begin:
        return
    first = _step_at(profile, begin)
    last = _step_at(profile, end)
    for step in range(first, last):
        for k in range(profile.free.shape[1]):
            profile.free[step, k] += sign * need[job, k]
    _join(profile, last)
    _join(profile, first)


@inner_kernel
def earliest(profile: FreeProfile, since: int, duration: int, need: Ints, job: int) -> int:
    """The first time, not before `since`, from which the job's need is free for all of `duration`.

    The need must be within the capacity.
    """
    times, steps = profile.times, profile.steps[0]
    step = _step_after(profile, since) - 1
    start = since
    while True:
        fits = True
        for k in range(profile.free.shape[1]):
            fits = fits and profile.free[step, k] >= need[job, k]
        if not fits:
            start = times[step + 1]
        elif step + 1 == steps or times[step + 1] >= start + duration:
            return int(start)
        step += 1


@inner_kernel
def forget(profile: FreeProfile, before: int) -> None:
    """Drop the steps that ended before the time `before`."""
    passed = _step_after(profile, before) - 1
    if passed > 0:
        _drop(profile, 0, passed)


@inner_kernel
def plan_anew(
    profile: FreeProfile, jobs: Ints, count: int, planned: Ints, length: Ints, need: Ints, now: int
) -> None:
    """Move each job that is planned after `now`, in turn, to its earliest start.

    The first `count` of `jobs` are indices into `planned` and `length`, (n,), and into `need`, (n,
    resources).
    """
    for index in range(count):
        job = jobs[index]
        if planned[job] > now:
            change(profile, planned[job], planned[job] + length[job], need, job, 1)
            planned[job] = earliest(profile, now, length[job], need, job)
            change(profile, planned[job], planned[job] + length[job], need, job, -1)


@inner_kernel
def _step_after(profile: FreeProfile, time: int) -> int:
    """The first step that begins after `time`, by bisection."""
    low, high = 0, profile.steps[0]
    while low < high:
        middle = (low + high) // 2
        if profile.times[middle] <= time:
            low = middle + 1
        else:
            high = middle
    return low


@inner_kernel
def _step_at(profile: FreeProfile, time: int) -> int:
    """The step that begins at `time`, which is not before the first one; inserted where there is none."""
    step = _step_after(profile, time)
    if profile.times[step - 1] == time:
        return step - 1
    for later in range(profile.steps[0], step, -1):
        _copy(profile, later - 1, later)
    _copy(profile, step - 1, step)
    profile.times[step] = time
    profile.steps[0] += 1
    return step


@inner_kernel
def _join(profile: FreeProfile, step: int) -> None:
    """Drop a step whose free amounts equal those of the step before."""
    if step == 0:
        return
    for k in range(profile.free.shape[1]):
        if profile.free[step, k] != profile.free[step - 1, k]:
            return
    _drop(profile, step, 1)


@inner_kernel
def _drop(profile: FreeProfile, first: int, count: int) -> None:
    for step in range(first + count, profile.steps[0]):
        _copy(profile, step, step - count)
    profile.steps[0] -= count


@inner_kernel
def _copy(profile: FreeProfile, source: int, target: int) -> None:
    profile.times[target] = profile.times[source]
    for k in range(profile.free.shape[1]):
        profile.free[target, k] = profile.free[source, k]
