"""A cycle of Slurm's backfiller: it plans jobs in order of priority, and starts those that can start.

A plan occupies whole nodes, from its begin to its end. For a job, now and the ends of plans that leave nodes
are tried in ascending order: the usable nodes are those that no plan holds while the job would run from then
on.
"""

from __future__ import annotations

import numpy as np

from engine.compiler.kernels import inner_kernel, kernel
from engine.slurm.scheduler.bounds import allowed, allowed_on, held_by, in_time
from engine.slurm.scheduler.ends import ended_by, has_room, read_ends, slot_of
from engine.slurm.scheduler.places import (
    NEVER,
    place,
    place_group,
    start_job,
    will_run,
)
from engine.slurm.scheduler.plans import (
    blocked_until,
    clear_plans,
    forget_beside,
    hold,
    interval,
    next_gain,
    overlaps,
    rounded,
    start_beside,
    use,
)
from engine.slurm.scheduler.preempt import preempt
from engine.slurm.scheduler.reason_log import (
    ASSOC_TESTS,
    PART_TESTS,
    USER_PART_TESTS,
    USER_TESTS,
    note_all_untried,
    note_cycle,
    note_limit,
    note_started_past,
    note_untried,
)
from engine.slurm.scheduler.soonest import soonest
from engine.slurm.scheduler.state import BACKFILL, Ints, SiteRun

_TESTED = (USER_PART_TESTS, PART_TESTS, ASSOC_TESTS, USER_TESTS)
"""The limit on each column of `SiteJobs.tested`, in the order in which backfill.c checks them."""


def cycle_numbers(user: Ints, account: Ints, part: Ints) -> Ints:
    """`SiteJobs.tested`, (n, 4), of jobs of these numbers of users, accounts and partitions, (n,) each."""
    one = np.zeros(len(part), np.int64)
    columns = ((user, part), (part, one), (user, account), (user, one))
    numbers = [np.unique(np.stack(pair), axis=1, return_inverse=True)[1] for pair in columns]
    return np.ascontiguousarray(np.stack([each.reshape(-1) for each in numbers], axis=1), np.int64)


@kernel
def backfill(s: SiteRun, now: int, order: Ints) -> int:
    """Run a cycle over the jobs of `order`, indices into the queue; returns the number of started jobs.

    Started jobs stay in the queue. The cycle ends where no later job can start besides the plans made so far.
    """
    jobs = _tried(s, now, order)
    clear_plans(s, now)
    last, started, k, full, passed = len(jobs) - 1, 0, 0, False, -1
    while k < len(jobs):
        # Plans only grow and free nodes only become fewer in a cycle: what cannot start now never will.
        while last >= k and not _may_start(s, jobs[last], now):
            last -= 1
        if last < k:
            break
        job, begun = jobs[k], 0
        k += 1
        if not allowed(s, job):  # by jobs that this cycle has started
            continue
        if s.rules.bf_plans and s.plans.many[0] - len(s.closures.first) >= s.rules.bf_plans:
            if _may_start(s, job, now):
                begun = _start_beside(s, job, now)
        else:
            begun = _plan_or_preempt(s, job, now)
        started += begun
        if begun and passed >= 0 and s.notes.log.on:
            note_started_past(s, job, now, passed)
        # The first job that stays waiting is the one that later starts have passed.
        if not begun and passed < 0:
            passed = job
        full = s.rules.bf_starts > 0 and started >= s.rules.bf_starts
        if full:
            break
    if s.notes.log.on:
        note_cycle(s, jobs, now, k, full)
    return started


@kernel
def _tried(s: SiteRun, now: int, order: Ints) -> Ints:
    """The jobs that a cycle tries, within its limits."""
    jobs, tested, tried = np.empty(len(order), np.int64), s.scratch.tested, 0
    # Counts are of this cycle alone; a column without a limit is counted, and never compared.
    for column in range(len(_TESTED)):
        for number in range(tested.shape[1] if _most_tests(s, column) else 0):
            tested[column, number] = 0
    for at in range(len(order)):
        job, over = s.state.queue[order[at]], -1
        # Such a job is not looked at, and counts towards no limit of tests.
        if s.jobs.begin[job] > now or not in_time(s, job, now):
            continue
        # A job that is beyond any of these limits counts towards none of them.
        for column in range(len(_TESTED)):
            most = _most_tests(s, column)
            if over < 0 and most and tested[column, s.jobs.tested[job, column]] >= most:
                over = column
        if over >= 0:
            if s.notes.log.on:
                note_untried(s, job, now, _TESTED[over])
            continue
        held = held_by(s, job)
        if held >= 0:
            if s.notes.log.on:
                note_limit(s, job, now, held)
            continue
        if tried >= s.rules.bf_tests:
            if s.notes.log.on:
                note_all_untried(s, now, order, at)
            break
        jobs[tried] = job
        tried += 1
        for column in range(len(_TESTED)):
            tested[column, s.jobs.tested[job, column]] += 1
    return jobs[:tried]


@inner_kernel
def _most_tests(s: SiteRun, column: int) -> int:
    """How many jobs of equal numbers in a column of `SiteJobs.tested` a cycle tries; 0: no limit."""
    if column == 0:
        return int(s.rules.bf_user_part_tests)
    if column == 1:
        return int(s.rules.bf_part_tests)
    return int(s.rules.bf_assoc_tests if column == 2 else s.rules.bf_user_tests)


@inner_kernel
def _may_start(s: SiteRun, job: int, now: int) -> bool:
    """True if the first group of a job has room now on nodes that no plan uses while the job would run."""
    if s.jobs.inside[job] >= 0 or _preempts(s, job):
        return True  # plans do not tell
    p, group, limit = s.plans, s.jobs.offset[job], s.jobs.limit[job]
    part, tasks, kind = s.jobs.part[job], s.jobs.tasks[group], p.kind[group]
    # Room only shrinks in a cycle: too little for a job is too little for all that need as much for as long.
    same = -1
    for k in range(p.shorts[0]):
        if p.short[k, 0] == kind and p.short[k, 1] == part and p.short[k, 2] <= limit:
            if p.short[k, 3] < tasks:
                return False
            if p.short[k, 2] == limit:
                same = k
    slot, total, e = slot_of(s, group), 0, s.ends
    for k in range(e.many[0]):
        node = e.open[k]
        # A node that a plan wants before the job would end cannot be used.
        if p.soonest[node] > now + limit and s.machine.parts[part, node]:
            total += p.at_once[slot, node]
            if total >= tasks:
                return True
    if same < 0 and p.shorts[0] < len(p.short):
        same = p.shorts[0]
        p.shorts[0] += 1
    if same >= 0:
        p.short[same, 0], p.short[same, 1], p.short[same, 2], p.short[same, 3] = kind, part, limit, total
    return False


@inner_kernel
def _preempts(s: SiteRun, job: int) -> bool:
    """Whether a job may preempt any other."""
    p, may_preempt = s.preemption, False
    # Without preemption there are no kinds, and no table to look into.
    if len(p.kind) == 0:
        return False
    for other in range(p.beats.shape[1]):
        may_preempt = may_preempt or p.beats[p.kind[job], other]
    return may_preempt


@inner_kernel
def _start_beside(s: SiteRun, job: int, now: int) -> int:
    """Start a job on clean nodes that no plan holds while it would run; returns 1, or 0 without room."""
    group, until = s.jobs.offset[job], now + s.jobs.limit[job]
    p, part, room, total, opened = s.plans, s.jobs.part[job], s.scratch.ahead, 0, s.ends.many[0]
    # Parts, reservations and preemption need the whole search.
    if s.jobs.offset[job + 1] - group > 1 or s.jobs.inside[job] >= 0 or _preempts(s, job):
        return _plan(s, job, now)
    slot = slot_of(s, group)
    for word in range(len(p.roomy)):
        p.roomy[word] = 0
    for k in range(opened):
        node = s.ends.open[k]
        # Clean: no plan begins on the node before the job has to end, and no job there is completing.
        clean = p.soonest[node] > until and s.state.completing[node] <= now
        if clean and s.machine.parts[part, node]:
            room[node] = p.at_once[slot, node]
            total += room[node]
            p.roomy[node >> 6] |= p.bits[node & 63]
    rows = -1
    if total >= s.jobs.tasks[group]:
        rows = place_group(s, job, room)
    # The scratch is 0 wherever nobody is looking.
    for k in range(opened):
        room[s.ends.open[k]] = 0
    if rows < 0 or not allowed_on(s, job, rows):
        return 0
    _start(s, job, now, rows)
    return 1


@inner_kernel
def _start(s: SiteRun, job: int, now: int, rows: int) -> None:
    """Start a job on the nodes of the scratch rows."""
    start_job(s, job, now, rows)
    s.state.by[job] = BACKFILL
    start_beside(s, job, rows, now)


@inner_kernel
def _plan_or_preempt(s: SiteRun, job: int, now: int) -> int:
    """Plan a job; where it has no room now beside the plans, it preempts running jobs first, if it may."""
    if _preempts(s, job):
        use(s, job, now)
        _spread(s)
        for node in range(len(s.scratch.usable)):
            s.scratch.usable[node] = s.scratch.usable[node] and s.state.completing[node] <= now
        if place(s, job, s.state.free, s.scratch.usable) < 0 and preempt(s, job, now):
            s.plans.searches[0] = 0  # what they found ruled out no longer is
            forget_beside(s)
    return _plan(s, job, now)


@inner_kernel
def _plan(s: SiteRun, job: int, now: int) -> int:
    """Plan a job at the first time at which it fits besides all plans; returns 1 if it starts now, or 0."""
    group, limit = s.jobs.offset[job], s.jobs.limit[job]
    p, inside, alone = s.plans, s.jobs.inside[job], s.jobs.offset[job + 1] - s.jobs.offset[job] == 1
    time, at, result, looked, block = now, 0, 0, 0, _not_before(s, job, now)
    ruled_out, failing = now, True
    read_ends(s)
    # slurmctld tries a job again from each later time at which anything becomes free.
    while time < NEVER:
        begins = time
        time, at = next_gain(s, job, begins, at)  # a job that would start later is tried again from then on
        block, looked = blocked_until(s, job, begins, looked, block)
        if time > block:
            use(s, job, begins)
        ended = ended_by(s, time)
        # A job of one group is only looked at as a whole until there is room: `soonest` knows more.
        if time <= block or ((failing or not alone) and not has_room(s, group, ended)):
            ruled_out = time if failing else ruled_out
            continue
        failing = False
        if alone:
            soon, rows = soonest(s, job, now, ended)
        else:
            _spread(s)
            soon, rows = will_run(s, job, now)
            _clear(s)
        if rows < 0:
            continue
        start = max(soon, begins)
        if start <= now:
            cleaned = True
            for k in range(rows):
                cleaned = cleaned and s.state.completing[s.scratch.rows[k, 0]] <= now
            if cleaned:
                result = int(allowed_on(s, job, rows))
                break
            start, time = now + 1, NEVER
        # Something becomes free before that start: other nodes may do then.
        if start > time:
            continue
        if start > now + s.rules.bf_window or not in_time(s, job, start):
            if s.notes.log.on:
                s.notes.beyond[job] = now
            break
        first, last = rounded(s, start), rounded(s, start + limit)
        if overlaps(s, first, last, rows, inside):
            # Plans that begin later are in the way: go on from there, unless it was tried from there already.
            if begins >= start:
                break
            time, at = start, interval(s, start)
            continue
        if last > first:
            hold(s, job, first, last, rows, now)
        break
    if ruled_out > now:
        at = p.searches[0]
        p.search[at, 0], p.search[at, 1], p.search[at, 2] = p.kind[group], s.jobs.part[job], inside
        p.search[at, 3], p.search[at, 4] = limit, s.jobs.tasks[group]
        p.ruled_out[at], p.job[at] = ruled_out, job
        p.searches[0] += 1
    if result == 1:
        _start(s, job, now, rows)
    return result


@inner_kernel
def _not_before(s: SiteRun, job: int, now: int) -> int:
    """The time up to which earlier searches, for jobs that need no more than this one, found no start.

    If nodes had too little room for such a job by a time, they have too little for this job.
    """
    group, limit, time, p = s.jobs.offset[job], s.jobs.limit[job], now, s.plans
    kind, part, inside, tasks = p.kind[group], s.jobs.part[job], s.jobs.inside[job], s.jobs.tasks[group]
    # An earlier search says something of this job only if it asked for no more: no longer, no more tasks, on
    # the same partition and reservation.
    for at in range(p.searches[0]):
        if p.ruled_out[at] <= time or p.search[at, 3] > limit or p.search[at, 4] > tasks:
            continue
        if p.search[at, 1] != part or p.search[at, 2] != inside:
            continue
        # The same kind needs the same; for another kind each amount is compared.
        if p.search[at, 0] == kind or _needs_less(s, s.jobs.offset[p.job[at]], group):
            time = p.ruled_out[at]
    return int(time)


@inner_kernel
def _needs_less(s: SiteRun, less: int, group: int) -> bool:
    """Whether each task of a group fits wherever one of the other group does not need more."""
    # Other nodes, or whole ones instead of shared ones, cannot be compared by amounts.
    if s.jobs.zone[less] != s.jobs.zone[group] or s.jobs.exclusive[less] != s.jobs.exclusive[group]:
        return False
    covers = s.jobs.most[less] >= s.jobs.most[group]
    for k in range(s.jobs.need.shape[1]):
        covers = covers and s.jobs.need[less, k] <= s.jobs.need[group, k]
    return bool(covers)


@inner_kernel
def _spread(s: SiteRun) -> None:
    """Write the usable nodes, a bit each, into the mask of the scratch."""
    for node in range(len(s.scratch.usable)):
        s.scratch.usable[node] = s.plans.usable[node >> 6] & s.plans.bits[node & 63] != 0


@inner_kernel
def _clear(s: SiteRun) -> None:
    """Undo the changes of `will_run`."""
    for node in range(len(s.scratch.ahead)):
        s.scratch.ahead[node] = 0
