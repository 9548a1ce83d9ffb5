"""The earliest time at which a job fits into a profile of future free resources and, on nodes, its place."""

from __future__ import annotations

from engine.compiler.kernels import inner_kernel, tiny_kernel
from engine.simulation.machine_state import NEVER, MachineState
from engine.simulation.placement import FIRST, place, room_on
from engine.simulation.profile import ASKED, CHANGED, GAINED, NOTHING, UNTIL, Profile, step_at
from engine.simulation.workload import NO_SHAPE, Ints, Workload

_NO_ROOM = -1
"""Free amount noted for a node on which no task fits: less than any task needs."""


@inner_kernel
def earliest(
    profile: Profile, work: Workload, machine: MachineState, job: int, duration: int, begin: int, before: int
) -> int:
    """The first time in [begin, before) from which the job fits for all of `duration`, s; NEVER if none.

    On a machine of nodes the draft then says where.
    """
    if len(profile.first) == 1:
        return _fits_from(profile, 0, work.need, job, duration, begin, before, NEVER)
    known = profile.known[_kind(profile, work.shape[job], duration)]
    time = begin
    while time < before:
        enough, later = _offers(profile, known, work, machine, job, duration, time, before)
        if enough and place(work, job, profile.least, machine.placement, machine.draft):
            return time
        time = later
    return NEVER


@inner_kernel
def earlier(profile: Profile, need: Ints, job: int, duration: int, before: int, own: int) -> int:
    """The first time before `before` from which a reserved job fits, s; NEVER if none. Only for a pool.

    `own` is the start of its reservation: from there on the job's own part is free to it, so that only the
    time up to `own` is examined.
    """
    return _fits_from(profile, 0, need, job, duration, profile.now[0], before, own)


@inner_kernel
def _fits_from(
    profile: Profile, node: int, need: Ints, row: int, duration: int, begin: int, before: int, own: int
) -> int:
    """The first time in [begin, before) from which the node has `need[row]` free; NEVER if none.

    It is free for all of `duration`, or until `own` where that comes first; all in s.
    """
    if begin >= before:
        return NEVER
    time = profile.time
    step = step_at(profile, node, begin)
    start = begin
    while True:
        if not _has(profile, step, need, row):
            step += 1
            while time[step] < before and not _has(profile, step, need, row):
                step += 1
            start = time[step]
            if start >= before:
                return NEVER
        # Follow the steps to the end of the run; a step that is too full restarts the search behind it.
        end = min(start + duration, own)
        behind = step + 1
        while time[behind] < end and _has(profile, behind, need, row):
            behind += 1
        if time[behind] >= end:
            profile.seen[node, 0] = step
            profile.seen[node, 1] = behind
            return int(start)
        step = behind


@tiny_kernel
def _has(profile: Profile, step: int, need: Ints, row: int) -> bool:
    """Whether `need[row]` is free in the step."""
    enough = True
    for k in range(profile.free.shape[1]):
        enough = enough and profile.free[step, k] >= need[row, k]
    return enough


@inner_kernel
def _kind(profile: Profile, shape: int, duration: int) -> int:
    """The row of `profile.known` for this shape and duration: a hash table that forgets on collision."""
    kind = (shape * 31 + duration) % len(profile.known_for)
    known_for = profile.known_for[kind]
    if known_for[0] != shape or known_for[1] != duration:
        for node in range(len(profile.first)):
            profile.known[kind, node, GAINED] = NOTHING
            profile.known[kind, node, CHANGED] = NOTHING
        known_for[0] = shape
        known_for[1] = duration
    return kind


@inner_kernel
def _offers(
    profile: Profile,
    known: Ints,
    work: Workload,
    machine: MachineState,
    job: int,
    duration: int,
    time: int,
    before: int,
) -> tuple[bool, int]:
    """Set `profile.least` of each node to what is free on it for all of `duration` from `time` on.

    Returns whether that may be enough for the job, and the next time, up to `before`, at which more may be
    free. `known`, (nodes, 4), caches for each node until when no task of such a job fits.

    For a job of equal tasks a count of tasks decides; it must wait until as many nodes offer more as it
    lacks. A job of different tasks may fit into less although it did not fit into more, so that every step is
    a candidate and only a placement decides.
    """
    alike = work.shape[job] != NO_SHAPE
    group = work.group_offset[job]
    wanted = work.group_tasks[group]
    zone = work.zone[group] if alike else 0
    in_turn = machine.placement == FIRST and not work.exclusive[group]
    several = alike and wanted > work.group_most[group]
    found = seen = 0
    later = before
    for node in range(len(profile.first)):
        if zone > 0 and not work.zone_nodes[zone, node]:
            continue
        full_until = time
        if alike:
            full_until = known[node, UNTIL]
            if not known[node, ASKED] <= time < full_until or known[node, GAINED] != profile.stamps[node, 0]:
                # Nothing later than the time that is tried next is of interest yet.
                until = before if several else later
                full_until = _look(profile, known, work, group, node, duration, time, until)
        full = full_until > time
        if full:
            profile.least[node, 0] = _NO_ROOM
            following = full_until
        else:
            following = least_over(profile, node, time, time + duration)
        later = min(later, following)
        profile.soon[seen] = following
        seen += 1
        if alike and not full:
            found += room_on(work, group, node, profile.least, machine.draft, wanted - found)
            if found == wanted and in_turn:
                break  # first fit uses no later node
    if several and found < wanted:
        more = (wanted - found + work.group_most[group] - 1) // work.group_most[group]
        later = min(_smallest(profile.soon, seen, more), before)
    return found == wanted or not alike, later


@inner_kernel
def _smallest(values: Ints, size: int, rank: int) -> int:
    """The `rank`-th smallest (from 1) of the first `size` values, NEVER beyond all; reorders the values."""
    if rank > size:
        return NEVER
    for index in range(1, size):
        value = values[index]
        if index >= rank and value >= values[rank - 1]:
            continue
        hole = min(index, rank - 1)
        while hole > 0 and values[hole - 1] > value:
            values[hole] = values[hole - 1]
            hole -= 1
        values[hole] = value
    return int(values[rank - 1])


@inner_kernel
def _look(
    profile: Profile,
    known: Ints,
    work: Workload,
    group: int,
    node: int,
    duration: int,
    time: int,
    before: int,
) -> int:
    """`_full_until` through the cache `known`."""
    if time == known[node, UNTIL] and known[node, CHANGED] == profile.stamps[node, 1]:
        return time
    found = _full_until(profile, work, group, node, duration, time, before)
    known[node, UNTIL] = found
    known[node, ASKED] = time
    known[node, GAINED] = profile.stamps[node, 0]
    known[node, CHANGED] = profile.stamps[node, 1] if found < before else NOTHING
    return found


@inner_kernel
def _full_until(
    profile: Profile, work: Workload, group: int, node: int, duration: int, time: int, before: int
) -> int:
    """The first time from `time` on at which a task of the group fits on the node, at most `before`."""
    if not work.exclusive[group]:
        found = _fits_from(profile, node, work.group_need, group, duration, time, before, NEVER)
        return min(found, before)
    for k in range(work.capacity.shape[1]):
        if work.group_need[group, k] > work.capacity[node, k]:
            return before
    return min(_fits_from(profile, node, work.capacity, node, duration, time, before, NEVER), before)


@inner_kernel
def least_over(profile: Profile, node: int, begin: int, end: int) -> int:
    """Set `least` of the node to the minimum free from `begin` to `end`; returns the first step's end."""
    time, free, least = profile.time, profile.free, profile.least
    step = step_at(profile, node, begin)
    for k in range(free.shape[1]):
        least[node, k] = free[step, k]
    following = step + 1
    over = time[following]
    while time[following] < end:
        for k in range(free.shape[1]):
            least[node, k] = min(least[node, k], free[following, k])
        following += 1
    return int(over)
