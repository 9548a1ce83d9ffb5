"""The places of jobs: placing, starting and ending jobs, and the ends of running jobs that would make
room.
"""

from __future__ import annotations

from engine.compiler.kernels import inner_kernel
from engine.slurm.scheduler.bounds import count_towards, spend
from engine.slurm.scheduler.node_choice import choose_nodes, different_nodes, room_of, room_on
from engine.slurm.scheduler.state import ANY_NODES, Ints, Mask, SiteRun

NEVER = 1 << 60

SEARCHED = 4_000
"""The most looks at a node in a search for the places of a job of several groups."""


@inner_kernel
def take(s: SiteRun, free: Ints, rows: Ints, row: int, sign: int) -> None:
    """Take what a row (node, group, tasks) needs from what is free, or (`sign` -1) give it back."""
    node, group, tasks = rows[row, 0], rows[row, 1], rows[row, 2]
    for k in range(free.shape[1]):
        # An exclusive task takes the node as a whole, whatever it asked for.
        if s.jobs.exclusive[group]:
            free[node, k] -= sign * s.machine.capacity[node, k]
        else:
            free[node, k] -= sign * s.jobs.need[group, k] * tasks


@inner_kernel
def place(s: SiteRun, job: int, free: Ints, usable: Mask) -> int:
    """Write into `s.scratch.rows` where a job's tasks would go; how many rows, or -1.

    The groups of the job are placed in their order; where that fails, from the largest task down, then by a
    bounded search, first on the nodes on which the job ran by the log. `free` is as before afterwards.
    """
    rows = _place_in_turn(s, job, free, usable, False)
    if rows >= 0 or s.jobs.offset[job + 1] - s.jobs.offset[job] == 1:
        return rows
    # The order of the groups may be why they have no room together, unless some of them has none even alone.
    if not _may_have_room(s, job, free, usable):
        return -1
    rows = _place_in_turn(s, job, free, usable, True)
    if rows < 0 and len(s.jobs.own_offset) > 0:
        own, end = s.jobs.own_offset[job], s.jobs.own_offset[job + 1]
        if end > own:
            rows = _search(s, job, free, usable, own, end)
    return rows if rows >= 0 else _search(s, job, free, usable, 0, 0)


@inner_kernel
def _place_in_turn(s: SiteRun, job: int, free: Ints, usable: Mask, largest_first: bool) -> int:
    """The rows of a job whose groups are placed one after the other, as the nodes are chosen; or -1."""
    out, rows, room = s.scratch.rows, 0, s.scratch.room
    first, last = s.jobs.offset[job], s.jobs.offset[job + 1]
    alone, apart = last - first == 1, s.jobs.nodes[job, 0] > 1
    for position in range(last - first):
        group = _group_at(s, first, position) if largest_first else first + position
        tasks, many = s.jobs.tasks[group], -1
        total = room_of(s, group, free, usable, room)
        # What an earlier group of the job took is taken before the next looks, and given back at the end: a
        # place is no start.
        for k in range(rows if apart else 0):  # groups of such a job share no node
            total -= room[out[k, 0]]
            room[out[k, 0]] = 0
        if total >= tasks:
            many = choose_nodes(s, room, tasks, job if alone else -1)
        if many < 0 or rows + many > len(out):
            _give_back(s, free, 0 if alone else rows)
            return -1
        for k in range(many):
            out[rows, 0] = s.scratch.chosen[k, 0]
            out[rows, 1] = group
            out[rows, 2] = s.scratch.chosen[k, 1]
            if not alone:
                take(s, free, out, rows, 1)
            rows += 1
    _give_back(s, free, 0 if alone else rows)
    if not alone and s.jobs.nodes[job, 2] < ANY_NODES and different_nodes(s, rows) > s.jobs.nodes[job, 2]:
        return -1
    return rows


@inner_kernel
def _group_at(s: SiteRun, first: int, position: int) -> int:
    """The group that is placed at a position when the largest tasks of a job go first."""
    return int(first + (s.jobs.turn[first + position] if len(s.jobs.turn) else position))


@inner_kernel
def _may_have_room(s: SiteRun, job: int, free: Ints, usable: Mask) -> bool:
    """Whether each group of a job has room if it is alone, and all together have not more tasks than that."""
    # First each group by itself: another group can only take room from it.
    for group in range(s.jobs.offset[job], s.jobs.offset[job + 1]):
        wanted, zone = s.jobs.tasks[group], s.jobs.zone[group]
        for node in range(len(free)):
            if usable[node] and s.machine.zones[zone, node]:
                wanted -= min(room_on(s, group, free, node), wanted)
                if wanted == 0:
                    break
        if wanted > 0:
            return False
    # On a busy machine most jobs fail here: what is free in all is less than what they need in all.
    for k in range(free.shape[1]):
        lacks = 0
        for group in range(s.jobs.offset[job], s.jobs.offset[job + 1]):
            lacks += s.jobs.tasks[group] * s.jobs.need[group, k]
        for node in range(len(free)):
            if usable[node] and lacks > 0:
                lacks -= free[node, k]
        if lacks > 0:
            return False
    return True


@inner_kernel
def _search(s: SiteRun, job: int, free: Ints, usable: Mask, own: int, end: int) -> int:
    """The rows of a job by trying all distributions, the largest task first: on the nodes in the rows `own`
    to `end` of `own_node`, or on all nodes where there are none; at most SEARCHED looks at a node. Or -1.

    Of several distributions it is that with the most tasks of the first group on the first node, and so on.
    """
    out, rows = s.scratch.rows, 0
    first, groups = s.jobs.offset[job], s.jobs.offset[job + 1] - s.jobs.offset[job]
    nodes, apart = end - own if end > own else len(free), s.jobs.nodes[job, 0] > 1
    position, at, looks = 0, 0, 0
    wanted = s.jobs.tasks[_group_at(s, first, 0)]
    while True:
        # All tasks of this group are placed: on to the next, from its first node on.
        if wanted == 0:
            position += 1
            if position == groups:
                _give_back(s, free, rows)
                return rows if different_nodes(s, rows) <= s.jobs.nodes[job, 2] else -1
            wanted, at = s.jobs.tasks[_group_at(s, first, position)], 0
        if at < nodes:
            # The search is exponential at worst: after so many looks the job counts as not fitting.
            looks += 1
            if looks > SEARCHED:
                break
            group = _group_at(s, first, position)
            node = s.jobs.own_node[own + at] if end > own else at
            at += 1
            if usable[node] and s.machine.zones[s.jobs.zone[group], node]:
                room = min(room_on(s, group, free, node), wanted)
                if room > 0 and rows < len(out) and not (apart and _is_taken(s, rows, node)):
                    out[rows, 0], out[rows, 1], out[rows, 2] = node, group, room
                    take(s, free, out, rows, 1)
                    rows, wanted = rows + 1, wanted - room
            continue
        # No node is left for this group: the last row gets a task less, and what follows is tried anew.
        if rows == 0:
            break
        # The taken row shows which group, and which node, the search goes back to.
        rows -= 1
        node, group, tasks = out[rows, 0], out[rows, 1], out[rows, 2]
        take(s, free, out, rows, -1)
        position = 0
        while _group_at(s, first, position) != group:
            position += 1
        at = node
        if end > own:
            at = 0
            while s.jobs.own_node[own + at] != node:
                at += 1
        at += 1
        # Counted anew: all tasks of the group, less those in rows that stay.
        wanted = s.jobs.tasks[group]
        before = rows
        while before > 0 and out[before - 1, 1] == group:
            before -= 1
            wanted -= out[before, 2]
        if tasks > 1:
            out[rows, 2] = tasks - 1
            take(s, free, out, rows, 1)
            rows, wanted = rows + 1, wanted - (tasks - 1)
    _give_back(s, free, rows)
    return -1


@inner_kernel
def _is_taken(s: SiteRun, rows: int, node: int) -> bool:
    """Whether any of the first scratch rows is on a node."""
    taken = False
    for k in range(rows):
        taken = taken or s.scratch.rows[k, 0] == node
    return bool(taken)


@inner_kernel
def place_group(s: SiteRun, job: int, room: Ints) -> int:
    """Place a job of one group as `place` does, given the tasks that each node, (N,), has room for."""
    group, out = s.jobs.offset[job], s.scratch.rows
    rows = choose_nodes(s, room, s.jobs.tasks[group], job)
    # The scratch has so many rows: a placement with more of them cannot be noted.
    if rows > len(out):
        return -1
    for k in range(rows):
        out[k, 0] = s.scratch.chosen[k, 0]
        out[k, 1] = group
        out[k, 2] = s.scratch.chosen[k, 1]
    return rows


@inner_kernel
def _give_back(s: SiteRun, free: Ints, rows: int) -> None:
    for k in range(rows):
        take(s, free, s.scratch.rows, k, -1)


@inner_kernel
def start_job(s: SiteRun, job: int, now: int, rows: int) -> None:
    """Let a job run from `now` on at the places of the scratch rows; the caller takes it out of the queue."""
    state, inside = s.state, s.jobs.inside[job]
    state.start[job] = now
    if inside >= 0 and s.rules.resv_over >= 0:  # it is ended after its reservation
        last = next_check(s, s.closures.last[inside] + s.rules.resv_over + s.rules.ticks)
        s.jobs.runtime[job] = min(s.jobs.runtime[job], last - now)
    state.places[job] = rows
    for k in range(rows):
        at = state.first[job] + k
        for column in range(3):
            state.rows[at, column] = s.scratch.rows[k, column]
        take(s, state.free, state.rows, at, 1)
    # Two lists of what runs: plans see ends by limit, and only the clock sees real ends.
    _insert(state.line, state.running[0], job, state.start, s.jobs.limit)
    _insert(state.ends, state.running[0], job, state.start, s.jobs.runtime)
    state.running[0] += 1
    state.charged[job] = now
    count_towards(s, job, 1)


@inner_kernel
def _insert(line: Ints, count: int, job: int, start: Ints, length: Ints) -> None:
    """Insert a job into a list in order of start + length, after equal entries."""
    at, end = count, start[job] + length[job]
    while at > 0 and start[line[at - 1]] + length[line[at - 1]] > end:
        line[at] = line[at - 1]
        at -= 1
    line[at] = job


@inner_kernel
def _remove(line: Ints, count: int, job: int) -> None:
    """Take a job out of a list."""
    found = 0
    while line[found] != job:
        found += 1
    for k in range(found, count - 1):
        line[k] = line[k + 1]


@inner_kernel
def end_sooner(s: SiteRun, job: int, limit: int, end: int) -> None:
    """Cut the time limit of a running job to `limit`, and its runtime so that it ends at `end` or before."""
    state, running = s.state, s.state.running[0]
    # Limits of resources times time count with the job's limit: it leaves the sums with the old limit and
    # comes back with the new one.
    count_towards(s, job, -1)
    s.jobs.runtime[job] = min(s.jobs.runtime[job], end - state.start[job])
    s.jobs.limit[job] = min(s.jobs.limit[job], limit - state.start[job])
    count_towards(s, job, 1)
    # Both lists of running jobs, by real end and by end of limit, are sorted: the job takes its new place in
    # each.
    _remove(state.ends, running, job)
    _insert(state.ends, running - 1, job, state.start, s.jobs.runtime)
    _remove(state.line, running, job)
    _insert(state.line, running - 1, job, state.start, s.jobs.limit)


@inner_kernel
def end_job(s: SiteRun, now: int, until: int) -> int:
    """End the first of the running jobs now; its nodes are cleaned up `until` then. Returns the job."""
    job = s.state.ends[0]
    end_run(s, job, now, until)
    return int(job)


@inner_kernel
def end_run(s: SiteRun, job: int, now: int, until: int) -> None:
    """End the run of a job now; its nodes are cleaned up `until` then."""
    state, running = s.state, s.state.running[0]
    _remove(state.ends, running, job)
    _remove(state.line, running, job)
    state.running[0] -= 1
    # Only what was used since the last charge is counted: calculations of priorities charge running jobs on
    # the way.
    spend(s, job, now - state.charged[job])
    state.usage[s.jobs.user[job]] += s.jobs.billing[job] * float(now - state.charged[job])
    state.charged[job] = now
    count_towards(s, job, -1)
    for k in range(state.first[job], state.first[job] + state.places[job]):
        take(s, state.free, state.rows, k, -1)
        node = state.rows[k, 0]
        # A node may still be cleaned up for another job for longer than for this one.
        state.completing[node] = max(state.completing[node], until)


@inner_kernel
def cleaning(s: SiteRun, job: int) -> int:
    """The ticks for which a job's nodes are cleaned up, drawn from its number and the seed alone."""
    mixed = ((job + 1) * 2_654_435_761 + (s.rules.seed + 1) * 40_503) & 0xFFFF_FFFF
    mixed = ((mixed ^ (mixed >> 15)) * 73_244_475) & 0xFFFF_FFFF
    return int(s.rules.completion_delay + (mixed >> 16) % (s.rules.completion_spread + 1))


@inner_kernel
def next_check(s: SiteRun, time: int) -> int:
    """The first check of time limits from `time` on."""
    beat, passed = s.rules.check_beat, time - s.rules.first_check
    checks = -(-(passed % beat) * 1000 // beat)  # a thousand checks take `beat`
    return int(s.rules.first_check + passed // beat * beat + checks * beat // 1000)


@inner_kernel
def limit_end(s: SiteRun, job: int) -> int:
    """The end of a running job by its limit, in whole seconds as slurmctld has it."""
    end = s.state.start[job] + s.jobs.limit[job]
    return int(end - end % s.rules.ticks)


@inner_kernel
def expected_end(s: SiteRun, job: int, now: int) -> int:
    """The end of a running job by its limit; for a job past its limit, the time when it would be killed."""
    # slurmctld believes the limit; a job beyond it ends with OverTimeLimit, and then within KillWait.
    end = limit_end(s, job)
    if end > now:
        return int(end)
    # OverTimeLimit=UNLIMITED: nobody ends the job, and slurmctld plans with a year.
    if s.rules.over_limit < 0:
        return int(now + 365 * 86_400)
    end += s.rules.over_limit
    return int(end if end > now else now + s.rules.kill_wait)


@inner_kernel
def will_run(s: SiteRun, job: int, now: int) -> tuple[int, int]:
    """The earliest time and place for a job on the usable nodes if running jobs ended by their limits alone.

    Returns the start in s, NEVER if there is no room at all, and the number of scratch rows. Ends close to
    each other are tried together.
    """
    state, usable, free = s.state, s.scratch.usable, s.scratch.free
    for node in range(free.shape[0]):
        for k in range(free.shape[1]):
            free[node, k] = state.free[node, k]
    rows = place(s, job, free, usable)
    if rows >= 0:
        return now, rows
    # Ends are taken one after the other, and a place is tried once for each batch of close ends, as
    # slurmctld does.
    barrier, window, last = NEVER, s.rules.end_batch, -1
    for k in range(state.running[0]):
        running, touches = state.line[k], False
        begin = state.first[running]
        for at in range(begin, begin + state.places[running]):
            touches = touches or usable[state.rows[at, 0]]
        if not touches:
            continue
        if last >= 0 and ends_batch(s, last, barrier + window):
            rows = place(s, job, free, usable)
            if rows >= 0:
                break
            window = next_window(s, window, limit_end(s, state.line[last + 1]) - barrier)
        last = k
        if barrier >= NEVER:
            barrier = barrier_after(s, limit_end(s, running))
        for at in range(begin, begin + state.places[running]):
            take(s, free, state.rows, at, -1)
    if rows < 0 and last >= 0:
        rows = place(s, job, free, usable)
    return (expected_end(s, state.line[last], now), rows) if rows >= 0 else (NEVER, -1)


@inner_kernel
def barrier_after(s: SiteRun, end: int) -> int:
    """The time from which windows of ends count, given the first end: the next multiple of the window."""
    window = s.rules.end_batch
    return int(end + window - (end + s.rules.clock) % window) if window > 0 else int(end)


@inner_kernel
def ends_batch(s: SiteRun, k: int, until: int) -> bool:
    """Whether the k-th running job is the last of its batch: the next one, on whatever nodes, ends later."""
    return bool(k + 1 < s.state.running[0] and limit_end(s, s.state.line[k + 1]) > until)


@inner_kernel
def next_window(s: SiteRun, window: int, least: int) -> int:
    """The time in which the next ends are tried together: it grows twofold or by `end_linear`."""
    window += s.rules.end_linear if s.rules.end_linear else window
    while 0 < window < least:
        window += s.rules.end_linear if s.rules.end_linear else window
    return int(window)
