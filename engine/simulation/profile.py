"""What will be free: the machine's future as steps of time, by what is believed and reserved."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.compiled import inner_kernel
from engine.simulation.placement import place
from engine.simulation.site import NEVER, Site
from engine.simulation.workload import NO_SHAPE, Ints, Workload


class Profile(NamedTuple):
    """Steps `bounds[0]:bounds[1]`: from `time[i]` to `time[i + 1]`, the last one for ever, `free[:, i]` is
    free.

    On nodes `node_free[row[i]]` (nodes, K) says what is free on each; `spare_rows` are those
    in no use. `edges[i]` counts the jobs that begin or end at the step's begin: a step that
    nobody needs any more is merged with the one before it.
    """

    time: Ints  # (room,) s
    edges: Ints  # (room,)
    free: Ints  # (K, room) in total
    bounds: Ints  # (2,)
    row: Ints  # (room,)
    node_free: Ints  # (room or 0, nodes, K)
    spare_rows: Ints  # (room,)
    spare_count: Ints  # (1,)
    least: Ints  # (nodes, K) scratch: the least that is free of each node over some time


def make_profile(capacity: Ints, now: int, room: int) -> Profile:
    """The whole machine is free from `now` on for ever. `capacity` has shape (nodes, K)."""
    nodes, kinds = capacity.shape
    on_nodes = nodes > 1 and room > 0
    profile = Profile(
        time=np.full(max(room, 1), now, np.int64),
        edges=np.zeros(max(room, 1), np.int64),
        free=np.zeros((kinds, max(room, 1)), np.int64),
        bounds=np.array([0, 1], np.int64),
        row=np.zeros(max(room, 1), np.int64),
        node_free=np.zeros((room if on_nodes else 0, nodes, kinds), np.int64),
        spare_rows=np.arange(max(room, 1), dtype=np.int64),
        spare_count=np.array([max(room, 1) - 1], np.int64),
        least=np.zeros_like(capacity),
    )
    profile.free[:, 0] = capacity.sum(axis=0)
    if on_nodes:
        profile.row[0] = max(room, 1) - 1
        profile.node_free[profile.row[0]] = capacity
    return profile


def with_room(profile: Profile, room: int) -> Profile:
    """The same steps with room for at least so many."""
    low, high = profile.bounds
    used = high - low
    larger = make_profile(profile.least, 0, room)
    larger.time[:used] = profile.time[low:high]
    larger.edges[:used] = profile.edges[low:high]
    larger.free[:, :used] = profile.free[:, low:high]
    if len(profile.node_free):
        larger.row[:used] = np.arange(used)
        larger.node_free[:used] = profile.node_free[profile.row[low:high]]
        larger.spare_rows[: room - used] = np.arange(used, room)
        larger.spare_count[0] = room - used
    larger.bounds[:] = (0, used)
    return larger


@inner_kernel
def copy_profile(profile: Profile, copy: Profile) -> None:
    """Make the copy, which has as much room, the same."""
    low, high = profile.bounds[0], profile.bounds[1]
    used = high - low
    copy.bounds[0] = 0
    copy.bounds[1] = used
    for step in range(used):
        copy.time[step] = profile.time[low + step]
        copy.edges[step] = profile.edges[low + step]
    for k in range(profile.free.shape[0]):
        for step in range(used):
            copy.free[k, step] = profile.free[k, low + step]
    if profile.node_free.shape[0] == 0:
        return
    for step in range(used):
        copy.row[step] = step
        row = profile.row[low + step]
        for node in range(profile.node_free.shape[1]):
            for k in range(profile.node_free.shape[2]):
                copy.node_free[step, node, k] = profile.node_free[row, node, k]
    copy.spare_count[0] = len(copy.spare_rows) - used
    for row in range(copy.spare_count[0]):
        copy.spare_rows[row] = used + row


@inner_kernel
def pass_time(profile: Profile, now: int) -> None:
    """Forget the steps that are over; the first one then begins now."""
    first = profile.bounds[0]
    while first + 1 < profile.bounds[1] and profile.time[first + 1] <= now:
        if profile.node_free.shape[0] > 0:
            profile.spare_rows[profile.spare_count[0]] = profile.row[first]
            profile.spare_count[0] += 1
        first += 1
    profile.bounds[0] = first
    profile.time[first] = now
    profile.edges[first] = 0


@inner_kernel
def step_at(profile: Profile, time: int) -> int:
    """The step that `time` lies in (the first one for an earlier time)."""
    low, high = profile.bounds[0], profile.bounds[1]
    while high - low > 1:
        middle = (low + high) >> 1
        if profile.time[middle] <= time:
            low = middle
        else:
            high = middle
    return int(low)


@inner_kernel
def _edge(profile: Profile, time: int) -> int:
    """The step that begins at `time`, made where there is none."""
    step = step_at(profile, time)
    if profile.time[step] >= time:
        return step
    low, high = profile.bounds[0], profile.bounds[1]
    if high == len(profile.time):  # room was left in front by steps that are over
        for i in range(low, high):
            profile.time[i - low] = profile.time[i]
            profile.edges[i - low] = profile.edges[i]
        if profile.node_free.shape[0] > 0:
            for i in range(low, high):
                profile.row[i - low] = profile.row[i]
        for k in range(profile.free.shape[0]):
            for i in range(low, high):
                profile.free[k, i - low] = profile.free[k, i]
        step -= low
        high -= low
        profile.bounds[0] = 0
    for i in range(high, step + 1, -1):
        profile.time[i] = profile.time[i - 1]
        profile.edges[i] = profile.edges[i - 1]
    for k in range(profile.free.shape[0]):
        for i in range(high, step, -1):
            profile.free[k, i] = profile.free[k, i - 1]
    profile.bounds[1] = high + 1
    step += 1
    profile.time[step] = time
    profile.edges[step] = 0
    if profile.node_free.shape[0] > 0:
        for i in range(high, step, -1):
            profile.row[i] = profile.row[i - 1]
        profile.spare_count[0] -= 1
        row = profile.spare_rows[profile.spare_count[0]]
        before = profile.row[step - 1]
        for node in range(profile.node_free.shape[1]):
            for k in range(profile.node_free.shape[2]):
                profile.node_free[row, node, k] = profile.node_free[before, node, k]
        profile.row[step] = row
    return step


@inner_kernel
def _forget_edge(profile: Profile, time: int) -> None:
    """One job less begins or ends at `time`."""
    step = step_at(profile, time)
    if profile.time[step] != time:
        return  # it is over
    profile.edges[step] -= 1
    if profile.edges[step] > 0 or step == profile.bounds[0]:
        return
    if profile.node_free.shape[0] > 0:
        profile.spare_rows[profile.spare_count[0]] = profile.row[step]
        profile.spare_count[0] += 1
    high = profile.bounds[1] - 1
    for i in range(step, high):
        profile.time[i] = profile.time[i + 1]
        profile.edges[i] = profile.edges[i + 1]
    if profile.node_free.shape[0] > 0:
        for i in range(step, high):
            profile.row[i] = profile.row[i + 1]
    for k in range(profile.free.shape[0]):
        for i in range(step, high):
            profile.free[k, i] = profile.free[k, i + 1]
    profile.bounds[1] = high


@inner_kernel
def hold(
    profile: Profile, need: Ints, job: int, begin: int, end: int, pieces: Ints, first: int, count: int
) -> None:
    """The job holds what it needs from `begin` to `end`; on nodes the rows `first` on of `pieces`."""
    low = _edge(profile, begin)
    profile.edges[low] += 1
    high = _edge(profile, end)
    profile.edges[high] += 1
    low = step_at(profile, begin)  # the steps may have moved
    high = step_at(profile, end)
    _change(profile, need, job, low, high, -1, pieces, first, count)


@inner_kernel
def release(
    profile: Profile, need: Ints, job: int, begin: int, end: int, pieces: Ints, first: int, count: int
) -> None:
    """What `hold` did is undone, as far as it is not over yet."""
    now = profile.time[profile.bounds[0]]
    if end <= now:
        return
    low = step_at(profile, begin)
    high = step_at(profile, end)
    _change(profile, need, job, low, high, 1, pieces, first, count)
    _forget_edge(profile, end)
    if begin > now:
        _forget_edge(profile, begin)


@inner_kernel
def shorten(
    profile: Profile, need: Ints, job: int, now: int, end: int, pieces: Ints, first: int, count: int
) -> None:
    """The job that would have held on until `end` gives up what it holds, now."""
    if end <= now:
        return
    _change(profile, need, job, profile.bounds[0], step_at(profile, end), 1, pieces, first, count)
    _forget_edge(profile, end)


@inner_kernel
def extend(
    profile: Profile, need: Ints, job: int, old: int, end: int, pieces: Ints, first: int, count: int
) -> None:
    """The job holds on until `end`, not `old`, which has come."""
    now = profile.time[profile.bounds[0]]
    high = _edge(profile, end)
    profile.edges[high] += 1
    _change(
        profile, need, job, step_at(profile, max(old, now)), step_at(profile, end), -1, pieces, first, count
    )


@inner_kernel
def _change(
    profile: Profile,
    need: Ints,
    job: int,
    low: int,
    high: int,
    sign: int,
    pieces: Ints,
    first: int,
    count: int,
) -> None:
    for k in range(profile.free.shape[0]):
        amount = sign * need[job, k]
        for i in range(low, high):
            profile.free[k, i] += amount
    if profile.node_free.shape[0] == 0:
        return
    for i in range(low, high):
        row = profile.row[i]
        for piece in range(first, first + count):
            for k in range(profile.free.shape[0]):
                profile.node_free[row, pieces[piece, 0], k] += sign * pieces[piece, 1 + k]


@inner_kernel
def earliest(
    profile: Profile, work: Workload, site: Site, job: int, duration: int, begin: int, before: int
) -> int:
    """The first time from `begin` and below `before` at which the job fits for all of `duration`; else NEVER.

    On nodes the draft then says where.
    """
    step = step_at(profile, begin)
    high = profile.bounds[1]
    while step < high:
        time = max(profile.time[step], begin)
        if time >= before:
            break
        blocked = _blocked_in_total(profile, work, job, step, time + duration)
        if blocked >= 0:
            step = blocked + 1
            continue
        if profile.node_free.shape[0] == 0 or _placed(profile, work, site, job, step, time + duration):
            return int(time)
        step += 1
    return NEVER


@inner_kernel
def _blocked_in_total(profile: Profile, work: Workload, job: int, step: int, end: int) -> int:
    """The first step before `end` that has too little for the job in total; -1 where there is none."""
    high = profile.bounds[1]
    for i in range(step, high):
        if i > step and profile.time[i] >= end:
            return -1
        for k in range(profile.free.shape[0]):
            if profile.free[k, i] < work.need[job, k]:
                return i
    return -1


@inner_kernel
def earlier(profile: Profile, need: Ints, job: int, duration: int, before: int, own: int) -> int:
    """The first time below `before` at which a job that holds the time from `own` on fits; else NEVER.

    On a pool. What the job holds itself is free to it, so only the steps before `own` count.
    """
    step = profile.bounds[0]
    high = profile.bounds[1]
    while step < high:
        time = profile.time[step]
        if time >= before:
            break
        end = min(time + duration, own)
        blocked = -1
        i = step
        while i < high and (i == step or profile.time[i] < end):
            for k in range(profile.free.shape[0]):
                if profile.free[k, i] < need[job, k]:
                    blocked = i
            if blocked >= 0:
                break
            i += 1
        if blocked < 0:
            return int(time)
        step = blocked + 1
    return NEVER


@inner_kernel
def _placed(profile: Profile, work: Workload, site: Site, job: int, step: int, end: int) -> bool:
    """Whether the job's tasks find room on nodes from a step's begin until `end`."""
    nodes, kinds = profile.least.shape
    row = profile.row[step]
    for node in range(nodes):
        for k in range(kinds):
            profile.least[node, k] = profile.node_free[row, node, k]
    # Tasks of several kinds may find places in less room that they do not find in more.
    if work.shape[job] != NO_SHAPE and not place(work, job, profile.least, site.placement, site.draft):
        return False
    i = step + 1
    if work.shape[job] != NO_SHAPE and (i == profile.bounds[1] or profile.time[i] >= end):
        return True
    while i < profile.bounds[1] and profile.time[i] < end:
        row = profile.row[i]
        for node in range(nodes):
            for k in range(kinds):
                profile.least[node, k] = min(profile.least[node, k], profile.node_free[row, node, k])
        i += 1
    return place(work, job, profile.least, site.placement, site.draft)
