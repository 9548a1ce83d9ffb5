"""Slurm's two schedulers, second by second: when each job starts, and where."""

from __future__ import annotations

import numpy as np

from engine.compiler.kernels import kernel
from engine.site.backfill import backfill
from engine.site.fairshare import classic, fair_tree
from engine.site.places import NEVER, end_job, place, start_job
from engine.site.state import (
    MAIN,
    NOT_STARTED,
    Ints,
    SiteJobs,
    SiteMachine,
    SiteRules,
    SiteState,
    SiteWeights,
)


@kernel
def run_site(
    jobs: SiteJobs,
    machine: SiteMachine,
    rules: SiteRules,
    weights: SiteWeights,
    state: SiteState,
    control: Ints,
) -> None:
    """Simulate all jobs. `control` is (cancel, jobs that have ended); jobs that never fit stay waiting."""
    count = len(jobs.submit)
    arrived = ended = 0
    asked = -1  # s of the first submission or end that no pass of the main scheduler has followed, or -1
    first = jobs.submit[0] if count else 0
    last_main = first - 86_400
    last_full = first + rules.first_full - rules.main_every
    last_backfill = first + rules.first_backfill - rules.bf_interval
    changed = False
    now = jobs.submit[0] if count else 0
    next_calc = now + rules.first_calc
    _recalculate(jobs, rules, weights, state, now, now)
    last_calc = now
    while ended < count and control[0] == 0:
        while state.running[0] and _end(jobs, state) <= now:
            job = end_job(jobs, machine, state, _end(jobs, state) + _cleaning(rules, state.ends[0]))
            _charge(jobs, state, job, now)
            ended += 1
            control[1] = ended
            changed = True
            if asked < 0:
                asked = now + rules.end_notice
        while arrived < count and jobs.submit[arrived] <= now:
            state.queue[state.waiting[0]] = arrived
            state.waiting[0] += 1
            state.priority[arrived] = _priority(jobs, rules, weights, state, arrived, now)
            arrived += 1
            changed = True
            if asked < 0:
                asked = now + rules.launch_delay
        if rules.multifactor and now >= next_calc:
            _recalculate(jobs, rules, weights, state, now, last_calc)
            last_calc = now
            next_calc = now + rules.calc_period
        due = asked >= 0 and now >= asked and now >= last_main + rules.main_delay
        full = now >= last_full + rules.main_every
        if (due or full) and state.waiting[0]:
            order = _order(jobs, machine, state)
            if _main_pass(jobs, machine, rules, state, now, order, full):
                changed = True
        if due:
            asked, last_main = -1, now
        if full:
            last_full = now
        if rules.backfills and changed and now >= last_backfill + rules.bf_interval:
            changed = False
            last_backfill = now
            if state.waiting[0]:
                order = _order(jobs, machine, state)
                if backfill(jobs, machine, rules, state, now, order):
                    _drop_started(state)
                    changed = True
        now = _next(
            jobs, rules, state, (arrived, asked, last_main, last_full, last_backfill, next_calc), changed, now
        )
        if now >= NEVER:
            break


@kernel
def _cleaning(rules: SiteRules, job: int) -> int:
    """For how long the nodes of a job are cleaned up, s: drawn from its number and the seed alone."""
    mixed = (job + 1) * 2_654_435_761 + (rules.seed + 1) * 40_503
    mixed = (mixed ^ (mixed >> 15)) * 2_246_822_519 & 0xFFFF_FFFF
    return int(rules.completion_delay + (mixed >> 16) % (rules.completion_spread + 1))


@kernel
def _end(jobs: SiteJobs, state: SiteState) -> int:
    job = state.ends[0]
    return int(state.start[job] + jobs.runtime[job])


@kernel
def _next(
    jobs: SiteJobs,
    rules: SiteRules,
    state: SiteState,
    last: tuple[int, int, int, int, int, int],
    changed: bool,
    now: int,
) -> int:
    """The next second at which anything can happen."""
    arrived, asked, last_main, last_full, last_backfill, next_calc = last
    at = NEVER
    if state.running[0]:
        at = min(at, _end(jobs, state))
    if arrived < len(jobs.submit):
        at = min(at, int(jobs.submit[arrived]))
    if state.waiting[0]:
        at = min(at, last_full + rules.main_every)
        if asked >= 0:
            at = min(at, max(asked, last_main + rules.main_delay))
        if rules.backfills and changed:
            at = min(at, last_backfill + rules.bf_interval)
        if rules.multifactor:
            at = min(at, next_calc)
        idle = not state.running[0] and arrived == len(jobs.submit) and not changed and asked < 0
        if idle and last_full > state.completing.max():
            return _when_begun(jobs, state, now)
    return int(max(at, now + 1)) if at < NEVER else int(NEVER)


@kernel
def _when_begun(jobs: SiteJobs, state: SiteState, now: int) -> int:
    """Nothing runs and nothing comes: the next begin time of a waiting job, or NEVER."""
    at = NEVER
    for k in range(state.waiting[0]):
        begin = int(jobs.begin[state.queue[k]])
        if begin > now:
            at = min(at, int(begin))
    return int(at)


@kernel
def _priority(
    jobs: SiteJobs, rules: SiteRules, weights: SiteWeights, state: SiteState, job: int, now: int
) -> float:
    if not rules.multifactor:
        return -float(job)
    age = 0.0
    if weights.max_age > 0:
        age = min(max(now - jobs.begin[job], 0) / weights.max_age, 1.0)
    total = jobs.base[job] + weights.age * age + weights.fairshare * state.factor[jobs.user[job]]
    return float(np.floor(total))


@kernel
def _charge(jobs: SiteJobs, state: SiteState, job: int, now: int) -> None:
    """Count what a job has used since it was last counted to its user."""
    state.usage[jobs.user[job]] += jobs.cpus[job] * float(now - state.charged[job])
    state.charged[job] = now


@kernel
def _recalculate(
    jobs: SiteJobs, rules: SiteRules, weights: SiteWeights, state: SiteState, now: int, last: int
) -> None:
    """Let usage fade, count what running jobs used, and work out all priorities anew."""
    if not rules.multifactor:
        return
    if weights.half_life > 0:
        fade = 0.5 ** ((now - last) / weights.half_life)
        for k in range(len(state.usage)):
            state.usage[k] *= fade
    for k in range(state.running[0]):
        _charge(jobs, state, state.line[k], now)
    state.factor[:] = fair_tree(weights, state.usage) if rules.fair_tree else classic(weights, state.usage)
    for k in range(state.waiting[0]):
        job = state.queue[k]
        state.priority[job] = _priority(jobs, rules, weights, state, job, now)


@kernel
def _order(jobs: SiteJobs, machine: SiteMachine, state: SiteState) -> Ints:
    """Places in the queue by tier, then priority, then submission."""
    many = state.waiting[0]
    key = np.empty(many)
    for k in range(many):
        key[k] = -state.priority[state.queue[k]]
    order = np.argsort(key, kind="mergesort")
    for k in range(many):
        key[k] = -machine.tier[jobs.part[state.queue[order[k]]]]
    return order[np.argsort(key, kind="mergesort")]


@kernel
def _main_pass(
    jobs: SiteJobs,
    machine: SiteMachine,
    rules: SiteRules,
    state: SiteState,
    now: int,
    order: Ints,
    full: bool,
) -> bool:
    """Start jobs in order; the first of a partition that does not fit stops it, and keeps its nodes."""
    nodes = len(machine.capacity)
    stopped = np.zeros(len(machine.parts), np.bool_)
    closed = np.zeros(nodes, np.bool_)
    usable, out = np.empty(nodes, np.bool_), np.empty((rules.most_rows, 3), np.int64)
    tested, started = 0, False
    for index in order:
        job = state.queue[index]
        part = jobs.part[job]
        if stopped[part] or jobs.begin[job] > now:
            continue
        if not full and tested >= rules.main_depth:
            break
        tested += 1
        for node in range(nodes):
            usable[node] = machine.parts[part, node] and not closed[node] and state.completing[node] <= now
        rows = place(jobs, machine, job, state.free, usable, out)
        if rows < 0:
            stopped[part] = True
            closed |= machine.parts[part]
            if stopped.all():
                break
            continue
        start_job(jobs, machine, state, job, now, out, rows)
        state.by[job] = MAIN
        started = True
    if started:
        _drop_started(state)
    return started


@kernel
def _drop_started(state: SiteState) -> None:
    """Take jobs that have started out of the queue."""
    left = 0
    for k in range(state.waiting[0]):
        job = state.queue[k]
        if state.start[job] == NOT_STARTED:
            state.queue[left] = job
            left += 1
    state.waiting[0] = left
