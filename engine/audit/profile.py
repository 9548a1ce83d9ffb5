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
_NEVER = np.iinfo(np.int64).max

BEGIN, END = range(2)
"""Entries of `FreeProfile.span`."""


class FreeProfile(NamedTuple):
    """Steps of free amounts, each from its time until the next one's; the last step never ends.

    The steps are the rows `span[BEGIN]:span[END]`, followed by a row whose time is `_NEVER`. Steps that are
    over stay in front of them until the rows are used up.
    """

    times: Ints  # (room,) begins of the steps, ascending, in any unit
    free: Ints  # (room, resources) free amounts
    span: Ints  # (2,) first row in use, and the row behind the last one


def make_profile(capacity: Sequence[int], slots: int) -> FreeProfile:
    """The profile of an empty machine, with room for `slots` spans of time that are held at once."""
    room = 2 * slots + 5  # each span has a begin and an end, and so has one that is being changed
    times, free = np.full(room, _NEVER, np.int64), np.zeros((room, len(capacity)), np.int64)
    times[0], free[0] = _BEGINNING, capacity
    return FreeProfile(times, free, np.array([0, 1]))


@inner_kernel
def clear(profile: FreeProfile, free: Ints) -> None:
    """Reset the profile: `free`, shape (1, resources), is free at all times."""
    profile.times[0], profile.times[1] = _BEGINNING, _NEVER
    for k in range(profile.free.shape[1]):
        profile.free[0, k] = free[0, k]
    profile.span[BEGIN], profile.span[END] = 0, 1


@inner_kernel
def give_back(profile: FreeProfile, time: int, need: Ints, job: int) -> None:
    """Free what the job needs from `time` on, which may not be before the last step."""
    last = profile.span[END] - 1
    # Times ascend, so the change is at the last step or behind it.
    if time != profile.times[last]:
        last += 1
        for k in range(profile.free.shape[1]):
            profile.free[last, k] = profile.free[last - 1, k]
        profile.times[last], profile.times[last + 1] = time, _NEVER
        profile.span[END] = last + 1
    for k in range(profile.free.shape[1]):
        profile.free[last, k] += need[job, k]


@inner_kernel
def change(profile: FreeProfile, begin: int, end: int, need: Ints, job: int, sign: int) -> None:
    """Take (`sign` -1) or free (1) what a job needs from `begin` up to, not including, `end`.

    `need` has shape (n, resources). Time before the first step is over and is not changed.
    """
    # Two steps may be inserted below: rows of time that is over make room at the end of the arrays.
    if profile.span[END] + 3 > len(profile.times):
        _drop(profile, 0, profile.span[BEGIN])
        profile.span[BEGIN] = 0
    begin = max(begin, profile.times[profile.span[BEGIN]])
    if end <= begin:
        return
    # Steps that begin exactly at both ends exist from here on, so that all rows between them change as a
    # whole.
    first = _step_at(profile, begin, profile.span[BEGIN])
    last = _step_at(profile, end, first)
    free = profile.free[first:last]
    for k in range(free.shape[1]):
        amount = sign * need[job, k]
        for step in range(len(free)):
            free[step, k] += amount
    # The later end goes first: joining removes a row, which would move every row behind it.
    _join(profile, last)
    _join(profile, first)


@inner_kernel
def earliest(profile: FreeProfile, since: int, duration: int, need: Ints, job: int) -> int:
    """The first time, not before `since`, from which the job's need is free for all of `duration`.

    The need must be within the capacity.
    """
    return earlier(profile, since, duration, need, job, _NEVER, _NEVER)


@inner_kernel
def earlier(
    profile: FreeProfile, since: int, duration: int, need: Ints, job: int, hold: int, before: int
) -> int:
    """The same for a job that holds its need from the time `hold` on; that time if there is none `before`.

    It holds its need for `duration`: to itself that is free, as long as nothing in the profile is below 0.
    """
    times = profile.times
    step = profile.span[BEGIN]
    # The search begins in the step that contains `since`.
    if times[step + 1] <= since:
        step = _step_after(profile, since, step) - 1
    start = since
    # A candidate start is kept as long as every step has room; the first step without it moves the candidate
    # behind.
    while start < before:
        fits = True
        for k in range(profile.free.shape[1]):
            fits = fits and profile.free[step, k] >= need[job, k]
        if not fits:
            start = times[step + 1]
        # From `hold` on the job's own need is already taken from the profile, and need not be free once more.
        elif times[step + 1] >= min(start + duration, hold):
            return int(start)
        step += 1
    return int(hold)


@inner_kernel
def forget(profile: FreeProfile, before: int) -> None:
    """Drop the steps that ended before the time `before`."""
    while profile.times[profile.span[BEGIN] + 1] <= before:
        profile.span[BEGIN] += 1


@inner_kernel
def most_free(profile: FreeProfile, until: int) -> int:
    """The most of the first resource that is free at any time before `until`."""
    step = profile.span[BEGIN]
    most = profile.free[step, 0]
    while profile.times[step + 1] < until:
        step += 1
        most = max(most, profile.free[step, 0])
    return int(most)


@inner_kernel
def falls_short(profile: FreeProfile) -> bool:
    """Whether less than nothing is free at any time, since more is held than there is."""
    for step in range(profile.span[BEGIN], profile.span[END]):
        for k in range(profile.free.shape[1]):
            if profile.free[step, k] < 0:
                return True
    return False


@inner_kernel
def _step_after(profile: FreeProfile, time: int, first: int) -> int:
    """The first step from `first` on that begins after `time`, by bisection."""
    low, high = first, profile.span[END]
    while low < high:
        middle = (low + high) >> 1
        if profile.times[middle] <= time:
            low = middle + 1
        else:
            high = middle
    return low


@inner_kernel
def _step_at(profile: FreeProfile, time: int, first: int) -> int:
    """The step that begins at `time`, not before that of the step `first`; inserted where there is none."""
    step = _step_after(profile, time, first)
    if profile.times[step - 1] == time:
        return step - 1
    # The step that contains the time is cut in two: later rows move up by hand, since an assignment of
    # overlapping slices would make a temporary copy.
    profile.span[END] += 1
    # A new step begins within the one before it, with the same amounts.
    times = profile.times[step : profile.span[END] + 1]
    free = profile.free[step : profile.span[END]]
    for row in range(len(times) - 1, 0, -1):
        times[row] = times[row - 1]
    for k in range(free.shape[1]):
        for row in range(len(free) - 1, 0, -1):
            free[row, k] = free[row - 1, k]
        free[0, k] = profile.free[step - 1, k]
    times[0] = time
    return step


@inner_kernel
def _join(profile: FreeProfile, step: int) -> None:
    """Drop a step whose free amounts equal those of the step before."""
    if step == profile.span[BEGIN]:
        return
    for k in range(profile.free.shape[1]):
        if profile.free[step, k] != profile.free[step - 1, k]:
            return
    _drop(profile, step, 1)


@inner_kernel
def _drop(profile: FreeProfile, first: int, count: int) -> None:
    """Drop the rows `first:first + count`: those behind move up."""
    end = profile.span[END] - count
    profile.span[END] = end
    # Views of equal length and plain loops, which compile to moves of memory.
    times, later = profile.times[first : end + 1], profile.times[first + count : end + count + 1]
    for row in range(len(times)):
        times[row] = later[row]
    free, behind = profile.free[first:end], profile.free[first + count : end + count]
    for k in range(free.shape[1]):
        for row in range(len(free)):
            free[row, k] = behind[row, k]
