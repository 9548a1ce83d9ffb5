"""Slurm's two schedulers, second by second: when each job starts, and where."""

from __future__ import annotations

import numpy as np

from engine.compiler.kernels import inner_kernel, kernel
from engine.compiler.packed_tuples import packed
from engine.slurm.scheduler.backfill import backfill
from engine.slurm.scheduler.bounds import (
    fade_spent,
    spend,
    will_fade,
)
from engine.slurm.scheduler.dependent_submissions import expect_followers
from engine.slurm.scheduler.fairshare import Tree, classic, fair_tree
from engine.slurm.scheduler.main_pass import main_pass
from engine.slurm.scheduler.node_failures import fail_nodes, next_failure
from engine.slurm.scheduler.places import NEVER, cleaning, end_job, place, start_job
from engine.slurm.scheduler.preempt import ended_for_other
from engine.slurm.scheduler.queue_order import sorted_queue, without_started
from engine.slurm.scheduler.reason_log import note_requeued
from engine.slurm.scheduler.state import Floats, Ints, Mask, SiteRun
from engine.slurm.scheduler.stops import queue_again

_MANY = 1000
"""Passes that try all jobs, of which it does not matter any more when they were, as no job waited."""


def run_site(s: SiteRun, control: Ints) -> None:
    """Simulate all jobs. `control` is (cancel, jobs that have ended); jobs that never fit stay waiting."""
    _run(packed(s), Tree(s.weights.parent, s.weights.shares, s.weights.leaf), s.state.usage, control)


def start_running(s: SiteRun, nodes: Mask, since: Ints) -> int:
    """Let the first jobs run since their starts, (k,) in ticks, on the nodes of their rows, (k, N).

    Returns for how many of them there was no room there: these have ended.
    """
    return int(_start_running(packed(s), nodes, since))


@kernel
def _start_running(s: SiteRun, nodes: Mask, since: Ints) -> int:
    lost = 0
    for job in range(len(nodes)):
        # The job may only be where it is said to run: these nodes alone are usable while it is placed.
        for node in range(nodes.shape[1]):
            s.scratch.usable[node] = nodes[job, node]
        rows = place(s, job, s.state.free, s.scratch.usable)
        lost += rows < 0
        start_job(s, job, since[job], max(rows, 0))
    return lost


def fits_at_all(s: SiteRun) -> Mask:
    """True for each job, shape (n,), that fits on the empty machine within its partition."""
    fits = np.zeros(len(s.jobs.submit), np.bool_)
    _fits(packed(s), fits)
    return fits


@kernel
def _fits(s: SiteRun, fits: Mask) -> None:
    nodes = len(s.machine.capacity)
    for job in range(len(fits)):
        for node in range(nodes):
            s.scratch.usable[node] = s.machine.parts[s.jobs.part[job], node]
        fits[job] = place(s, job, s.state.free, s.scratch.usable) >= 0


@kernel
def _run(s: SiteRun, tree: Tree, usage: Floats, control: Ints) -> None:
    """The event loop. `usage` is the state's array apart from the tuple, for the fairshare functions."""
    jobs, rules, state = s.jobs, s.rules, s.state
    count = len(jobs.submit)
    if count == 0:
        return
    arrived = came = state.running[0]  # jobs that already run are the first ones
    ended = opened = 0  # jobs, and closed nodes
    first = jobs.submit[state.coming[0]]
    # Closures that ended before the first submission are no events.
    while opened < len(s.closures.last) and s.closures.last[opened] < first:
        opened += 1
    asked = -1  # s of the first submission or end that no pass of the main scheduler has followed, or -1
    # Long enough ago that no gap holds the first pass back.
    last_main = first - 86_400
    last_full = first + rules.first_full - rules.main_every
    last_backfill = first + rules.first_backfill - rules.bf_interval
    last_pass = first - rules.main_gap  # the last pass that was made, of those that were called for
    wanted = wanted_full = False  # whether a pass, and one over all jobs, has to wait for the gap after it
    changed = False
    quiet_until = first  # before this time a pass of the main scheduler would start no job
    # With preemption or jobs in reservations, time alone may let a job start: then no pass is skipped.
    calm = len(s.preemption.kind) == 0
    for job in range(count):
        calm = calm and jobs.inside[job] < 0
    parts = _parts_in_use(s)
    order, ordered = sorted_queue(s), True
    now = last_calc = first
    next_calc = now + rules.first_calc
    _recalculate(s, tree, usage, now, now)
    while ended < count and control[0] == 0:
        # Events of this tick: ends of jobs, failures, ends of closures, submissions; then priorities are
        # computed.
        hurried = False
        # Ends come before submissions: a job may start on what they free in the same tick.
        while state.running[0] and _next_end(s) <= now:
            job = end_job(s, now, _next_end(s) + cleaning(s, state.ends[0]))
            hurried = hurried or _killed(s, job)
            # A job that was preempted waits again, if its class is requeued.
            if ended_for_other(s, job, now):
                arrived = queue_again(s, job, now, arrived)
                if s.notes.log.on:
                    note_requeued(s, job, now)
            else:
                expect_followers(s, job, now, arrived)
                ended += 1
                control[1] = ended
            # The backfiller has something new to look at, and no pass may be skipped.
            changed, quiet_until = True, now
            if asked < 0:
                asked = now + rules.end_notice
        if next_failure(s) <= now:
            arrived, given_up = fail_nodes(s, now, arrived)
            ended += given_up
            control[1] = ended
            changed, quiet_until = True, now
            if asked < 0:
                asked = now
        while opened < len(s.closures.last) and s.closures.last[opened] <= now:
            opened += 1
            changed, quiet_until = True, now
            if asked < 0:
                asked = now
        while arrived < state.known[0] and jobs.submit[state.coming[arrived]] <= now:
            job = state.coming[arrived]
            state.queue[state.waiting[0]] = job
            state.waiting[0] += 1
            # Without multifactor priorities the order of coming is the priority.
            if not _keeps_priority(s, job, now, last_calc):
                state.priority[job] = _priority(s, job, now) if rules.multifactor else -float(came)
            arrived += 1
            came += 1
            changed, quiet_until, ordered = True, now, False
            if asked < 0:
                asked = now + rules.launch_delay
        if rules.multifactor and now >= next_calc:
            if _recalculate(s, tree, usage, now, last_calc):
                quiet_until, ordered = now, False
            if len(s.bounds.spent):  # what is spent has decayed, so that limits may allow more
                changed, quiet_until = True, now
            last_calc = now
            next_calc = now + rules.calc_period
        # The main scheduler: a short pass after events, and a full pass at intervals.
        if now > last_full + _MANY * rules.main_every:
            last_full = _beat(s, first, now - _MANY * rules.main_every)
        passed = _beat(s, first, _whole(s, last_full) + rules.main_every)
        # Passes fall on the beats of slurmctld's loop even while nothing happens: they are caught up with
        # here.
        while passed < now:  # no job waited at the passes skipped since then
            last_full = passed
            if passed > last_pass:  # else it is one with the pass that was put off until then
                if max(passed, last_pass + rules.main_gap) < now:
                    last_pass = max(passed, last_pass + rules.main_gap)
                else:
                    wanted = wanted_full = True
            passed = _beat(s, first, _whole(s, last_full) + rules.main_every)
        last_main = max(last_main, last_full)
        on_beat = _beat(s, first, now) == now
        due = on_beat and asked >= 0 and now >= asked and now >= _whole(s, last_main) + rules.main_delay
        full = on_beat and now >= _whole(s, last_full) + rules.main_every
        # Once the nodes of a killed job report that they are clean, slurmctld calls the scheduler itself.
        # What is called for too soon after a pass is made as one pass once the gap is over.
        wanted, wanted_full = wanted or due or full or hurried, wanted_full or full
        # sched_min_interval: no pass sooner than so long after the last.
        if wanted and now >= last_pass + rules.main_gap:
            if state.waiting[0] and now >= quiet_until:
                if not ordered:
                    order, ordered = sorted_queue(s), True
                # Only a pass over all jobs proves that nothing can start.
                began, whole = main_pass(s, now, order, wanted_full, parts)
                if began:
                    changed, order = True, without_started(s, order)
                elif whole and calm:
                    quiet_until = _next_change(s, now)
            last_pass, wanted, wanted_full = now, False, False
        if due or full:
            # An event of the future still calls for its own pass.
            asked, last_main = -1 if asked <= now else asked, now
        if full:
            last_full = now
        # The backfiller runs at intervals, if anything has changed since its last cycle.
        wakes = rules.backfills and now % rules.ticks == rules.backfill_phase
        if wakes and changed and now >= last_backfill + rules.bf_interval:
            changed = False
            last_backfill = now
            if state.waiting[0]:
                if not ordered:
                    order, ordered = sorted_queue(s), True
                if backfill(s, now, order):
                    order = without_started(s, order)
                    changed, quiet_until = True, now
        last_runs = len(s.preemption.kind) == 0 and s.failures.passed[0] == len(s.failures.first)
        if arrived == count and state.waiting[0] == 0 and last_runs:
            break  # all jobs have started, and none is stopped
        # The next tick with an event, or at which one of the schedulers may have something to do.
        at = NEVER
        if state.running[0]:
            at = min(at, _next_end(s))
        if arrived < state.known[0]:
            at = min(at, jobs.submit[state.coming[arrived]])
        if opened < len(s.closures.last):
            at = min(at, s.closures.last[opened])
        at = min(at, next_failure(s))
        if wanted:
            at = min(at, last_pass + rules.main_gap)
        if asked >= 0:
            soonest = max(asked, _whole(s, last_main) + rules.main_delay, now + 1)
            at = min(at, _beat(s, first, soonest))
        if rules.backfills and changed:
            soonest = max(last_backfill + rules.bf_interval, now + 1)
            at = min(at, soonest + (rules.backfill_phase - soonest) % rules.ticks)
        if state.waiting[0]:
            at = min(at, _beat(s, first, max(_whole(s, last_full) + rules.main_every, now + 1)))
            if rules.multifactor:
                at = min(at, next_calc)
            # With nothing that will happen by itself, time alone must let a job start: otherwise the loop
            # would never end.
            idle = not state.running[0] and arrived == state.known[0] and opened == len(s.closures.last)
            idle = idle and next_failure(s) >= NEVER
            ready = changed and rules.backfills
            if idle and not ready and asked < 0 and not wanted and not (rules.multifactor and will_fade(s)):
                at = _when_begun(s, now, last_full, at)
        if at >= NEVER:
            break
        now = max(at, now + 1)


@inner_kernel
def _beat(s: SiteRun, first: int, time: int) -> int:
    """The first wake of slurmctld's background loop from `time` on, given the first submission.

    The loop sleeps for a second after its work, so that its wakes move within the second.
    """
    origin, beat = first + s.rules.first_beat, s.rules.main_beat
    beats, rest = (time - origin) // beat, (time - origin) % beat  # a thousand wakes take `beat`
    wakes = -(-rest * 1000 // beat)
    return int(origin + beats * beat + wakes * beat // 1000)


@inner_kernel
def _whole(s: SiteRun, time: int) -> int:
    """The tick at which the second of a time begins: slurmctld compares whole seconds."""
    return int(time - time % s.rules.ticks)


@inner_kernel
def _keeps_priority(s: SiteRun, job: int, now: int, last_calc: int) -> bool:
    """Whether a job that comes was requeued: its priority is the old one until all are computed again."""
    again = len(s.preemption.times) > 0 and s.preemption.times[job] > 0
    again = again or (len(s.stops.times) > 0 and s.stops.times[job] > 0)
    return bool(again and last_calc <= now - max(s.rules.requeue_delay, 1))


@inner_kernel
def _killed(s: SiteRun, job: int) -> bool:
    """Whether a job that ends is killed: for another one, or at its time limit."""
    for_other = len(s.preemption.by) > 0 and s.preemption.by[job] >= 0
    return bool(for_other or s.jobs.runtime[job] > s.jobs.limit[job])


@inner_kernel
def _next_end(s: SiteRun) -> int:
    """The end of the running job that ends first, ticks."""
    job = s.state.ends[0]
    return int(s.state.start[job] + s.jobs.runtime[job])


@inner_kernel
def _next_change(s: SiteRun, now: int) -> int:
    """The next time at which a node is clean or a waiting job may begin, ticks; NEVER without one."""
    # Besides ends and submissions only these two let a job start that could not start before.
    change = NEVER
    for node in range(len(s.state.completing)):
        if s.state.completing[node] > now:
            change = min(change, s.state.completing[node])
    for k in range(s.state.waiting[0]):
        begin = s.jobs.begin[s.state.queue[k]]
        if begin > now:
            change = min(change, begin)
    return int(change)


@inner_kernel
def _when_begun(s: SiteRun, now: int, last_full: int, at: int) -> int:
    """The time at which a job may begin while nothing runs or is submitted, or NEVER once all nodes are clean
    and were tried.
    """
    # A node that was cleaned since the last full cycle has not been tried yet.
    for node in range(len(s.state.completing)):
        if s.state.completing[node] >= last_full:
            return at
    begins = NEVER
    # Jobs whose begin has come since then were tried by no cycle.
    for k in range(s.state.waiting[0]):
        begin = s.jobs.begin[s.state.queue[k]]
        if begin > last_full:
            begins = min(begins, max(begin, at))
    return int(begins)


@inner_kernel
def _priority(s: SiteRun, job: int, now: int) -> float:
    age = 0.0
    if s.weights.max_age > 0:
        age = min(max(now - s.jobs.begin[job], 0) / s.weights.max_age, 1.0)
    total = s.jobs.base[job] + s.weights.age * age
    return float(np.floor(total + s.weights.fairshare * s.state.factor[s.jobs.user[job]]))


@inner_kernel
def _charge(s: SiteRun, job: int, now: int) -> None:
    """Count what a job has used since it was last counted to its user."""
    spend(s, job, now - s.state.charged[job])
    s.state.usage[s.jobs.user[job]] += s.jobs.billing[job] * float(now - s.state.charged[job])
    s.state.charged[job] = now


@kernel
def _recalculate(s: SiteRun, tree: Tree, usage: Floats, now: int, last: int) -> bool:
    """Decay usage, count the use of running jobs, compute all priorities; returns whether any changed."""
    state, changed = s.state, False
    if not s.rules.multifactor:
        return False
    # What was used before the last calculation fades; what ran since is charged below in full.
    if s.weights.half_life > 0:
        fade = 0.5 ** ((now - last) / s.weights.half_life)
        for k in range(len(usage)):
            usage[k] *= fade
        fade_spent(s, fade)
    for k in range(state.running[0]):
        _charge(s, state.line[k], now)
    factor = fair_tree(tree, usage) if s.rules.fair_tree else classic(tree, usage, s.weights.dampening)
    for k in range(len(factor)):
        state.factor[k] = factor[k]
    # The queue is sorted again only where a priority has moved.
    for k in range(state.waiting[0]):
        job = state.queue[k]
        before = state.priority[job]
        state.priority[job] = _priority(s, job, now)
        changed = changed or state.priority[job] != before
    return changed


@inner_kernel
def _parts_in_use(s: SiteRun) -> int:
    """The number of partitions that jobs ask for."""
    count = 0
    for part in range(len(s.machine.tier)):
        s.scratch.stopped[part] = False
    # The flags of stopped partitions serve as scratch here: each partition is counted at its first job.
    for job in range(len(s.jobs.part)):
        count += not s.scratch.stopped[s.jobs.part[job]]
        s.scratch.stopped[s.jobs.part[job]] = True
    return count
