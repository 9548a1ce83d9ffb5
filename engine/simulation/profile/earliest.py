"""The earliest time at which a job fits into a profile of future free resources and, on nodes, its place."""

from __future__ import annotations

from engine.compiler.kernels import inner_kernel, tiny_kernel
from engine.simulation.machine_state import NEVER, MachineState
from engine.simulation.placement import CONTIGUOUS
from engine.simulation.profile.drafts import draft_over, least_over, room_on_line
from engine.simulation.profile.state import ASKED, CHANGED, GAINED, NOTHING, UNTIL, Profile
from engine.simulation.profile.steps import step_at
from engine.simulation.workload import NO_SHAPE, Ints, Workload

_NO_ROOM = -1
"""Free amount noted for a line on whose nodes no task fits: less than any task needs."""


@inner_kernel
def earliest(
    profile: Profile, work: Workload, machine: MachineState, job: int, duration: int, begin: int, before: int
) -> int:
    """The first time in [begin, before) from which the job fits for all of `duration`, s; NEVER if none.

    On a machine of nodes the draft then says where.
    """
    if len(profile.first) == 1:
        return _fits_from(profile, 0, work.need, job, duration, begin, before, NEVER)
    # Where all nodes together have too little, none of them is looked at: most times end here.
    time = enough_from(profile, work, job, duration, begin, before, NEVER)
    if time == NEVER:
        return NEVER
    kind = _kind(profile, work.shape[job], duration)
    while time < NEVER:
        if len(work.power) > 0:
            # Power is of the whole machine: no place helps before there is enough of it.
            line = profile.line[len(profile.line) - 1]
            time = _fits_from(profile, line, work.power, job, duration, time, before, NEVER)
            if time == NEVER:
                return NEVER
        enough, later = _offers(profile, kind, work, machine, job, duration, time, before, NEVER)
        if enough and draft_over(profile, work, machine, job, duration, time):
            return time
        time = enough_from(profile, work, job, duration, later, before, NEVER)
    return NEVER


@inner_kernel
def earliest_bound(
    profile: Profile,
    work: Workload,
    machine: MachineState,
    job: int,
    duration: int,
    begin: int,
    before: int,
    own: int,
) -> int:
    """A lower bound of `earliest` for a job of equal tasks once its reservation from `own` on is taken back.

    On nodes on which that reservation may be, all is taken to be free from `own` on. Taking it back, which
    changes each of its nodes, is of use only where this finds a time. NEVER where there is none.
    """
    # Jobs of different tasks are placed group by group: no sum over lines bounds that.
    if work.shape[job] == NO_SHAPE:
        return begin
    time = enough_from(profile, work, job, duration, begin, before, own)
    if time == NEVER:
        return NEVER
    kind = _kind(profile, work.shape[job], duration)
    # Each question answers for a time, or names the next time at which the answer may differ.
    while time < NEVER:
        enough, later = _offers(profile, kind, work, machine, job, duration, time, before, own)
        if enough:
            return time
        time = enough_from(profile, work, job, duration, later, before, own)
    return NEVER


@inner_kernel
def enough_from(
    profile: Profile, work: Workload, job: int, duration: int, begin: int, before: int, own: int
) -> int:
    """The first time in [begin, before) from which all nodes together have what the job needs; NEVER if none.

    `own` is the start of its reservation: from there on the job's own part is free to it. All in s.
    """
    # Few nodes have no such sum, and all times are to be tried.
    if len(profile.first) == len(profile.line):
        return begin if begin < before else NEVER
    return _fits_from(profile, len(profile.line), work.need, job, duration, begin, before, own)


@tiny_kernel
def _own_from(profile: Profile, line: int, own: int) -> int:
    """`own`, where a step of the line begins then, so that the job's reservation may be there; else NEVER."""
    return own if own < NEVER and profile.time[step_at(profile, line, own)] == own else NEVER


@inner_kernel
def earlier(profile: Profile, need: Ints, job: int, duration: int, before: int, own: int) -> int:
    """The first time before `before` from which a reserved job fits, s; NEVER if none. Only for a pool.

    `own` is the start of its reservation: from there on the job's own part is free to it, so that only the
    time up to `own` is examined.
    """
    return _fits_from(profile, 0, need, job, duration, profile.now[0], before, own)


@inner_kernel
def _fits_from(
    profile: Profile, line: int, need: Ints, row: int, duration: int, begin: int, before: int, own: int
) -> int:
    """The first time in [begin, before) from which a node of the line has `need[row]` free; NEVER if none.

    It is free for all of `duration`, or until `own` where that comes first; all in s.
    """
    if begin >= before:
        return NEVER
    time = profile.time
    step = step_at(profile, line, begin)
    start = begin
    # Two states take turns: look for a step with room, then follow the run from there.
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
        # Kept as a hint: whoever reserves here looks for the same two steps next.
        if time[behind] >= end:
            profile.seen[line, 0] = step
            profile.seen[line, 1] = behind
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
    # A collision costs a search, never a wrong answer: the row remembers for which shape and length it is.
    kind = (shape * 31 + duration) % len(profile.known_for)
    known_for = profile.known_for[kind]
    if known_for[0] != shape or known_for[1] != duration:
        for index in range(profile.lines[0]):
            line = profile.order[index]
            profile.known[kind, line, GAINED] = NOTHING
            profile.known[kind, line, CHANGED] = NOTHING
        known_for[0] = shape
        known_for[1] = duration
    return kind


@inner_kernel
def _offers(
    profile: Profile,
    kind: int,
    work: Workload,
    machine: MachineState,
    job: int,
    duration: int,
    time: int,
    before: int,
    own: int,
) -> tuple[bool, int]:
    """Set `profile.room` of each line to the tasks that fit on each of its nodes for `duration` from `time`.

    Returns whether that may be enough for the job, and the next time, up to `before`, at which more may be
    free. The row `kind` of `profile.known` tells of each line until when no task of such a job fits. Of lines
    with a step that begins at `own`, only the time until then counts.

    For a job of equal tasks a count of tasks decides; it must wait until as many nodes offer more as it
    lacks. A job of different tasks may fit into less although it did not fit into more, so that every step is
    a candidate and only a placement decides.
    """
    alike = work.shape[job] != NO_SHAPE
    group = work.group_offset[job]
    wanted = work.group_tasks[group]
    zone = work.zone[group] if alike else 0
    several = alike and wanted > work.group_most[group]
    profile.stamp[1] += 1
    found = seen = 0
    later = before
    # Only contiguous tasks may find no place although there is room for all.
    in_any_place = machine.placement != CONTIGUOUS
    for index in range(profile.lines[0]):
        line = profile.order[index]
        if zone > 0 and not work.zone_nodes[zone, profile.alike[line]]:
            continue
        full_until, until_own = time, _own_from(profile, line, own)
        # What was found with the job's own reservation on the line holds for this job alone: it is not kept.
        if until_own < NEVER:
            until = before if several else later
            full_until = _full_until(profile, work, group, line, duration, time, until, until_own)
        elif alike:
            known = profile.known[kind, line]
            full_until = known[UNTIL]
            if not known[ASKED] <= time < full_until or known[GAINED] != profile.stamps[line, 0]:
                # Nothing later than the time that is tried next is of interest yet.
                until = before if several else later
                full_until = _look(profile, kind, work, group, line, duration, time, until)
        # A full line gives nothing now, and is of interest again when it is no longer full.
        if full_until > time:
            following = full_until
            profile.least[line, 0] = _NO_ROOM
            profile.room[line, 0], profile.room[line, 1] = profile.stamp[1], 0
        else:
            following = least_over(profile, line, time, min(time + duration, until_own))
            if alike:
                room = room_on_line(profile, work, group, line, wanted)
                profile.room[line, 0], profile.room[line, 1] = profile.stamp[1], room
                found += room * profile.size[line]
                if found >= wanted and in_any_place:
                    return True, later
        later = min(later, following)
        if several:
            profile.soon[seen, 0], profile.soon[seen, 1] = following, profile.size[line]
            seen += 1
    if several and found < wanted:
        more = (wanted - found + work.group_most[group] - 1) // work.group_most[group]
        later = min(_when_many(profile.soon, seen, more), before)
    return found >= wanted or not alike, later


@inner_kernel
def _when_many(soon: Ints, size: int, many: int) -> int:
    """When lines of at least `many` nodes, of the first `size` rows, have reached their time; NEVER if none.

    Reorders the rows: the first ones, sorted by time, are kept only as far as they are needed.
    """
    # The rows kept in front are those of the earliest times that together have just enough nodes: a later
    # row cannot bring the answer forward, and one that an earlier row makes needless is given up.
    kept = nodes = 0
    for index in range(size):
        time, here = soon[index, 0], soon[index, 1]
        if nodes >= many and time >= soon[kept - 1, 0]:
            continue
        hole = kept
        while hole > 0 and soon[hole - 1, 0] > time:
            soon[hole, 0], soon[hole, 1] = soon[hole - 1, 0], soon[hole - 1, 1]
            hole -= 1
        soon[hole, 0], soon[hole, 1] = time, here
        kept += 1
        nodes += here
        while nodes - soon[kept - 1, 1] >= many:
            kept -= 1
            nodes -= soon[kept, 1]
    return int(soon[kept - 1, 0]) if nodes >= many else NEVER


@inner_kernel
def first_gain(
    profile: Profile,
    work: Workload,
    job: int,
    duration: int,
    begin: int,
    before: int,
    own: int,
    since: int,
) -> int:
    """A lower bound of the time in [begin, before) from which a reserved job fits, which did not at `since`.

    Only what was freed after that stamp can have made room: the bound is the first time at which a task fits
    on a node with a gain; NEVER where there is none. `own` is the start of the job's reservation: on nodes on
    which that may be, all is taken to be free from there on.
    """
    if work.shape[job] == NO_SHAPE:
        return begin
    group = work.group_offset[job]
    zone = work.zone[group]
    first = before
    if len(work.power) > 0:
        line = profile.line[len(profile.line) - 1]
        if profile.gained[line] > since:
            # With more power the job may start on nodes that had room before.
            until = _own_from(profile, line, own)
            first = min(first, _fits_from(profile, line, work.power, job, duration, begin, before, until))
    for index in range(profile.lines[0]):
        line = profile.order[index]
        if profile.gained[line] <= since or (zone > 0 and not work.zone_nodes[zone, profile.alike[line]]):
            continue
        # What the job holds there itself begins where a step begins.
        until = _own_from(profile, line, own)
        first = min(first, _full_until(profile, work, group, line, duration, begin, first, until))
        if first == begin:
            break
    return first if first < before else NEVER


@inner_kernel
def _look(
    profile: Profile,
    kind: int,
    work: Workload,
    group: int,
    line: int,
    duration: int,
    time: int,
    before: int,
) -> int:
    """`_full_until` through the cache `profile.known`."""
    known = profile.known[kind, line]
    # The line has not changed since this very time was found: the answer still holds.
    if time == known[UNTIL] and known[CHANGED] == profile.stamps[line, 1]:
        return time
    found = _full_until(profile, work, group, line, duration, time, before, NEVER)
    known[UNTIL] = found
    known[ASKED] = time
    known[GAINED] = profile.stamps[line, 0]
    # Where the search ended at `before` without a time, it has not seen enough to be of use later.
    known[CHANGED] = profile.stamps[line, 1] if found < before else NOTHING
    return found


@inner_kernel
def _full_until(
    profile: Profile,
    work: Workload,
    group: int,
    line: int,
    duration: int,
    time: int,
    before: int,
    own: int,
) -> int:
    """The first time from `time` on at which a task of the group fits on nodes of the line, at most `before`.

    From `own` on everything counts as free.
    """
    if not work.exclusive[group]:
        found = _fits_from(profile, line, work.group_need, group, duration, time, before, own)
        return min(found, before)
    # An exclusive task takes the node as a whole: all of its capacity has to be free.
    node = profile.alike[line]
    for k in range(work.capacity.shape[1]):
        if work.group_need[group, k] > work.capacity[node, k]:
            return before
    return min(_fits_from(profile, line, work.capacity, node, duration, time, before, own), before)
