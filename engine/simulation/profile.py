"""What will be free: the future of the machine as steps of time, by what is believed and reserved."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.compiled import inner_kernel
from engine.simulation.site import NEVER
from engine.simulation.workload import Ints

_LAST = 0
"""The step behind the last one of every node: it begins NEVER."""

_KINDS = 64
"""Kinds of jobs of which the search remembers which nodes are full."""


class Profile(NamedTuple):
    """A list of steps for each node; a pool is one node. A step lasts until the one after it begins.

    On most nodes little is running or reserved, so that their lists are short, where one
    list for the whole machine would be long. A node's first step is the one that lasts now:
    it may have begun before, and steps that are over are given back when the node is looked
    at next. `edges` counts the pieces of jobs that begin or end at a step's begin: a step
    that none needs any more is merged with the one before it.
    """

    first: Ints  # (nodes,) step
    last_seen: Ints  # (nodes,) a step of the node: where it was looked at last, and may be looked at next
    after: Ints  # (room,) the step after each
    time: Ints  # (room,) s
    edges: Ints  # (room,)
    free: Ints  # (room, K)
    now: Ints  # (1,) s
    used: Ints  # (1,) steps from here on were never used
    spare: Ints  # (1,) the first of those given back, each with the next one after it; or _LAST
    state: Ints  # (1,) changes when time passes or room is gained; until then room only gets less
    least: Ints  # (nodes, K) scratch of the search: the least that is free of each node over some time
    full_until: Ints  # (kinds of jobs, nodes) no task of such a job fits on the node before,
    full_for: Ints  # (kinds, 4) if its shape and duration are these, in this state, from a time on


def make_profile(capacity: Ints, now: int, room: int) -> Profile:
    """The whole machine is free from `now` on for ever. `capacity` has shape (nodes, K)."""
    nodes, kinds = capacity.shape
    room += nodes + 1
    profile = Profile(
        first=np.arange(1, nodes + 1, dtype=np.int64),
        last_seen=np.arange(1, nodes + 1, dtype=np.int64),
        after=np.full(room, _LAST, np.int64),
        time=np.full(room, now, np.int64),
        edges=np.zeros(room, np.int64),
        free=np.zeros((room, kinds), np.int64),
        now=np.full(1, now, np.int64),
        used=np.full(1, nodes + 1, np.int64),
        spare=np.full(1, _LAST, np.int64),
        least=np.zeros_like(capacity),
        state=np.ones(1, np.int64),
        full_until=np.zeros((_KINDS, nodes), np.int64),
        full_for=np.zeros((_KINDS, 4), np.int64),
    )
    profile.time[_LAST] = NEVER
    profile.free[1 : nodes + 1] = capacity
    return profile


def with_room(profile: Profile, room: int) -> Profile:
    """The same steps with room for so many more."""
    longer = {
        name: np.concatenate((column, np.zeros((room, *column.shape[1:]), np.int64)))
        for name in ("after", "time", "edges", "free")
        for column in (getattr(profile, name),)
    }
    return profile._replace(**longer)


@inner_kernel
def copy_profile(profile: Profile, copy: Profile) -> None:
    """Make the copy, which has as much room, the same. Its steps lie in memory in their order."""
    after, time, edges, free = copy.after, copy.time, copy.edges, copy.free
    new = _LAST
    for node in range(len(profile.first)):
        step = first_step(profile, node)
        copy.first[node] = copy.last_seen[node] = new + 1
        while step != _LAST:
            new += 1
            after[new] = new + 1
            time[new] = profile.time[step]
            edges[new] = profile.edges[step]
            for k in range(free.shape[1]):
                free[new, k] = profile.free[step, k]
            step = profile.after[step]
        after[new] = _LAST
    copy.now[0] = profile.now[0]
    copy.used[0] = new + 1
    copy.spare[0] = _LAST
    copy.state[0] += 1


@inner_kernel
def pass_time(profile: Profile, now: int) -> None:
    """It is `now`."""
    profile.now[0] = now
    profile.state[0] += 1


@inner_kernel
def first_step(profile: Profile, node: int) -> int:
    """The node's step that lasts now."""
    after, now = profile.after, profile.now[0]
    step = profile.first[node]
    following = after[step]
    while profile.time[following] <= now:
        _give_back(profile, node, step, following)
        step = following
        following = after[step]
    profile.first[node] = step
    return int(step)


@inner_kernel
def step_at(profile: Profile, node: int, time: int) -> int:
    """The node's step that `time` lies in (the first one for an earlier time)."""
    begin, after = profile.time, profile.after
    step = profile.last_seen[node]
    if begin[step] > time or begin[after[step]] <= profile.now[0]:
        step = first_step(profile, node)
    following = after[step]
    while begin[following] <= time:
        step = following
        following = after[step]
    profile.last_seen[node] = step
    return int(step)


@inner_kernel
def hold(
    profile: Profile, need: Ints, job: int, begin: int, end: int, pieces: Ints, first: int, count: int
) -> None:
    """The job holds what it needs from `begin` to `end`; on nodes the rows `first` on of `pieces`."""
    if len(profile.first) == 1:
        _hold(profile, 0, need, job, 0, begin, end, 1)
        return
    for piece in range(first, first + count):
        _hold(profile, pieces[piece, 0], pieces, piece, 1, begin, end, 1)


@inner_kernel
def hold_alike(profile: Profile, need: Ints, job: int, begin: int, end: int, jobs: int) -> None:
    """So many jobs hold what this one needs from `begin` to `end`, on a pool."""
    _hold(profile, 0, need, job, 0, begin, end, jobs)


@inner_kernel
def release(
    profile: Profile, need: Ints, job: int, begin: int, end: int, pieces: Ints, first: int, count: int
) -> None:
    """What `hold` did is undone, as far as it is not over yet."""
    if end <= profile.now[0]:
        return
    profile.state[0] += 1
    if len(profile.first) == 1:
        _release(profile, 0, need, job, 0, begin, end)
        return
    for piece in range(first, first + count):
        _release(profile, pieces[piece, 0], pieces, piece, 1, begin, end)


@inner_kernel
def _hold(
    profile: Profile, node: int, amounts: Ints, row: int, column: int, begin: int, end: int, times: int
) -> None:
    """So many times a row of amounts, from a column on, is not free on the node from `begin` to `end`."""
    after, time, edges, free = profile.after, profile.time, profile.edges, profile.free
    step = step_at(profile, node, begin)
    if begin > profile.now[0]:
        if time[step] < begin:
            step = _split(profile, step, begin)
        edges[step] += times
    while True:
        following = after[step]
        if time[following] > end:
            following = _split(profile, step, end)
        for k in range(free.shape[1]):
            free[step, k] -= times * amounts[row, column + k]
        if time[following] == end:
            edges[following] += times
            return
        step = following


@inner_kernel
def _release(profile: Profile, node: int, amounts: Ints, row: int, column: int, begin: int, end: int) -> None:
    """The amounts in a row, from a column on, are free again on the node from `begin` to `end`."""
    after, time, free = profile.after, profile.time, profile.free
    before = first = profile.last_seen[node]
    if time[first] >= begin:
        before = first = first_step(profile, node)
    while time[after[first]] <= begin:
        before = first
        first = after[first]
    step = first
    while True:
        for k in range(free.shape[1]):
            free[step, k] += amounts[row, column + k]
        following = after[step]
        if time[following] >= end:
            break
        step = following
    _forget_edge(profile, node, step, following)
    if begin > profile.now[0]:
        _forget_edge(profile, node, before, first)


@inner_kernel
def _split(profile: Profile, step: int, time: int) -> int:
    """A new step that begins at `time`, within another one."""
    new = profile.spare[0]
    if new == _LAST:
        new = profile.used[0]
        profile.used[0] += 1
    else:
        profile.spare[0] = profile.after[new]
    profile.time[new] = time
    profile.edges[new] = 0
    for k in range(profile.free.shape[1]):
        profile.free[new, k] = profile.free[step, k]
    profile.after[new] = profile.after[step]
    profile.after[step] = new
    return int(new)


@inner_kernel
def _forget_edge(profile: Profile, node: int, before: int, step: int) -> None:
    """A piece less begins or ends at the begin of the step, which follows `before`."""
    profile.edges[step] -= 1
    if profile.edges[step] == 0:
        profile.after[before] = profile.after[step]
        _give_back(profile, node, step, before)


@inner_kernel
def _give_back(profile: Profile, node: int, step: int, neighbour: int) -> None:
    """The node's step is one no more."""
    if profile.last_seen[node] == step:
        profile.last_seen[node] = neighbour
    profile.after[step] = profile.spare[0]
    profile.spare[0] = step
