"""The earliest time at which a job fits into a profile of future free resources and, on nodes, its place."""

from __future__ import annotations

from engine.compiler.bits import count_bits, lowest_bit
from engine.compiler.kernels import inner_kernel, tiny_kernel
from engine.simulation.machine_state import NEVER, MachineState
from engine.simulation.placement import FIRST, add_piece, place, room_on
from engine.simulation.profile import Profile, step_at, step_behind, whole
from engine.simulation.workload import NO_SHAPE, Ints, Workload

_NO_ROOM = -1
"""Free amount noted for a node on which no task fits: less than any task needs."""

_ENOUGH = -1
"""Answer of `_fit_over` where no step has too few nodes."""


@inner_kernel
def earliest(
    profile: Profile, work: Workload, machine: MachineState, job: int, duration: int, begin: int, before: int
) -> int:
    """The first time in [begin, before) from which the job fits for all of `duration`, s; NEVER if none.

    On a machine of nodes the draft then says where.
    """
    return _earliest(profile, work, machine, job, duration, begin, before, NEVER)


@inner_kernel
def earlier(
    profile: Profile, work: Workload, machine: MachineState, job: int, duration: int, before: int, own: int
) -> int:
    """The first time before `before` from which a reserved job may fit, s; NEVER if there is none.

    `own` is the start of its reservation: from there on the job's own part is free to it, so that only the
    time up to `own` is examined. On a pool the job does fit then. On nodes it does if it would end by `own`,
    and the draft says where; else its own part may be free to it on other nodes than those of the draft.
    """
    return _earliest(profile, work, machine, job, duration, profile.now[0], before, own)


@inner_kernel
def _earliest(
    profile: Profile,
    work: Workload,
    machine: MachineState,
    job: int,
    duration: int,
    begin: int,
    before: int,
    own: int,
) -> int:
    """The first time in [begin, before) from which the job fits for `duration`, or until `own`; all in s."""
    line = whole(profile)
    time = _fits_from(profile, line, work.need, job, duration, begin, before, own)
    if line == 0:
        return time
    # The sum over the nodes is enough from `time` on. What follows looks at the nodes themselves, at each
    # time from which there may be more than before: where a step of the whole machine begins.
    while time < NEVER:
        end = min(time + duration, own)
        step = step_at(profile, line, time)
        scarce = _fit_over(profile, work, job, step, step_behind(profile, line, end, step))
        if scarce == _ENOUGH:
            if _fits_on(profile, work, machine, job, time, end):
                return time
            scarce = step
        time = _fits_from(profile, line, work.need, job, duration, profile.time[scarce + 1], before, own)
    return NEVER


@inner_kernel
def _fit_over(profile: Profile, work: Workload, job: int, step: int, behind: int) -> int:
    """Set `fit` to the nodes that may have room for a task of the job in all of the steps `step:behind`.

    Returns _ENOUGH; or the last step from which on these are too few nodes for the job. A search then goes on
    behind that step: each earlier start has all of these steps in its span.
    """
    fit = profile.fit
    group = work.group_offset[job]
    least, level, zone = 0, 0, 0
    if work.shape[job] != NO_SHAPE:
        # No node holds more than `group_most` tasks. Of different tasks each may go to other nodes.
        least = (work.group_tasks[group] + work.group_most[group] - 1) // work.group_most[group]
        level, zone = _level(profile, work.group_need[group, 0]), work.zone[group]
    for word in range(fit.shape[1]):
        fit[0, word] = work.zone_words[zone, word]
        fit[1, word] = work.zone_words[zone, word]
    last = profile.sets.shape[1] - 1
    for row in range(behind - 1, step - 1, -1):
        sets = profile.sets[profile.slot[row]]
        many = 0
        for word in range(fit.shape[1]):
            fit[0, word] &= sets[level, word]
            fit[1, word] &= sets[last, word]
            many += count_bits(fit[0, word])
        if many < least:
            return row
    return _ENOUGH


@inner_kernel
def _level(profile: Profile, cpus: int) -> int:
    """The highest level of sets that has at most so many CPUs: nodes that are not in it have too few."""
    level = 0
    while profile.level[level + 1] <= cpus:  # the last level is NEVER
        level += 1
    return level


@inner_kernel
def _fits_on(profile: Profile, work: Workload, machine: MachineState, job: int, time: int, end: int) -> bool:
    """Whether the job fits on the nodes in `fit` from `time` to `end`, s; the draft then says where."""
    group = work.group_offset[job]
    alike = work.shape[job] != NO_SHAPE
    if alike and machine.placement == FIRST:
        return _draft_in_turn(profile, work, machine, job, time, end)
    wanted = work.group_tasks[group]
    missing = wanted if alike else 0
    for node in range(len(profile.least)):
        word, bit = node >> 6, profile.bit[node & 63]
        if profile.fit[1, word] & bit != 0:
            for k in range(profile.least.shape[1]):
                profile.least[node, k] = work.capacity[node, k]
        elif profile.fit[0, word] & bit != 0:
            least_over(profile, node, time, end)
        else:
            profile.least[node, 0] = _NO_ROOM
            continue
        if missing > 0:
            missing -= room_on(work, group, node, profile.least, machine.draft, missing)
    # A count of tasks excludes most places at once. Different tasks may fit into less although they did not
    # fit into more, so that only a placement decides.
    return missing == 0 and place(work, job, profile.least, machine.placement, machine.draft)


@inner_kernel
def _draft_in_turn(
    profile: Profile, work: Workload, machine: MachineState, job: int, time: int, end: int
) -> bool:
    """`_fits_on` for a job of equal tasks by first fit: it uses no node behind those that are enough."""
    draft, group = machine.draft, work.group_offset[job]
    wanted = work.group_tasks[group]
    draft.size[0] = 0
    for word in range(profile.fit.shape[1]):
        left = profile.fit[1 if work.exclusive[group] else 0, word]
        while left != 0:
            low = lowest_bit(left)
            left ^= profile.bit[low]
            node = (word << 6) + low
            if profile.fit[1, word] & profile.bit[low] != 0:
                room = room_on(work, group, node, work.capacity, draft, wanted)
            else:
                least_over(profile, node, time, end)
                room = room_on(work, group, node, profile.least, draft, wanted)
            if room > 0:
                add_piece(draft, node, group, room)
                wanted -= room
                if wanted == 0:
                    return True
    return False


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
            # Whoever holds that span next finds its rows without a search.
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
def least_over(profile: Profile, node: int, begin: int, end: int) -> None:
    """Set `least` of the node to the minimum free from `begin` to `end`, s."""
    time, free, least = profile.time, profile.free, profile.least
    step = step_at(profile, node, begin)
    for k in range(free.shape[1]):
        least[node, k] = free[step, k]
    step += 1
    while time[step] < end:
        for k in range(free.shape[1]):
            least[node, k] = min(least[node, k], free[step, k])
        step += 1
