"""The event loop: what happens at one second, second by second in which anything happens."""

from __future__ import annotations

from engine.compiled import inner_kernel, pass_kernel
from engine.estimate.predictor import predictor_ended, predictor_started
from engine.fairness.usage import usage_ended
from engine.simulation.believe import Belief, believe_anew, believe_first
from engine.simulation.conservative import compress, next_planned, plan_anew, plan_arrived, start_planned
from engine.simulation.control import CANCEL, ENDED
from engine.simulation.easy import easy_pass, try_arrived
from engine.simulation.journal import NOBODY
from engine.simulation.limits import count_running
from engine.simulation.order import STATIC, of_estimate, put_in_order, put_in_terms
from engine.simulation.profile import extend, pass_time, shorten
from engine.simulation.queue import enqueue
from engine.simulation.reserving import reserving_pass
from engine.simulation.running import next_overrun, overrun, pop_ended
from engine.simulation.scheduler import (
    DISTURBED,
    FREED,
    KEPT,
    NEXT_PASS,
    NO_LIMIT,
    PASSES,
    SUBMITTED,
    Scheduler,
    uses_fairshare,
)
from engine.simulation.site import NEVER, vacate
from engine.simulation.workload import Ints


@inner_kernel
def simulate_events(s: Scheduler, belief: Belief, control: Ints) -> bool:
    """Run all jobs that are not refused; `s.start` gets their starts.

    At one second, in this order: estimates that are overrun grow, jobs are submitted, jobs
    end (in the order they were started), and one pass is made. Returns True when all is
    done, and False when a table might become too small in the next second: with larger
    tables the call goes on from there. Stops early when `control[CANCEL]` is set.
    """
    jobs = len(s.work.submit)
    while True:
        now = _next_event(s)
        if control[CANCEL] != 0 or now == NEVER:
            return True
        first = s.counts[SUBMITTED]
        end = first
        while end < jobs and s.work.submit[end] == now:
            end += 1
        if _tables_may_overflow(s, first, end):
            return False
        s.counts[SUBMITTED] = end

        if s.rules.plans:
            pass_time(s.profile, now)
        if _overrun(s, now):
            s.counts[DISTURBED] = 1
        triggered = False
        for job in range(first, end):
            if not s.refused[job]:
                triggered = _submit(s, belief, now, job) or triggered
        while s.run.counts[0] > 0 and s.run.end[s.run.heap[0]] == now:
            _end(s, belief, now)
            control[ENDED] += 1
            s.counts[DISTURBED] = 1
            triggered = True
        if s.rules.pass_every > 0:
            triggered = _its_turn(s, now, triggered)
        if triggered or s.rules.depth == KEPT:
            _pass(s, belief, now, first, end)
            s.counts[DISTURBED] = 0
    return True


@pass_kernel
def _pass(s: Scheduler, belief: Belief, now: int, first: int, end: int) -> None:
    """One scheduling pass; unless DISTURBED since the last one, only the jobs `first:end` are new."""
    if s.queue.bounds[0] == s.queue.bounds[1]:
        return
    s.counts[PASSES] += 1
    before = s.run.counts[1]
    if s.rules.depth == KEPT:
        if s.journal.on or next_planned(s) == now:
            start_planned(s, now)
    elif not s.rules.plans and not s.counts[DISTURBED] and _only_arrivals_matter(s, end - first):
        try_arrived(s, now, first, end)
    elif s.site.free_total[0] >= s.least[0] or s.journal.on:  # a log wants the reasons where nothing starts
        _arrange(s, belief, now)
        if s.rules.plans:
            reserving_pass(s, now, first)
        else:
            easy_pass(s, now)
    else:
        s.head[0] = NOBODY
    if belief.learns:
        for place in range(before, s.run.counts[1]):
            predictor_started(belief.predictor, s.run.started[place], now)


@pass_kernel
def _arrange(s: Scheduler, belief: Belief, now: int) -> None:
    """Bring estimates, and orders that move, up to this second."""
    if belief.anew:
        believe_anew(belief, s.work, s.queue, s.site.free_total[0])
    if s.order.code != STATIC:
        put_in_order(s.order, s.work, s.queue, now)
    if s.rules.own_backfill_order and belief.anew and of_estimate(s.behind_terms):
        put_in_terms(s.behind_terms, s.work, s.behind)


@pass_kernel
def _next_event(s: Scheduler) -> int:
    """The next second in which anything happens."""
    now = s.counts[NEXT_PASS]
    if s.counts[SUBMITTED] < len(s.work.submit):
        now = min(now, s.work.submit[s.counts[SUBMITTED]])
    if s.run.counts[0] > 0:
        now = min(now, s.run.end[s.run.heap[0]])
    if s.rules.depth == KEPT:
        now = min(now, next_planned(s))
    return now


@pass_kernel
def _overrun(s: Scheduler, now: int) -> bool:
    """Let the estimates grow that are used up without the job ending this very second; whether any did."""
    changed = False
    while True:
        job = next_overrun(s.run, now)
        if job == NOBODY:
            break
        changed = True
        old = s.run.expected[job]
        overrun(s.run, job, now, s.start[job] + s.work.walltime[job])
        if s.rules.plans:
            site = s.site
            extend(
                s.profile,
                s.work.need,
                job,
                old,
                s.run.expected[job],
                site.pieces,
                site.first_piece[job],
                site.piece_count[job],
            )
    if changed and s.rules.depth == KEPT:
        plan_anew(s, now)
    return changed


@pass_kernel
def _submit(s: Scheduler, belief: Belief, now: int, job: int) -> bool:
    """Put a job into the queue; whether that calls for a pass."""
    believe_first(belief, s.work, job, now)
    enqueue(s.queue, job)
    s.least[0] = min(s.least[0], s.work.need[job, 0])
    s.slots.waiting_pieces[0] += s.slots.most_pieces[job]
    if s.rules.own_backfill_order:
        enqueue(s.behind, job)
    if s.rules.depth == KEPT:
        plan_arrived(s, now, job)
    # At a second without an end what is free is what no running job is believed to hold.
    return not s.rules.gate or s.work.need[job, 0] <= s.site.free_total[0]


@pass_kernel
def _end(s: Scheduler, belief: Belief, now: int) -> None:
    """The running job that ends first gives back what it held, and teaches the predictor."""
    job = pop_ended(s.run)
    vacate(s.work, s.site, job)
    count_running(s.limits, s.work, job, -1)
    if uses_fairshare(s):
        usage_ended(s.order.usage, job, s.start[job], now)
    if belief.learns:
        predictor_ended(belief.predictor, job, s.start[job], now)
    if s.rules.plans:
        site, expected = s.site, s.run.expected[job]
        shorten(
            s.profile,
            s.work.need,
            job,
            now,
            expected,
            site.pieces,
            site.first_piece[job],
            site.piece_count[job],
        )
        if s.rules.depth == KEPT and max(expected, s.counts[FREED]) > now:
            compress(s, now, expected)


@pass_kernel
def _its_turn(s: Scheduler, now: int, triggered: bool) -> bool:
    """Whether a pass that only comes at certain times is made now; it is put down for the next such time."""
    every, zero = s.rules.pass_every, s.work.submit[0]
    if triggered and s.counts[NEXT_PASS] == NEVER:
        s.counts[NEXT_PASS] = zero + (now - zero + every - 1) // every * every
    if s.counts[NEXT_PASS] != now:
        return False
    s.counts[NEXT_PASS] = NEVER
    s.counts[DISTURBED] = 1  # by what came while it waited
    return True


@pass_kernel
def _tables_may_overflow(s: Scheduler, first: int, end: int) -> bool:
    """Whether this second, in which the jobs `first:end` come, could write more rows than there is room for."""
    waiting = s.queue.bounds[1] - s.queue.bounds[0] + end - first
    if s.journal.on and s.journal.used[0] + 3 * waiting > s.journal.rows.shape[0]:
        return True
    if s.rules.plans:
        steps = s.profile.bounds[1] - s.profile.bounds[0]
        if steps + 2 * waiting + s.run.counts[0] + 4 > s.profile.time.shape[0]:
            return True
    if s.site.free.shape[0] == 1:
        return False
    pieces = s.slots.waiting_pieces[0]
    arriving = 0
    for job in range(first, end):
        arriving += s.slots.most_pieces[job]
    if s.site.pieces_used[0] + pieces + arriving > s.site.pieces.shape[0]:
        return True
    new = arriving if s.rules.depth == KEPT else pieces + arriving
    return bool(s.rules.plans and s.slots.used[0] + new > s.slots.rows.shape[0])


@pass_kernel
def _only_arrivals_matter(s: Scheduler, arrived: int) -> bool:
    """Whether a pass would decide as the last one did, but for the jobs that just came.

    So it is on a pool, under an order that does not move, while the same job is blocked. On
    nodes a new pass may reserve other nodes than the last one.
    """
    if s.order.code != STATIC or s.site.free.shape[0] > 1 or s.head[0] == NOBODY:
        return False
    if s.rules.test_limit != NO_LIMIT:
        return False
    return s.queue.jobs[s.queue.bounds[0]] == s.head[0] and (s.rules.by_arrival or arrived <= 1)
